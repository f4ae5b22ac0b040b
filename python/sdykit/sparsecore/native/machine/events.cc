#include "events.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "../checks/checks.h"
#include "../checks/loops.h"
#include "comparison.h"
#include "machine.h"
#include "memory.h"

namespace sdykit::machine {

namespace {

using checks::Action;
using checks::Finding;

// Gives events to the checks, and ends the run at what they find.
class Checker final : public Events {
 public:
  Checker(Machine& machine, const MemoryMap& memory, int64_t agents, int64_t semaphores,
          checks::Marks& marks)
      : machine_(machine),
        memory_(memory),
        semaphores_(semaphores),
        marks_(marks),
        checks_(agents, &marks),
        loops_(agents) {}

  void Enqueue(const TransferEvent& event) override {
    Numbers report;
    {
      const std::vector<Finding> found = Start(event);
      CountUnderWay(event);
      TellAll(found, report);
    }
    FailIfAny(report);
  }

  void Touch(int64_t agent, int64_t address, int64_t bytes, int64_t action,
             int64_t place) override {
    Numbers report;
    {
      const std::vector<Finding> found =
          checks_.Touch(agent, place, address, address + bytes, static_cast<Action>(action));
      TellAll(found, report);
    }
    FailIfAny(report);
    CompareIterations(agent, address, bytes, action, place);
  }

  void Allocate(int64_t agent, int64_t address, int64_t bytes) override {
    for (checks::ParallelLoop& loop : loops_[agent]) loop.Forget(address, address + bytes);
  }

  void BeginLoop(int64_t agent, int64_t place) override {
    loops_[agent].emplace_back(place);
    CountLoops(agent);
  }

  void NextIteration(int64_t agent) override { loops_[agent].back().Next(); }

  void EndLoop(int64_t agent) override {
    loops_[agent].pop_back();
    CountLoops(agent);
  }

  void Signal(int64_t agent, int64_t semaphore) override { checks_.Signal(agent, semaphore); }

  void AddEarlier(int64_t semaphore, int64_t amount) override {
    checks_.AddEarlier(semaphore, amount);
  }

  void Wait(int64_t agent, int64_t semaphore, int64_t amount) override {
    checks_.Wait(agent, semaphore, amount);
    for (int64_t each = 0; has_remote_ && each < memory_.agents(); ++each) Count(each);
    Count(agent);
  }

  void Barrier(const int64_t* agents, int64_t count) override { checks_.Barrier(agents, count); }

  void FetchAndAdd(int64_t agent, int64_t address, int64_t place) override {
    Numbers report;
    TellAll(checks_.FetchAndAdd(agent, place, address), report);
    FailIfAny(report);
  }

  void TouchWord(int64_t agent, int64_t address, int64_t action, int64_t place) override {
    Numbers report;
    TellAll(checks_.TouchWord(agent, place, address, static_cast<Action>(action)), report);
    FailIfAny(report);
  }

  checks::Ranges Touched() const override { return checks_.Touched(); }

  bool HasReadUnwritten() const override { return checks_.HasReadUnwritten(); }

 private:
  // A report: kind, agent, place and further fields.
  struct Numbers {
    std::array<int64_t, 10> values{};
    size_t count = 0;

    template <typename... More>
    static Numbers Of(More... numbers) {
      return {{static_cast<int64_t>(numbers)...}, sizeof...(numbers)};
    }
  };

  // Warns of something that is wrong, or keeps the first such report.
  void Tell(const Numbers& report, Numbers& first) {
    if (machine_.warns()) {
      machine_.Warn(report.values.data(), report.count);
    } else if (first.count == 0) {
      first = report;
    }
  }

  void TellAll(const std::vector<Finding>& found, Numbers& first) {
    for (const Finding& each : found) Tell(NumbersOf(each), first);
  }

  // Ends the run with a report. The frames of the caller are left as they are.
  void FailIfAny(const Numbers& report) {
    if (report.count != 0) machine_.FailWith(report.values.data(), report.count);
  }

  std::vector<Finding> Start(const TransferEvent& event) {
    const Comparison comparison(event);
    const checks::Same same = [&comparison](int64_t begin, int64_t end) {
      return comparison(begin, end);
    };
    checks::Transfer transfer{event.agent,
                              event.place,
                              event.adds ? Action::kAdd : Action::kWrite,
                              event.semaphore,
                              event.bytes,
                              memory_.Of(event.source),
                              memory_.Of(event.target),
                              std::nullopt,
                              comparison.is_possible() ? &same : nullptr,
                              IsRemote(event),
                              std::nullopt,
                              event.source_bytes};
    if (event.offsets != nullptr) transfer.offsets = memory_.OfOffsets(event);
    if (event.source_semaphore != kNobody) transfer.source_semaphore = event.source_semaphore;
    std::vector<Finding> found = checks_.Enqueue(std::move(transfer));
    if (event.semaphore == kNobody) checks_.Wait(event.agent, kNobody, event.bytes);
    return found;
  }

  bool IsRemote(const TransferEvent& event) const {
    return event.semaphore != kNobody && event.semaphore / semaphores_ != event.agent;
  }

  // Compares an access with those of other iterations of all loops, the outermost first.
  void CompareIterations(int64_t agent, int64_t address, int64_t bytes, int64_t action,
                         int64_t place) {
    Numbers report;
    for (checks::ParallelLoop& loop : loops_[agent]) {
      const auto found =
          loop.Touch(address, address + bytes, place, static_cast<Action>(action));
      for (const checks::LoopAccess& each : found) {
        const int64_t other = each.place;
        if (!loop_pairs_.emplace(std::min(place, other), std::max(place, other)).second) continue;
        Tell(Numbers::Of(kDependentIterations, agent, place, action, loop.iteration(), each.place,
                         each.action, each.iteration, memory_.NumberOf(address), loop.place()),
             report);
      }
    }
    FailIfAny(report);
  }

  void CountUnderWay(const TransferEvent& event) {
    Count(event.agent);
    const int64_t owner = memory_.OwnerOf(event.target.base);
    if (owner == checks::kShared || owner == event.agent) return;
    has_remote_ = true;
    Count(owner);
  }

  // Tells machine code whether loads and stores of an agent have to be compared.
  void Count(int64_t agent) {
    const size_t count = checks_.UnderWay(agent).size() + loops_[agent].size();
    memory_.HeaderOf(agent).under_way = static_cast<int64_t>(count);
  }

  // Tells machine code whether a loop compares all loads and stores of an agent.
  void CountLoops(int64_t agent) {
    marks_.WatchAll(agent, !loops_[agent].empty());
    memory_.HeaderOf(agent).marks = marks_.Of(agent);
    Count(agent);
  }

  Numbers NumbersOf(const Finding& f) const {
    const int64_t memory = memory_.NumberOf(f.address);
    if (f.kind == Finding::kRace) {
      return Numbers::Of(f.kind, f.agent, f.place, f.action, f.other, f.other_place,
                         f.other_action, memory);
    }
    return Numbers::Of(f.kind, f.agent, f.place, f.action, f.transfer, f.other, f.other_place,
                       f.other_action, memory);
  }

  Machine& machine_;
  MemoryMap memory_;
  int64_t semaphores_;
  checks::Marks& marks_;
  checks::Checks checks_;
  std::set<std::pair<int64_t, int64_t>> loop_pairs_;  // of lines that have been reported
  std::vector<std::vector<checks::ParallelLoop>> loops_;  // of each agent, the innermost last
  bool has_remote_ = false;  // whether a transfer touches the memory of another agent
};

}  // namespace

std::unique_ptr<Events> MakeEvents(Machine& machine, const Settings& settings,
                                   const Description& description, void* const* buffers,
                                   char* scratch, checks::Marks& marks) {
  if (settings.checks == 0 || settings.races == 0) return nullptr;
  const MemoryMap memory(description, buffers, scratch);
  return std::make_unique<Checker>(machine, memory, description.agents, description.semaphores,
                                   marks);
}

}  // namespace sdykit::machine
