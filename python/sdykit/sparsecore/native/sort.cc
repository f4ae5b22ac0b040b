#include "sort.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "kernels.h"

namespace sdykit {

namespace {

constexpr int64_t kFew = 1024;
constexpr int kFewDigitBits = 8;

using Counters = uint32_t (*)[1 << kMaxDigitBits];

// Sets counters[p][d] to the position of the first word with digit d after pass p.
template <int kPasses>
SDYKIT_INLINE void CountDigits(const uint64_t* words, int64_t count, int width, Counters counters) {
  const uint64_t mask = (uint64_t{1} << width) - 1;
  for (int pass = 0; pass < kPasses; ++pass) {
    std::memset(counters[pass], 0, sizeof(uint32_t) << width);
  }
#pragma GCC unroll 4
  for (int64_t i = 0; i < count; ++i) {
    uint64_t key = words[i] >> kKeyShift;
    for (int pass = 0; pass < kPasses; ++pass, key >>= width) ++counters[pass][key & mask];
  }
  for (int pass = 0; pass < kPasses; ++pass) {
    uint32_t total = 0;
    for (uint64_t digit = 0; digit <= mask; ++digit) {
      total += std::exchange(counters[pass][digit], total);
    }
  }
}

// Moves each word to the position in the counter of its digit, and increments the counter.
template <bool kByPosition>
SDYKIT_INLINE void Scatter(const uint64_t* source, int64_t count, int shift, uint64_t mask,
                           uint32_t* digits, uint64_t* target) {
#pragma GCC unroll 4
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t word = source[i];
    target[digits[(word >> shift) & mask]++] =
        kByPosition ? (word & ~kRowMask) | static_cast<uint64_t>(i) : word;
  }
}

SDYKIT_INLINE void CountDigits(const uint64_t* words, int64_t count, int passes, int width,
                               Counters counters) {
  switch (passes) {
    case 1: return CountDigits<1>(words, count, width, counters);
    case 2: return CountDigits<2>(words, count, width, counters);
    case 3: return CountDigits<3>(words, count, width, counters);
    default: return CountDigits<4>(words, count, width, counters);
  }
}

}  // namespace

SDYKIT_CLONES const uint64_t* SortWords(const uint64_t* words, int64_t count, int key_bits,
                                        bool by_position, const Sorting& sorting) {
  int width = count >= kFew ? kMaxDigitBits : kFewDigitBits;
  const int passes = (key_bits + width - 1) / width;
  width = (key_bits + passes - 1) / passes;
  const uint64_t mask = (uint64_t{1} << width) - 1;
  CountDigits(words, count, passes, width, sorting.counters);
  uint64_t *from = sorting.left, *to = sorting.right;
  int shift = kKeyShift;
  if (by_position) {
    Scatter<true>(words, count, shift, mask, sorting.counters[0], from);
  } else {
    Scatter<false>(words, count, shift, mask, sorting.counters[0], from);
  }
  for (int pass = 1; pass < passes; ++pass) {
    shift += width;
    Scatter<false>(from, count, shift, mask, sorting.counters[pass], to);
    std::swap(from, to);
  }
  return from;
}

void Fill(Entries out, int64_t position, int64_t end) {
  if (position >= end) return;
  std::fill(out.ids + position, out.ids + end, kPad);
  std::fill(out.samples + position, out.samples + end, kPad);
  std::fill(out.gains + position, out.gains + end, kPadGain);
}

}  // namespace sdykit
