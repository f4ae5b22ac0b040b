#include "shadow.h"

#include <algorithm>

namespace sdykit::checks {

namespace {

constexpr int64_t kPageBytes = 4096;
constexpr int64_t kWordBytes = 4;

bool Has(const std::vector<AccessId>& accesses, AccessId access) {
  return std::find(accesses.begin(), accesses.end(), access) != accesses.end();
}

// Returns the largest power of two, a page at most, that divides two positions in a page; 1 if it is a
// part of a word.
int64_t UnitOf(int64_t begin, int64_t end) {
  const int64_t both = begin | end | kPageBytes;
  const int64_t largest = both & -both;
  return largest < kWordBytes ? 1 : largest;
}

// Returns one past the last unit of those from `at` on, before `stop`, that have the same state.
int64_t EndOfRun(const uint32_t* units, int64_t at, int64_t stop) {
  constexpr int64_t kAtOnce = 32;
  const uint32_t state = units[at];
  const auto are_same = [&](int64_t first) {
    uint32_t different = 0;
    for (int64_t k = first; k < first + kAtOnce; ++k) different |= units[k] ^ state;
    return different == 0;
  };
  while (at + kAtOnce <= stop && are_same(at)) at += kAtOnce;
  while (at < stop && units[at] == state) ++at;
  return at;
}

}  // namespace

void Shadow::Apply(AccessId access, const Region& region, const Same* same,
                   std::vector<AccessId>& conflicts) {
  access_ = access;
  same_ = same;
  conflicts_ = &conflicts;
  steps_.clear();
  last_step_ = 0;
  int64_t position = 0;
  region.ForEachRun([&](int64_t begin) {
    const int64_t end = begin + region.run_bytes();
    for (int64_t at = begin; at < end;) {
      const int64_t page = at / kPageBytes;
      const int64_t first = page * kPageBytes;
      const int64_t stop = std::min(end, first + kPageBytes);
      ApplyTo(pages_[page], at - first, stop - first, position);
      position += stop - at;
      at = stop;
    }
  });
}

template <typename Function>
void Shadow::ForEachList(Function function) {
  for (State& state : states_) {
    for (auto* list : {&state.writers, &state.readers, &state.knowing}) function(*list);
  }
}

template <typename Function>
void Shadow::ForEachUsed(Function function) {
  for (auto& [number, page] : pages_) {
    if (page.units.empty()) function(page.state);
    for (StateId& state : page.units) function(state);
  }
}

size_t Shadow::KeepAccesses(Renumbering& accesses) {
  Renumbering states(states_.size());
  states.Keep(0);
  size_t units = 0;
  ForEachUsed([&](StateId& state) {
    states.Keep(state);
    ++units;
  });
  states.MoveTogether(states_);
  ForEachUsed([&](StateId& state) { state = states[state]; });
  ForEachList([&](const std::vector<AccessId>& list) {
    for (const AccessId each : list) accesses.Keep(each);
  });
  return units;
}

void Shadow::Renumber(const Renumbering& accesses) {
  ForEachList([&](std::vector<AccessId>& list) {
    for (AccessId& each : list) each = accesses[each];
  });
}

Ranges Shadow::Touched() const {
  std::vector<int64_t> numbers;
  numbers.reserve(pages_.size());
  for (const auto& [number, page] : pages_) numbers.push_back(number);
  std::sort(numbers.begin(), numbers.end());
  Ranges ranges;
  for (const int64_t number : numbers) AddTouched(number * kPageBytes, pages_.at(number), ranges);
  return ranges;
}

// Adds what has been touched of a page that begins at an address.
void Shadow::AddTouched(int64_t begin, const Page& page, Ranges& ranges) const {
  const auto add = [&](int64_t from, int64_t to, StateId state) {
    if (state != 0) Append({begin + from, begin + to, !states_[state].writers.empty()}, ranges);
  };
  if (page.units.empty()) return add(0, kPageBytes, page.state);
  const auto count = static_cast<int64_t>(page.units.size());
  for (int64_t at = 0; at < count;) {
    const int64_t next = EndOfRun(page.units.data(), at, count);
    add(at * page.unit_bytes, next * page.unit_bytes, page.units[at]);
    at = next;
  }
}

// Applies the access to the bytes [begin, end) of a page; `position` is that of the first in the
// order of the region's elements.
void Shadow::ApplyTo(Page& page, int64_t begin, int64_t end, int64_t position) {
  if (page.units.empty() && begin == 0 && end == kPageBytes) {
    page.state = Next(page.state, position, position + end, kWordBytes);
    return;
  }
  const int64_t unit_bytes = UnitOf(begin, end);
  if (page.units.empty() || unit_bytes < page.unit_bytes) Split(page, unit_bytes);
  const int64_t bytes = page.unit_bytes;
  StateId* units = page.units.data();
  const int64_t stop = end / bytes;
  for (int64_t at = begin / bytes; at < stop;) {
    const StateId state = units[at];
    const int64_t next = EndOfRun(units, at, stop);
    const int64_t first = position + at * bytes - begin;
    const int64_t compared_bytes = std::min(bytes, kWordBytes);
    const StateId new_state = Next(state, first, first + (next - at) * bytes, compared_bytes);
    std::fill(units + at, units + next, new_state);
    at = next;
  }
}

void Shadow::Split(Page& page, int64_t unit_bytes) {
  if (page.units.empty()) {
    page.units.assign(kPageBytes / unit_bytes, page.state);
  } else {
    std::vector<StateId> units(kPageBytes / unit_bytes);
    const int64_t parts = page.unit_bytes / unit_bytes;
    for (size_t k = 0; k < units.size(); ++k) units[k] = page.units[k / parts];
    page.units = std::move(units);
  }
  page.unit_bytes = unit_bytes;
}

// Returns the state of some bytes after the access, and collects its conflicts there: those of the
// first word or byte first.
Shadow::StateId Shadow::Next(StateId from, int64_t begin, int64_t end, int64_t unit_bytes) {
  const Step& step = StepFrom(from);
  if (step.conflicts.empty()) return step.to;
  if (!step.asks_same || same_ == nullptr) {
    Collect(step, false);
    return step.to;
  }
  for (int64_t at = begin; at < end; at += unit_bytes) Collect(step, (*same_)(at, at + unit_bytes));
  return step.to;
}

// Collects the conflicts of bytes that stay the same, or do not.
void Shadow::Collect(const Step& step, bool is_same) {
  for (const auto& [access, unless_same] : step.conflicts) {
    if (is_same && unless_same) continue;
    if (!Has(*conflicts_, access)) conflicts_->push_back(access);
  }
}

const Shadow::Step& Shadow::StepFrom(StateId from) {
  if (last_step_ < steps_.size() && steps_[last_step_].from == from) return steps_[last_step_];
  for (last_step_ = 0; last_step_ < steps_.size(); ++last_step_) {
    if (steps_[last_step_].from == from) return steps_[last_step_];
  }
  const Access& access = accesses_[access_];
  const State& old = states_[from];
  Step step{from, static_cast<StateId>(states_.size()), {}, false};
  if (access.action == Action::kRead && old.writers.empty()) has_read_unwritten_ = true;
  const bool knows_bytes = KnowsBytes(old, access);
  for (const AccessId each : old.writers) {
    const Access& writer = accesses_[each];
    if (each == access_ || BothAdd(writer, access) || IsBefore(writer, access)) continue;
    if (knows_bytes && writer.action == Action::kWrite) continue;
    step.conflicts.push_back({each, BothWrite(writer, access)});
    step.asks_same = step.asks_same || BothWrite(writer, access);
  }
  if (access.action != Action::kRead) {
    AddReaders(old.readers, false, step);
    AddReaders(old.knowing, access.action == Action::kWrite, step);
  }
  states_.push_back(After(old, access));
  steps_.push_back(std::move(step));
  return steps_.back();
}

// Adds reads that the write that is applied conflicts with.
void Shadow::AddReaders(const std::vector<AccessId>& readers, bool unless_same, Step& step) const {
  for (const AccessId each : readers) {
    if (IsBefore(accesses_[each], accesses_[access_])) continue;
    step.conflicts.push_back({each, unless_same});
    step.asks_same = step.asks_same || unless_same;
  }
}

// Returns what is to be remembered once the access is done.
Shadow::State Shadow::After(const State& old, const Access& access) const {
  const bool knows_bytes = KnowsBytes(old, access);
  const bool is_read = access.action == Action::kRead;
  return {is_read ? old.writers : Left(old.writers, true),
          Left(old.readers, is_read && !knows_bytes), Left(old.knowing, knows_bytes)};
}

// Whether an access reads bytes that one of their writers has written before: all of these have
// written the same bytes, and nobody has added to them.
bool Shadow::KnowsBytes(const State& state, const Access& access) const {
  if (access.action != Action::kRead) return false;
  const auto begin = state.writers.begin();
  const auto end = state.writers.end();
  const bool all_write = std::all_of(
      begin, end, [&](AccessId each) { return accesses_[each].action == Action::kWrite; });
  return all_write &&
         std::any_of(begin, end, [&](AccessId each) { return IsBefore(accesses_[each], access); });
}

// Whether all that conflicts with an access conflicts with a later one, too. What conflicts with a
// read or a write may be an addition, which another does not conflict with.
bool Shadow::Supersedes(const Access& later, const Access& earlier) const {
  if (later.action == Action::kAdd && earlier.action != Action::kAdd) return false;
  return IsBefore(earlier, later);
}

// Returns the accesses that the one that is applied leaves, and itself if it is one of them.
std::vector<AccessId> Shadow::Left(const std::vector<AccessId>& accesses, bool is_new) const {
  std::vector<AccessId> left;
  for (const AccessId each : accesses) {
    if (each != access_ && !Supersedes(accesses_[access_], accesses_[each])) left.push_back(each);
  }
  if (is_new) left.push_back(access_);
  return left;
}

}  // namespace sdykit::checks
