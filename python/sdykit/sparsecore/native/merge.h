// Sorted words to entries: duplicates are merged, and ids over a limit are dropped.

#ifndef SDYKIT_SPARSECORE_MERGE_H_
#define SDYKIT_SPARSECORE_MERGE_H_

#include <cstdint>

#include "kernels.h"

namespace sdykit {

struct Packed {
  int64_t position;  // one past the last entry
  int64_t ids;       // merged, before any were dropped
  int64_t uniques;
  int64_t dropped;  // ids over a limit, duplicates included
  int64_t missing;  // ids within the limits without room, duplicates included
};

// Packs the sorted items [item, stop) of one partition: fast if all fit, and again one by one if
// not. If the list has gains, the lower halves of the items are positions in it.
Packed PackRun(const uint64_t* items, int64_t item, int64_t stop, const List& list, int bits,
               Entries out, int64_t position, int64_t end, Limits limits);

}  // namespace sdykit

#endif  // SDYKIT_SPARSECORE_MERGE_H_
