#include "loops.h"

#include <algorithm>

namespace sdykit::checks {

namespace {

constexpr int64_t kPageBytes = 4096;
constexpr int64_t kWordBytes = 4;

}  // namespace

template <typename Function>
void ParallelLoop::ForEachUnit(int64_t begin, int64_t end, Function function) {
  const bool is_whole = begin % kWordBytes == 0 && end % kWordBytes == 0;
  for (int64_t at = begin; at < end;) {
    const int64_t first = at / kPageBytes * kPageBytes;
    const int64_t stop = std::min(end, first + kPageBytes);
    Page& page = pages_[first];
    if (page.units.empty()) {
      page.unit_bytes = is_whole ? kWordBytes : 1;
      page.units.resize(kPageBytes / page.unit_bytes);
    } else if (!is_whole && page.unit_bytes != 1) {
      std::vector<Unit> bytes(kPageBytes);
      for (int64_t k = 0; k < kPageBytes; ++k) bytes[k] = page.units[k / page.unit_bytes];
      page = {1, std::move(bytes)};
    }
    const int64_t last = (stop - first) / page.unit_bytes;
    for (int64_t k = (at - first) / page.unit_bytes; k < last; ++k) function(page.units[k]);
    at = stop;
  }
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
