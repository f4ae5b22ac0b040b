// How a run ends: well, or with a report.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "machine.h"
#include "reports.h"

namespace sdykit::machine {

namespace {

// `End` of mosaic/reports.
constexpr int64_t kKernel = 0;
constexpr int64_t kRegion = 1;

// The numbers of semaphores in reports begin with this, as others do in memory.cc.
constexpr int64_t kSemaphore = int64_t{5} << 48;

void Store(int64_t* status, std::vector<int64_t> report, int64_t what = kHasReport) {
  status[1] = KeepReport(std::move(report));
  status[0] = what;
}

}  // namespace

void Machine::Report(const int64_t* numbers, size_t count) {
  if (status_[0] == 0) Store(status_, std::vector<int64_t>(numbers, numbers + count));
}

void Machine::Warn(const int64_t* report, size_t count) {
  warnings_.push_back(static_cast<int64_t>(count));
  warnings_.insert(warnings_.end(), report, report + count);
}

void Machine::EndWithoutMemory(int64_t place) {
  status_[1] = current_;
  status_[2] = place;
  status_[3] = 0;
  status_[0] = kNoMemory;
  Leave();
}

void Machine::ReportDeadlock() {
  std::vector<int64_t> report = {kDeadlock, kNobody, kNobody};
  for (const Agent& agent : agents_) {
    const auto waits = static_cast<int64_t>(agent.waits);
    report.insert(report.end(), {HeaderOf(agent.arena).agent, agent.place, waits});
    switch (agent.waits) {
      case Waits::kSemaphore:
      case Waits::kTransfer: {
        const int64_t number = NumberOf(*agent.semaphore) % description_.semaphores;
        report.insert(report.end(),
                      {agent.wanted, agent.semaphore->count(), kSemaphore + number});
        break;
      }
      case Waits::kBarrier:
        report.insert(report.end(), {agent.wanted, arrived_[agent.group], kNobody});
        break;
      case Waits::kNothing:
        report.end()[-2] = kNobody;
        report.insert(report.end(), {0, 0, kNobody});
        break;
      case Waits::kReady:
        report.insert(report.end(), {0, 0, agent.memory});
        break;
    }
  }
  Store(status_, std::move(report));
}

void Machine::CheckSemaphores(int64_t first, int64_t count, int64_t place) {
  for (int64_t number = first; number < first + count; ++number) {
    const Semaphore& semaphore = SemaphoreOf(kNobody, number, place);
    if (semaphore.count() == 0) continue;
    Fail(kSemaphoreNotZero, place, kRegion, semaphore.count(), semaphore.unwaited(),
         semaphore.signalled(), kSemaphore + number);
  }
}

void Machine::CheckAtEnd() {
  for (size_t at = 0; at < semaphores_.size(); ++at) {
    const Semaphore& semaphore = semaphores_[at];
    const auto number = static_cast<int64_t>(at) % description_.semaphores;
    if (semaphore.count() == 0 || IsPassed(number)) continue;
    const auto agent = static_cast<int64_t>(at) / description_.semaphores;
    const int64_t report[] = {kSemaphoreNotZero, agent, description_.place_of()[number], kKernel,
                              semaphore.count(), semaphore.unwaited(), semaphore.signalled(),
                              kSemaphore + number};
    Report(report, sizeof(report) / sizeof(report[0]));
    return;
  }
  PassSemaphoresOn();
  if (!warnings_.empty()) Store(status_, std::move(warnings_), kHasWarnings);
}

bool Machine::IsPassed(int64_t semaphore) const {
  const PassedSemaphores* begin = description_.passed_semaphores();
  return std::any_of(begin, begin + description_.passed,
                     [semaphore](const PassedSemaphores& each) { return each.Has(semaphore); });
}

// Gives all agents' semaphores the counts that the caller passes.
void Machine::TakePassedSemaphores() {
  for (int64_t k = 0; k < description_.passed; ++k) {
    const PassedSemaphores& passed = description_.passed_semaphores()[k];
    if (passed.input == kNobody) continue;
    const auto* counts = static_cast<const int32_t*>(buffers_[passed.input]);
    for (int64_t agent = 0; agent < description_.agents; ++agent) {
      Semaphore* own = &semaphores_[agent * description_.semaphores + passed.first];
      for (int64_t at = 0; at < passed.count; ++at) {
        own[at].Signal(counts[at], kNobody);
        if (events_ != nullptr && counts[at] != 0) events_->AddEarlier(NumberOf(own[at]), counts[at]);
      }
    }
  }
}

// Passes the largest counts of all agents on to the caller.
void Machine::PassSemaphoresOn() {
  for (int64_t k = 0; k < description_.passed; ++k) {
    const PassedSemaphores& passed = description_.passed_semaphores()[k];
    if (passed.output == kNobody) continue;
    auto* counts = static_cast<int32_t*>(buffers_[passed.output]);
    for (int64_t at = 0; at < passed.count; ++at) {
      int64_t largest = semaphores_[passed.first + at].count();
      for (int64_t agent = 1; agent < description_.agents; ++agent) {
        const int64_t own = agent * description_.semaphores + passed.first;
        largest = std::max(largest, semaphores_[own + at].count());
      }
      counts[at] = static_cast<int32_t>(largest);
    }
  }
}

}  // namespace sdykit::machine
