#include "loops.h"

#include <algorithm>

namespace sdykit::checks {

namespace {

constexpr int64_t kPageBytes = 256;

// Returns the largest power of two, a page at most, that divides two positions in a page.
int64_t UnitOf(int64_t begin, int64_t end) {
  const int64_t both = begin | end | kPageBytes;
  return both & -both;
}

}  // namespace

template <typename Function>
void ParallelLoop::ForEachUnit(int64_t begin, int64_t end, Function function) {
  for (int64_t at = begin; at < end;) {
    const int64_t first = at / kPageBytes * kPageBytes;
    const int64_t stop = std::min(end, first + kPageBytes);
    Page& page = pages_[first];
    const int64_t unit_bytes = UnitOf(at - first, stop - first);
    if (page.units.empty()) {
      page.unit_bytes = unit_bytes;
      page.units.resize(kPageBytes / unit_bytes);
    } else if (unit_bytes < page.unit_bytes) {
      Split(page, unit_bytes);
    }
    const int64_t last = (stop - first) / page.unit_bytes;
    for (int64_t k = (at - first) / page.unit_bytes; k < last; ++k) function(page.units[k]);
    at = stop;
  }
}

void ParallelLoop::Split(Page& page, int64_t unit_bytes) {
  std::vector<Unit> units(kPageBytes / unit_bytes);
  for (size_t k = 0; k < units.size(); ++k) units[k] = page.units[k * unit_bytes / page.unit_bytes];
  page = {unit_bytes, std::move(units)};
}

void ParallelLoop::Forget(int64_t begin, int64_t end) {
  if (pages_.empty()) return;
  ForEachUnit(begin, end, [](Unit& unit) { unit = Unit{}; });
}

std::optional<LoopAccess> ParallelLoop::Touch(int64_t begin, int64_t end, int64_t place,
                                              Action action) {
  const LoopAccess access{iteration_, place, action};
  std::optional<LoopAccess> found;
  ForEachUnit(begin, end, [&](Unit& unit) {
    if (!found) {
      const LoopAccess conflict = ConflictOf(unit, access);
      if (conflict.iteration >= 0) found = conflict;
    }
    Remember(action == Action::kRead ? unit.readers : unit.writers, access);
  });
  return found;
}

// Keeps the access, and the last one of another iteration before it.
void ParallelLoop::Remember(Pair& pair, const LoopAccess& access) {
  if (pair[1].iteration != access.iteration) pair[0] = pair[1];
  pair[1] = access;
}

// Returns the first access that conflicts with one: a writer before a reader.
LoopAccess ParallelLoop::ConflictOf(const Unit& unit, const LoopAccess& access) {
  for (const LoopAccess& each : unit.writers) {
    const bool both_add = each.action == Action::kAdd && access.action == Action::kAdd;
    if (each.iteration >= 0 && each.iteration != access.iteration && !both_add) return each;
  }
  if (access.action == Action::kRead) return {};
  for (const LoopAccess& each : unit.readers) {
    if (each.iteration >= 0 && each.iteration != access.iteration) return each;
  }
  return {};
}

}  // namespace sdykit::checks
