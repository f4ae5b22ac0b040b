#include "transfers.h"

#include <algorithm>

namespace sdykit::checks {

// Forgets the first one. Memory is given back as often as there are as many that are forgotten as not.
void Transfers::Queue::Pop() {
  ++first;
  if (2 * first < started.size()) return;
  started.erase(started.begin(), started.begin() + static_cast<std::ptrdiff_t>(first));
  first = 0;
}

void Transfers::Start(int64_t semaphore, int64_t amount, std::vector<Side> sides) {
  Started started{amount};
  for (Side& side : sides) {
    started.Add(side.access, side.owner);
    if (side.owner == kShared) continue;
    if (marks_ != nullptr) marks_->Add(side.region);
    private_[side.owner].push_back(std::move(side));
  }
  queues_[semaphore].started.push_back(started);
}

std::vector<AccessId> Transfers::Complete(int64_t semaphore, int64_t amount) {
  std::vector<AccessId> done;
  Queue& queue = queues_[semaphore];
  queue.waited += amount;
  while (!queue.is_empty() && queue.started[queue.first].amount <= queue.waited) {
    queue.waited -= queue.started[queue.first].amount;
    for (const auto& [access, owner] : queue.started[queue.first]) {
      done.push_back(access);
      if (owner == kShared) continue;
      std::vector<Side>& sides = private_[owner];
      const auto found = std::find_if(sides.begin(), sides.end(),
                                      [id = access](const Side& side) { return side.access == id; });
      if (marks_ != nullptr) marks_->Remove(found->region);
      sides.erase(found);
    }
    queue.Pop();
  }
  if (queue.is_empty()) queue.waited = 0;
  return done;
}

void Transfers::KeepAccesses(Renumbering& accesses) const {
  for (const auto& [semaphore, queue] : queues_) {
    for (size_t at = queue.first; at < queue.started.size(); ++at) {
      for (const auto& [access, owner] : queue.started[at]) accesses.Keep(access);
    }
  }
}

void Transfers::Renumber(const Renumbering& accesses) {
  for (auto& [semaphore, queue] : queues_) {
    for (size_t at = queue.first; at < queue.started.size(); ++at) {
      for (auto& [access, owner] : queue.started[at]) access = accesses[access];
    }
  }
  for (std::vector<Side>& sides : private_) {
    for (Side& side : sides) side.access = accesses[side.access];
  }
}

}  // namespace sdykit::checks
