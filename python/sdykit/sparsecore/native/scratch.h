// Memory that a thread uses for one list after another; it grows as needed.

#ifndef SDYKIT_SPARSECORE_SCRATCH_H_
#define SDYKIT_SPARSECORE_SCRATCH_H_

#include <cstdint>
#include <memory>
#include <utility>

#include "sort.h"

namespace sdykit {

// Uninitialised elements.
template <typename T>
class Memory {
 public:
  // Returns memory for at least `size` elements; what was in it is lost if it grows.
  T* Get(int64_t size) {
    if (size > size_) {
      size_ = 0;
      elements_.reset();
      elements_.reset(new T[static_cast<size_t>(size)]);
      size_ = size;
    }
    return elements_.get();
  }
  int64_t bytes() const { return size_ * static_cast<int64_t>(sizeof(T)); }

 private:
  std::unique_ptr<T[]> elements_;
  int64_t size_ = 0;
};

struct Scratch {
  Memory<uint32_t[1 << kMaxDigitBits]> counters;
  Memory<uint64_t> words, left, right, kept_words;
  Memory<float> gains, kept_gains;

  // Returns the memory that sorting a list of `count` words needs.
  Sorting sorting(int64_t count) {
    return {counters.Get(kMaxPasses), left.Get(count), right.Get(count)};
  }
  int64_t bytes() const {
    return counters.bytes() + words.bytes() + left.bytes() + right.bytes() + kept_words.bytes() +
           gains.bytes() + kept_gains.bytes();
  }
};

}  // namespace sdykit

#endif  // SDYKIT_SPARSECORE_SCRATCH_H_
