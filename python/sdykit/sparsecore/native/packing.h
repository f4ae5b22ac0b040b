// The arguments of packing and sorting, checked.

#ifndef SDYKIT_SPARSECORE_PACKING_H_
#define SDYKIT_SPARSECORE_PACKING_H_

#include <nanobind/nanobind.h>

#include "arrays.h"
#include "kernels.h"
#include "sort.h"

namespace sdykit {

// `(starts, words, gains, gain)`: int64 [cores + 1], the position of each list in `words`, and
// their end; uint64; float32 [words], or empty if every gain is `gain`.
class Lists {
 public:
  Lists(const char* function, const nanobind::tuple& given, Range cores);

  List operator[](int64_t number) const {
    const int64_t start = starts_.data()[number], count = starts_.data()[number + 1] - start;
    return {words_.data() + start, is_weighted() ? gains_.data() + start : nullptr, gain_, count};
  }
  bool is_weighted() const { return gains_.size() > 0; }
  int64_t Start(int64_t number) const { return starts_.data()[number]; }
  int64_t longest() const { return longest_; }

 private:
  Array<const int64_t> starts_;
  Array<const uint64_t> words_;
  Array<const float> gains_;
  float gain_;
  int64_t longest_;
};

// Checks the positions of lists in `words` words, and returns the length of the longest list.
int64_t CheckStarts(const char* function, const Array<const int64_t>& starts, int64_t lists,
                    int64_t words);

// `(counters, left, right, ...)`: uint32 [4, 2048], uint64, uint64, and others that a loop adds.
class SortingArrays {
 public:
  SortingArrays(const char* function, const nanobind::tuple& given, size_t size, int64_t longest);

  Sorting sorting() const {
    return {reinterpret_cast<uint32_t (*)[1 << kMaxDigitBits]>(counters_.data()), left_.data(),
            right_.data()};
  }

 private:
  Array<uint32_t> counters_;
  Array<uint64_t> left_;
  Array<uint64_t> right_;
};

// The parts of a key: a partition's number above the bits of a row.
struct KeyShape {
  int64_t partitions;
  int bits;  // of a row's number in its partition

  // Fails unless keys fit in 32 bits.
  void Check(const char* function) const;
  // Returns one past the last of the sorted words from `item` that is in a partition.
  int64_t End(const uint64_t* items, int64_t item, int64_t count, int64_t partition) const;
};

// `(ids, samples, gains)`: int32, int32, float32, each [devices, entries].
class EntryArrays {
 public:
  EntryArrays(const char* function, const nanobind::tuple& given);

  int64_t devices() const { return ids_.dim(0); }
  int64_t room() const { return ids_.dim(1); }
  Entries OfDevice(int64_t device) const {
    return Entries{ids_.data(), samples_.data(), gains_.data()} + device * room();
  }

 private:
  Array<int32_t> ids_;
  Array<int32_t> samples_;
  Array<float> gains_;
};

// `(ids, unique ids)`: int32 [SparseCores, partitions, ...].
class CountArrays {
 public:
  CountArrays(const char* function, const nanobind::tuple& given, int rank);

  // Fails unless the arrays have at least `cores` SparseCores, and the other sizes are these.
  void Needs(int64_t cores, int64_t partitions, int64_t buckets = 1) const;
  int64_t cores() const { return ids_.dim(0); }
  int32_t* ids(int64_t core) const { return ids_.data() + core * stride_; }
  int32_t* uniques(int64_t core) const { return uniques_.data() + core * stride_; }

 private:
  int rank_;
  Array<int32_t> ids_;
  Array<int32_t> uniques_;
  int64_t stride_;
};

// `(ids, unique ids)`: int64 [partitions], the limits of each partition.
class LimitArrays {
 public:
  LimitArrays(const char* function, const nanobind::tuple& given, int64_t partitions);

  Limits operator[](int64_t partition) const {
    return {ids_.data()[partition], uniques_.data()[partition]};
  }

 private:
  Array<const int64_t> ids_;
  Array<const int64_t> uniques_;
};

// Fails unless the SparseCores below `last` are on the devices of the buffers, and `pointers`,
// int32 [devices, columns], has a column for each partition of each segment of each SparseCore.
void CheckPointers(const char* function, const Array<int32_t>& pointers, const EntryArrays& out,
                   int64_t last, int64_t cores_of_device, int64_t segments, int64_t width);

}  // namespace sdykit

#endif  // SDYKIT_SPARSECORE_PACKING_H_
