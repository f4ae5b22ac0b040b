#include "clocks.h"

#include <algorithm>

namespace sdykit::checks {

Clocks::Clocks(int64_t agents) : clocks_(agents, Clock(agents, 0)) {
  for (int64_t agent = 0; agent < agents; ++agent) clocks_[agent][agent] = 1;
}

void Clocks::Raise(Clock& clock, const Clock& other) {
  for (size_t k = 0; k < clock.size(); ++k) clock[k] = std::max(clock[k], other[k]);
}

void Clocks::Release(int64_t agent, int64_t meeting) {
  Clock& left = met_.try_emplace(meeting, clocks_.size(), 0).first->second;
  Raise(left, clocks_[agent]);
  ++clocks_[agent][agent];
}

void Clocks::Acquire(int64_t agent, int64_t meeting) {
  const auto left = met_.find(meeting);
  if (left != met_.end()) Raise(clocks_[agent], left->second);
}

void Clocks::Join(const int64_t* agents, int64_t count) {
  Clock everything(clocks_.size(), 0);
  for (int64_t k = 0; k < count; ++k) Raise(everything, clocks_[agents[k]]);
  for (int64_t k = 0; k < count; ++k) {
    clocks_[agents[k]] = everything;
    ++clocks_[agents[k]][agents[k]];
  }
}

}  // namespace sdykit::checks
