// Regions: the bytes that a load, a store, or a side of a transfer touches.

#ifndef SDYKIT_SPARSECORE_CHECKS_REGIONS_H_
#define SDYKIT_SPARSECORE_CHECKS_REGIONS_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace sdykit::checks {

// Elements in memory, at strides, of one row or of rows that are anywhere. Positions are addresses,
// all numbers are in bytes.
class Region {
 public:
  struct Dimension {
    int64_t size;
    int64_t stride;
  };

  // One row.
  Region(int64_t first, std::vector<Dimension> dimensions, int64_t width);

  // Rows that begin at `starts`, after `first`.
  Region(int64_t first, std::vector<Dimension> dimensions, int64_t width,
         std::vector<int64_t> starts);

  // The first byte and one past the last; equal if there are none.
  int64_t begin() const { return begin_; }
  int64_t end() const { return end_; }
  bool is_empty() const { return begin_ == end_; }

  // The bytes of a contiguous run, which is as long as all of them can be.
  int64_t run_bytes() const { return run_bytes_; }

  // Calls `function` with the first byte of each run, in the order of the elements.
  template <typename Function>
  void ForEachRun(Function&& function) const {
    if (is_empty()) return;
    if (!has_rows_) return Nest(0, first_, function);
    for (const int64_t start : starts_) Nest(0, first_ + start, function);
  }

  // Whether a byte of [begin, end) is in the region.
  bool Overlaps(int64_t begin, int64_t end) const;
  bool Overlaps(const Region& other) const;

 private:
  template <typename Function>
  void Nest(size_t depth, int64_t at, Function& function) const {
    if (depth == dimensions_.size()) {
      function(at);
      return;
    }
    const Dimension& dimension = dimensions_[depth];
    for (int64_t k = 0; k < dimension.size; ++k) {
      Nest(depth + 1, at + k * dimension.stride, function);
    }
  }

  bool is_contiguous() const { return dimensions_.empty() && (!has_rows_ || starts_.size() == 1); }

  // Joins dimensions that continue each other, and finds where the region begins and ends, if its rows
  // begin between two positions.
  void Measure(int64_t first_start, int64_t last_start);

  int64_t first_;
  std::vector<Dimension> dimensions_;  // outside of runs
  int64_t run_bytes_;
  bool has_rows_ = false;
  std::vector<int64_t> starts_;
  int64_t begin_;
  int64_t end_;
  mutable std::vector<int64_t> sorted_;  // where runs begin, once somebody has asked
};

}  // namespace sdykit::checks

#endif  // SDYKIT_SPARSECORE_CHECKS_REGIONS_H_
