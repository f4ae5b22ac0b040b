#include "marks.h"

#include <algorithm>

namespace sdykit::checks {

Marks::Marks(const char* begin, int64_t agents, int64_t stride, bool counts)
    : begin_(reinterpret_cast<int64_t>(begin)),
      lines_(stride / kLineBytes),
      counts_(counts),
      marks_(kBefore + (counts ? agents * lines_ : lines_) + kAfter),
      watches_all_(agents) {}

int64_t Marks::Of(int64_t agent) const {
  const int64_t first_line = begin_ / kLineBytes + agent * lines_;
  const uint8_t* marks = marks_.data() + kBefore + (counts_ ? agent * lines_ : 0);
  if (watches_all_[agent]) marks = all_.data() + kBefore;
  return reinterpret_cast<int64_t>(marks) - first_line;
}

void Marks::WatchAll(int64_t agent, bool all) {
  if (all && all_.empty()) all_.assign(kBefore + lines_ + kAfter, kMany);
  watches_all_[agent] = all;
}

void Marks::Add(const Region& region) {
  ForEachMark(region, [](uint8_t mark) -> uint8_t { return mark + (mark != kMany); });
}

void Marks::Remove(const Region& region) {
  ForEachMark(region, [](uint8_t mark) -> uint8_t { return mark - (mark != kMany); });
}

template <typename Change>
void Marks::ForEachMark(const Region& region, Change change) {
  if (!counts_) return;
  const int64_t first_line = begin_ / kLineBytes;
  uint8_t* marks = marks_.data() + kBefore;
  int64_t previous = region.begin();
  int64_t done = -kBefore;  // one past the last mark that was changed
  region.ForEachRun([&](int64_t begin) {
    const int64_t end = (begin + region.run_bytes() - 1) / kLineBytes + 1 - first_line;
    const int64_t first = begin / kLineBytes - kBefore - first_line;
    // A line with many short runs is counted once.
    const int64_t start = begin >= previous ? std::max(first, done) : first;
    if (start < end) std::transform(marks + start, marks + end, marks + start, change);
    previous = begin;
    done = end;
  });
}

}  // namespace sdykit::checks
