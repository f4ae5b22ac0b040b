// What agents have touched of the memory that they share, when all of them have ended.

#ifndef SDYKIT_SPARSECORE_CHECKS_FOOTPRINT_H_
#define SDYKIT_SPARSECORE_CHECKS_FOOTPRINT_H_

#include <cstdint>
#include <vector>

namespace sdykit::checks {

// Bytes that an agent has touched.
struct Range {
  int64_t begin;
  int64_t end;
  bool is_written;  // or they were only read
};

// The ranges of one agent do not overlap.
using Ranges = std::vector<Range>;

// Adds a range that begins at or after the end of the last one.
void Append(Range range, Ranges& ranges);

// Sorts the ranges of several agents by where they begin.
void Sort(Ranges& ranges);

// Whether two agents have touched the same byte, and one of them wrote it. The ranges are sorted.
bool DoMeet(const Ranges& ranges);

// Calls `visit(begin, end)` for the bytes of [begin, end) that nobody wrote. The ranges are sorted.
template <typename Visit>
void ForEachGap(const Ranges& ranges, int64_t begin, int64_t end, Visit visit) {
  for (const Range& range : ranges) {
    if (begin >= end || range.begin >= end) break;
    if (!range.is_written || range.end <= begin) continue;
    if (begin < range.begin) visit(begin, range.begin);
    begin = range.end;
  }
  if (begin < end) visit(begin, end);
}

}  // namespace sdykit::checks

#endif  // SDYKIT_SPARSECORE_CHECKS_FOOTPRINT_H_
