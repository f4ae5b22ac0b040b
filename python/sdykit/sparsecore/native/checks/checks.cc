#include "checks.h"

#include <algorithm>
#include <utility>

namespace sdykit::checks {

namespace {

// Of a word that is added to atomically.
constexpr int64_t kWordBytes = 4;

}  // namespace

// Forgets the accesses that no later one can conflict with, once there are many: the time that this
// takes is that of the accesses since the last time.
void Checks::Forget() {
  if (accesses_.size() + shadow_.state_count() < forgets_at_) return;
  Renumbering accesses(accesses_.size());
  const size_t units = shadow_.KeepAccesses(accesses);
  transfers_.KeepAccesses(accesses);
  accesses.MoveTogether(accesses_);
  shadow_.Renumber(accesses);
  transfers_.Renumber(accesses);
  forgets_at_ = std::max({most_, 2 * (accesses_.size() + shadow_.state_count()),
                          units / kUnitsPerAccess});
}

std::vector<Finding> Checks::Enqueue(Transfer transfer) {
  Forget();
  std::vector<Finding> found;
  std::vector<Side> sides;
  sides.reserve(3);
  sides.push_back(SideOf(transfer, std::move(transfer.source), Action::kRead));
  if (transfer.offsets) {
    sides.push_back(SideOf(transfer, std::move(*transfer.offsets), Action::kRead));
  }
  for (const Side& read : sides) Add(read, nullptr, found);
  Side target = SideOf(transfer, std::move(transfer.target), transfer.action);
  Add(target, transfer.same, found);
  Compare(sides, target, found);
  if (transfer.source_semaphore) {
    transfers_.Start(*transfer.source_semaphore, transfer.source_amount, std::move(sides));
    sides.clear();
  }
  sides.push_back(std::move(target));
  transfers_.Start(transfer.semaphore, transfer.amount, std::move(sides));
  if (transfer.is_remote) clocks_.Release(transfer.agent, transfer.semaphore);
  return found;
}

std::vector<Finding> Checks::Touch(int64_t agent, int64_t place, const Region& region,
                                   Action action) {
  std::vector<Finding> found;
  const Access access{agent, place, action, clocks_.Now(agent)};
  for (const Side& side : transfers_.Of(agent)) {
    if (Conflict(action, side.action) && side.region.Overlaps(region)) {
      Report(Finding::kUnderWay, access, 0, accesses_[side.access], region.begin(), found);
    }
  }
  return found;
}

std::vector<Finding> Checks::Touch(int64_t agent, int64_t place, int64_t begin, int64_t end,
                                   Action action) {
  std::vector<Finding> found;
  for (const Side& side : transfers_.Of(agent)) {
    if (!Conflict(action, side.action) || !side.region.Overlaps(begin, end)) continue;
    const Access access{agent, place, action, clocks_.Now(agent)};
    Report(Finding::kUnderWay, access, 0, accesses_[side.access], begin, found);
  }
  return found;
}

void Checks::Wait(int64_t agent, int64_t semaphore, int64_t amount) {
  clocks_.Acquire(agent, semaphore);
  for (const AccessId each : transfers_.Complete(semaphore, amount)) {
    accesses_[each].end_agent = agent;
    accesses_[each].end = clocks_.Now(agent);
  }
}

std::vector<Finding> Checks::FetchAndAdd(int64_t agent, int64_t place, int64_t word) {
  std::vector<Finding> found;
  // What this addition learns comes too late to order it with a store.
  AddWord(agent, place, word, Action::kAdd, found);
  clocks_.Acquire(agent, word);
  clocks_.Release(agent, word);
  return found;
}

std::vector<Finding> Checks::TouchWord(int64_t agent, int64_t place, int64_t word, Action action) {
  std::vector<Finding> found;
  if (action == Action::kRead) {
    clocks_.Acquire(agent, word);
  } else {
    AddWord(agent, place, word, action, found);
  }
  return found;
}

// Collects what conflicts with an access to a word, which is done at once.
void Checks::AddWord(int64_t agent, int64_t place, int64_t word, Action action,
                     std::vector<Finding>& found) {
  Forget();
  const auto id = static_cast<AccessId>(accesses_.size());
  const int64_t now = clocks_.Now(agent);
  accesses_.push_back({agent, place, action, now, agent, now});
  AddShared({id, action, kShared, Region(word, {}, kWordBytes)}, nullptr, found);
}

Side Checks::SideOf(const Transfer& transfer, Memory memory, Action action) {
  const auto id = static_cast<AccessId>(accesses_.size());
  accesses_.push_back({transfer.agent, transfer.place, action, clocks_.Now(transfer.agent)});
  return {id, action, memory.owner, std::move(memory.region)};
}

// Collects what conflicts with a side of a transfer.
void Checks::Add(const Side& side, const Same* same, std::vector<Finding>& found) {
  const Access& access = accesses_[side.access];
  if (side.owner != kShared) {
    for (const Side& other : transfers_.Of(side.owner)) {
      if (Conflict(side.action, other.action) && other.region.Overlaps(side.region)) {
        Report(Finding::kUnderWay, access, 1, accesses_[other.access], side.region.begin(), found);
      }
    }
    return;
  }
  AddShared(side, same, found);
}

// The same for memory that others touch as well.
void Checks::AddShared(const Side& side, const Same* same, std::vector<Finding>& found) {
  const Access& access = accesses_[side.access];
  std::vector<AccessId> conflicts;
  shadow_.Apply(side.access, side.region, same, conflicts);
  for (const AccessId each : conflicts) {
    const Access& other = accesses_[each];
    const bool knows =
        other.agent == access.agent || clocks_.Knows(access.agent, other.agent, other.start);
    Report(knows ? Finding::kUnderWay : Finding::kRace, access, 1, other, side.region.begin(), found);
  }
}

// Collects what a transfer within an agent's memory writes though it reads it itself.
void Checks::Compare(const std::vector<Side>& reads, const Side& target,
                     std::vector<Finding>& found) {
  for (const Side& read : reads) {
    if (target.owner == kShared || read.owner != target.owner) continue;
    if (read.region.Overlaps(target.region)) {
      Report(Finding::kUnderWay, accesses_[target.access], 1, accesses_[read.access],
             target.region.begin(), found);
    }
  }
}

void Checks::Report(int64_t kind, const Access& access, int64_t transfer, const Access& other,
                    int64_t address, std::vector<Finding>& found) {
  const auto [low, high] = std::minmax(access.place, other.place);
  if (!pairs_.emplace(kind, low, high).second) return;
  found.push_back({kind, access.agent, access.place, access.action, transfer, other.agent,
                   other.place, other.action, address});
}

}  // namespace sdykit::checks
