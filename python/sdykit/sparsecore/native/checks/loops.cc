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

bool IsAccess(const LoopAccess& each) { return each.iteration != LoopAccess::kNone; }

bool IsOfAnother(const LoopAccess& each, const LoopAccess& access) {
  return IsAccess(each) && each.iteration != access.iteration;
}

// Whether an access reads bytes that its own iteration has written, and nobody has added to.
bool KnowsBytes(const std::array<LoopAccess, 2>& writers, const LoopAccess& access) {
  bool knows = false;
  for (const LoopAccess& each : writers) {
    if (!IsAccess(each)) continue;
    if (each.action == Action::kAdd) return false;
    knows = knows || each.iteration == access.iteration;
  }
  return knows;
}

// Whether an access is forgotten for a later one; see `Shadow::Supersedes`.
bool IsSuperseded(const LoopAccess& each, const LoopAccess& later) {
  if (!IsAccess(each)) return true;
  if (later.action == Action::kAdd && each.action != Action::kAdd) return false;
  return each.iteration == later.iteration;
}

// Leaves those that the access does not supersede, and itself if it is one of them: the last two.
void Remember(std::array<LoopAccess, 2>& pair, const LoopAccess& access, bool is_new) {
  LoopAccess left[3];
  int count = 0;
  for (const LoopAccess& each : pair) {
    if (!IsSuperseded(each, access)) left[count++] = each;
  }
  if (is_new) left[count++] = access;
  const int first = count > 2 ? 1 : 0;
  pair = {left[first], left[first + 1]};
}

void AddNew(const LoopAccess& access, std::vector<LoopAccess>& found) {
  const auto is_same = [&access](const LoopAccess& each) {
    return each.iteration == access.iteration && each.place == access.place &&
           each.action == access.action;
  };
  if (std::none_of(found.begin(), found.end(), is_same)) found.push_back(access);
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

std::vector<LoopAccess> ParallelLoop::Touch(int64_t begin, int64_t end, int64_t place,
                                            Action action) {
  const LoopAccess access{iteration_, static_cast<int32_t>(place), action};
  std::vector<LoopAccess> conflicts;
  ForEachUnit(begin, end, [&](Unit& unit) { Apply(access, unit, conflicts); });
  return conflicts;
}

// Adds what an access to a unit conflicts with, and remembers it.
void ParallelLoop::Apply(const LoopAccess& access, Unit& unit,
                         std::vector<LoopAccess>& conflicts) {
  const bool is_read = access.action == Action::kRead;
  const bool knows_bytes = is_read && KnowsBytes(unit.writers, access);
  for (const LoopAccess& each : unit.writers) {
    const bool both_add = each.action == Action::kAdd && access.action == Action::kAdd;
    const bool is_known = each.action == Action::kWrite && knows_bytes;
    if (IsOfAnother(each, access) && !both_add && !is_known) AddNew(each, conflicts);
  }
  if (!is_read) {
    for (const Pair* pair : {&unit.readers, &unit.knowing}) {
      for (const LoopAccess& each : *pair) {
        if (IsOfAnother(each, access)) AddNew(each, conflicts);
      }
    }
    Remember(unit.writers, access, true);
  }
  Remember(unit.readers, access, is_read && !knows_bytes);
  Remember(unit.knowing, access, knows_bytes);
}

}  // namespace sdykit::checks
