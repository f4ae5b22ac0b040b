// How many ids are of the samples of each tile.

#ifndef SDYKIT_SPARSECORE_TILE_COUNTS_H_
#define SDYKIT_SPARSECORE_TILE_COUNTS_H_

#include <cstdint>

namespace sdykit {

// Sets `counts` to the number of ids whose sample is in the even share of each tile.
// `samples` are those of the ids, counted within their SparseCore; one outside of
// [0, samples_per_core) is counted as the last.
void CountTileIds(const int32_t* samples, int64_t count, int64_t samples_per_core, int64_t tiles,
                  int32_t* counts);

}  // namespace sdykit

#endif  // SDYKIT_SPARSECORE_TILE_COUNTS_H_
