// Types that all loops use: words, lists, entries, limits.
//
// A word has 64 bits: the key (the partition in its upper bits, the id's row in the partition in
// its lower) in the upper half, the sample's row in the lower. The words of a list are in the order
// of its samples.

#ifndef SDYKIT_SPARSECORE_KERNELS_H_
#define SDYKIT_SPARSECORE_KERNELS_H_

#include <nanobind/nanobind.h>

#include <cstdint>
#include <limits>
#include <utility>

#include "clones.h"

namespace sdykit {

constexpr int64_t kBuckets = 64;
// The entries of a partition start at a multiple of it, as in jax-tpu-embedding's format.
constexpr int64_t kAlignment = 8;
constexpr int32_t kPad = std::numeric_limits<int32_t>::max();
constexpr float kPadGain = std::numeric_limits<float>::quiet_NaN();

constexpr int kKeyShift = 32;
constexpr uint64_t kRowMask = 0xFFFFFFFF;

// A half-open range.
using Range = std::pair<int64_t, int64_t>;

// The maximum numbers of ids and of unique ids.
using Limits = std::pair<int64_t, int64_t>;

struct Entries {
  int32_t* ids;
  int32_t* samples;
  float* gains;

  Entries operator+(int64_t offset) const {
    return {ids + offset, samples + offset, gains + offset};
  }
};

// Fills [position, end) with pads.
void Fill(Entries out, int64_t position, int64_t end);

// Fills with pads up to the next multiple of kAlignment, but not beyond `end`; returns the
// multiple.
inline int64_t Pad(Entries out, int64_t position, int64_t end) {
  const int64_t padded = (position + kAlignment - 1) / kAlignment * kAlignment;
  Fill(out, position, padded < end ? padded : end);
  return padded;
}

// One list: the words of a SparseCore, with a gain for each or one gain for all.
struct List {
  const uint64_t* words;
  const float* gains;  // null: every word has the gain `gain`
  float gain;
  int64_t count;
};

void BindLists(nanobind::module_& m);
void BindPack(nanobind::module_& m);
void BindBuckets(nanobind::module_& m);
void BindMinibatches(nanobind::module_& m);
void BindCount(nanobind::module_& m);
void BindIndex(nanobind::module_& m);
void BindRawIds(nanobind::module_& m);

}  // namespace sdykit

#endif  // SDYKIT_SPARSECORE_KERNELS_H_
