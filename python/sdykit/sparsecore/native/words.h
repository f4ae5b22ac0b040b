// Ids to words of key and sample, and weights to gains.

#ifndef SDYKIT_SPARSECORE_WORDS_H_
#define SDYKIT_SPARSECORE_WORDS_H_

#include <cstdint>

namespace sdykit {

enum Combiner { kSum = 0, kMean = 1, kSqrtn = 2 };

// How an id becomes a key.
struct Mapping {
  uint64_t mask, shift;
  int log_partitions;
  uint64_t base;  // the first row in a partition
  int bits;       // of a row's number in it
  int64_t bound;  // one past the largest id
};

// Write the words of samples of `valency` ids each, the first of which has the row `row`. The
// result is negative if an id is out of bounds.
int64_t AppendWords(const int32_t* ids, int64_t samples, int64_t valency, uint64_t row,
                    const Mapping& map, uint64_t* words);
int64_t AppendWords(const int64_t* ids, int64_t samples, int64_t valency, uint64_t row,
                    const Mapping& map, uint64_t* words);

// Writes the gains of samples of `valency` ids each; without weights (null) each is 1. Returns
// whether they are doubtful and need a thorough check.
bool AppendGains(const float* weights, int64_t samples, int64_t valency, int combiner,
                 float* gains);

}  // namespace sdykit

#endif  // SDYKIT_SPARSECORE_WORDS_H_
