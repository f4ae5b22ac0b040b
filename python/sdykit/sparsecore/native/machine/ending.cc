// How a run ends: well, or with a report.

#include <vector>

#include "machine.h"
#include "reports.h"

namespace sdykit::machine {

namespace {

// `End` of mosaic/reports.
constexpr int64_t kKernel = 0;
constexpr int64_t kRegion = 1;

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

void Machine::ReportDeadlock() {
  std::vector<int64_t> report = {kDeadlock, kNobody, kNobody};
  for (const Agent& agent : agents_) {
    const bool waits = agent.waits == Waits::kSemaphore || agent.waits == Waits::kTransfer;
    const bool is_done = agent.waits == Waits::kNothing;
    int64_t count = 0;
    if (waits || agent.is_poll) count = agent.semaphore->count();
    if (agent.waits == Waits::kBarrier) count = arrived_[agent.group];
    const int64_t wanted = waits || agent.waits == Waits::kBarrier ? agent.wanted : 0;
    report.insert(report.end(), {HeaderOf(agent.arena).agent, is_done ? kNobody : agent.place,
                                 static_cast<int64_t>(agent.waits), wanted, count});
  }
  Store(status_, std::move(report));
}

void Machine::CheckSemaphores(int64_t first, int64_t count, int64_t place) {
  for (int64_t number = first; number < first + count; ++number) {
    const Semaphore& semaphore = SemaphoreOf(kNobody, number);
    if (semaphore.count() == 0) continue;
    Fail(kSemaphoreNotZero, place, kRegion, semaphore.count(), semaphore.unwaited());
  }
}

void Machine::CheckAtEnd() {
  for (size_t at = 0; at < semaphores_.size(); ++at) {
    const Semaphore& semaphore = semaphores_[at];
    if (semaphore.count() == 0) continue;
    const auto agent = static_cast<int64_t>(at) / description_.semaphores;
    const auto number = static_cast<int64_t>(at) % description_.semaphores;
    const int64_t report[] = {kSemaphoreNotZero, agent, description_.place_of()[number], kKernel,
                              semaphore.count(), semaphore.unwaited()};
    Report(report, sizeof(report) / sizeof(report[0]));
    return;
  }
  if (!warnings_.empty()) Store(status_, std::move(warnings_), kHasWarnings);
}

}  // namespace sdykit::machine
