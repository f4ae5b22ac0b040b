#include "regions.h"

#include <algorithm>

namespace sdykit::checks {

Region::Region(int64_t first, std::vector<Dimension> dimensions, int64_t width)
    : first_(first),
      dimensions_(std::move(dimensions)),
      run_bytes_(width),
      begin_(first),
      end_(first) {
  Measure(0, 0);
}

Region::Region(int64_t first, std::vector<Dimension> dimensions, int64_t width,
               std::vector<int64_t> starts)
    : first_(first),
      dimensions_(std::move(dimensions)),
      run_bytes_(width),
      has_rows_(true),
      starts_(std::move(starts)),
      begin_(first),
      end_(first) {
  if (starts_.empty()) return;
  const auto [low, high] = std::minmax_element(starts_.begin(), starts_.end());
  Measure(*low, *high);
}

void Region::Measure(int64_t first_start, int64_t last_start) {
  const bool is_empty =
      run_bytes_ == 0 ||
      std::any_of(dimensions_.begin(), dimensions_.end(),
                  [](const Dimension& dimension) { return dimension.size <= 0; });
  if (is_empty) return;
  while (!dimensions_.empty() &&
         (dimensions_.back().size == 1 || dimensions_.back().stride == run_bytes_)) {
    run_bytes_ *= dimensions_.back().size;
    dimensions_.pop_back();
  }
  begin_ += first_start;
  end_ += last_start + run_bytes_;
  for (const Dimension& dimension : dimensions_) {
    const int64_t last = (dimension.size - 1) * dimension.stride;
    begin_ += std::min<int64_t>(last, 0);
    end_ += std::max<int64_t>(last, 0);
  }
}

bool Region::Overlaps(int64_t begin, int64_t end) const {
  if (end <= begin_ || end_ <= begin || begin == end || is_empty()) return false;
  if (is_contiguous()) return true;
  if (sorted_.empty()) {
    ForEachRun([this](int64_t at) { sorted_.push_back(at); });
    std::sort(sorted_.begin(), sorted_.end());
  }
  // The last run that begins before `end`.
  const auto next = std::lower_bound(sorted_.begin(), sorted_.end(), end);
  return next != sorted_.begin() && *(next - 1) + run_bytes_ > begin;
}

bool Region::Overlaps(const Region& other) const {
  if (other.end_ <= begin_ || end_ <= other.begin_) return false;
  bool found = false;
  other.ForEachRun([&](int64_t at) { found = found || Overlaps(at, at + other.run_bytes_); });
  return found;
}

}  // namespace sdykit::checks
