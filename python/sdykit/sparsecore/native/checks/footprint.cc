#include "footprint.h"

#include <algorithm>

namespace sdykit::checks {

void Append(Range range, Ranges& ranges) {
  if (!ranges.empty() && ranges.back().end == range.begin &&
      ranges.back().is_written == range.is_written) {
    ranges.back().end = range.end;
  } else {
    ranges.push_back(range);
  }
}

void Sort(Ranges& ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const Range& left, const Range& right) { return left.begin < right.begin; });
}

bool DoMeet(const Ranges& ranges) {
  int64_t end = INT64_MIN;  // of those before
  int64_t written_end = INT64_MIN;
  for (const Range& range : ranges) {
    // A range before it that it overlaps is another agent's.
    if (range.begin < (range.is_written ? end : written_end)) return true;
    end = std::max(end, range.end);
    if (range.is_written) written_end = std::max(written_end, range.end);
  }
  return false;
}

}  // namespace sdykit::checks
