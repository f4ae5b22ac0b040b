#include "events.h"

#include <array>
#include <optional>
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
    Numbers report{};
    {
      const std::vector<Finding> found = Start(event);
      CountUnderWay(event);
      if (found.empty()) return;
      report = NumbersOf(found.front());
    }
    Fail(report);
  }

  void Touch(int64_t agent, int64_t address, int64_t bytes, int64_t action,
             int64_t place) override {
    Numbers report{};
    {
      const std::vector<Finding> found =
          checks_.Touch(agent, place, address, address + bytes, static_cast<Action>(action));
      if (!found.empty()) report = NumbersOf(found.front());
    }
    if (report[0] != 0) Fail(report);
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

  void Wait(int64_t agent, int64_t semaphore, int64_t amount) override {
    checks_.Wait(agent, semaphore, amount);
    for (int64_t each = 0; has_remote_ && each < memory_.agents(); ++each) Count(each);
    Count(agent);
  }

  void Barrier(const int64_t* agents, int64_t count) override { checks_.Barrier(agents, count); }

  void FetchAndAdd(int64_t agent, const char* word) override {
    checks_.FetchAndAdd(agent, reinterpret_cast<int64_t>(word));
  }

  checks::Ranges Touched() const override { return checks_.Touched(); }

  bool HasReadUnwritten() const override { return checks_.HasReadUnwritten(); }

 private:
  // A finding in the order of the fields of its report.
  using Numbers = std::array<int64_t, 8>;

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

  // Ends the run if an access depends on another iteration of a loop, the outermost first.
  void CompareIterations(int64_t agent, int64_t address, int64_t bytes, int64_t action,
                         int64_t place) {
    for (checks::ParallelLoop& loop : loops_[agent]) {
      const auto found =
          loop.Touch(address, address + bytes, place, static_cast<Action>(action));
      if (!found) continue;
      machine_.Fail(kDependentIterations, place, action, loop.iteration(), found->place,
                    static_cast<int64_t>(found->action), found->iteration,
                    memory_.NumberOf(address), loop.place());
    }
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

  Numbers NumbersOf(const Finding& finding) const {
    const auto action = static_cast<int64_t>(finding.action);
    const auto other_action = static_cast<int64_t>(finding.other_action);
    const int64_t memory = memory_.NumberOf(finding.address);
    if (finding.kind == Finding::kRace) {
      return {finding.kind,  finding.place, action, finding.other, finding.other_place,
              other_action, memory,        0};
    }
    return {finding.kind,        finding.place, action, finding.transfer, finding.other,
            finding.other_place, other_action,  memory};
  }

  [[noreturn]] void Fail(const Numbers& n) {
    if (n[0] == Finding::kRace) machine_.Fail(n[0], n[1], n[2], n[3], n[4], n[5], n[6]);
    machine_.Fail(n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7]);
  }

  Machine& machine_;
  MemoryMap memory_;
  int64_t semaphores_;
  checks::Marks& marks_;
  checks::Checks checks_;
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
