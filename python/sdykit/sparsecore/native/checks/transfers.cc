#include "transfers.h"

#include <algorithm>

namespace sdykit::checks {

void Transfers::Start(int64_t semaphore, int64_t amount, std::vector<Side> sides) {
  Started started{amount, {}};
  started.sides.reserve(sides.size());
  for (Side& side : sides) {
    started.sides.emplace_back(side.access, side.owner);
    if (side.owner == kShared) continue;
    if (marks_ != nullptr) marks_->Add(side.region);
    private_[side.owner].push_back(std::move(side));
  }
  queues_[semaphore].started.push_back(std::move(started));
}

std::vector<AccessId> Transfers::Complete(int64_t semaphore, int64_t amount) {
  std::vector<AccessId> done;
  Queue& queue = queues_[semaphore];
  queue.waited += amount;
  while (!queue.started.empty() && queue.started.front().amount <= queue.waited) {
    queue.waited -= queue.started.front().amount;
    for (const auto& [access, owner] : queue.started.front().sides) {
      done.push_back(access);
      if (owner == kShared) continue;
      std::vector<Side>& sides = private_[owner];
      const auto found = std::find_if(sides.begin(), sides.end(),
                                      [id = access](const Side& side) { return side.access == id; });
      if (marks_ != nullptr) marks_->Remove(found->region);
      sides.erase(found);
    }
    queue.started.pop_front();
  }
  if (queue.started.empty()) queue.waited = 0;
  return done;
}

void Transfers::KeepAccesses(Renumbering& accesses) const {
  for (const auto& [semaphore, queue] : queues_) {
    for (const Started& each : queue.started) {
      for (const auto& [access, owner] : each.sides) accesses.Keep(access);
    }
  }
}

void Transfers::Renumber(const Renumbering& accesses) {
  for (auto& [semaphore, queue] : queues_) {
    for (Started& each : queue.started) {
      for (auto& [access, owner] : each.sides) access = accesses[access];
    }
  }
  for (std::vector<Side>& sides : private_) {
    for (Side& side : sides) side.access = accesses[side.access];
  }
}

}  // namespace sdykit::checks
