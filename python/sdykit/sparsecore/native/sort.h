// A stable radix sort of words by their keys, least significant digit first.

#ifndef SDYKIT_SPARSECORE_SORT_H_
#define SDYKIT_SPARSECORE_SORT_H_

#include <cstdint>

namespace sdykit {

// 2048 counters of 4 bytes fit in the first-level cache with the words.
constexpr int kMaxDigitBits = 11;
constexpr int kMaxPasses = 4;

struct Sorting {
  uint32_t (*counters)[1 << kMaxDigitBits];  // [kMaxPasses]
  uint64_t* left;
  uint64_t* right;  // both as long as the longest list
};

// Sorts words by their upper halves; words with equal ones keep their order.
//
// `key_bits` is from 1 to 32, `count` below 2^32. If `by_position`, the lower half is replaced by
// the word's position. Returns the array with the sorted words, `left` or `right`.
const uint64_t* SortWords(const uint64_t* words, int64_t count, int key_bits, bool by_position,
                          const Sorting& sorting);

}  // namespace sdykit

#endif  // SDYKIT_SPARSECORE_SORT_H_
