// The machine: agents that run one at a time, their semaphores, and who goes on when one waits.

#ifndef SDYKIT_SPARSECORE_MACHINE_MACHINE_H_
#define SDYKIT_SPARSECORE_MACHINE_MACHINE_H_

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <set>
#include <vector>

#include "events.h"
#include "fiber.h"
#include "run.h"
#include "semaphore.h"
#include "stacks.h"

namespace sdykit::machine {

// The kinds of reports that the runtime makes: those of mosaic/reports.
inline constexpr int64_t kBadCall = 0;
inline constexpr int64_t kOffsetOutOfBounds = 3;
inline constexpr int64_t kDeadlock = 4;
inline constexpr int64_t kSemaphoreNotZero = 5;
inline constexpr int64_t kDependentIterations = 11;

// What an agent does at a switch point: `Waits` of mosaic/reports. One that is ready in a deadlock
// repeats a loop that only somebody else can end.
enum class Waits : int64_t { kSemaphore = 0, kTransfer = 1, kBarrier = 2, kNothing = 3, kReady = 4 };

struct Agent {
  Fiber fiber;
  Machine* machine = nullptr;
  char* arena = nullptr;
  Waits waits = Waits::kReady;
  Semaphore* semaphore = nullptr;
  int64_t wanted = 0;     // the count, or how many agents take part in the barrier
  int64_t group = 0;      // of the barrier
  int64_t place = kNobody;
  int64_t memory = kNobody;  // that the condition of its loop reads
  bool is_spinning = false;  // it repeats a loop that only somebody else can end
  int64_t spins = 0;         // how often, since `Machine::progress_` was `seen`
  int64_t seen = 0;

  bool CanRun() const {
    return waits == Waits::kReady ||
           ((waits == Waits::kSemaphore || waits == Waits::kTransfer) && semaphore->count() >= wanted);
  }
};

// Memory that is to hold a pattern.
struct Filling {
  char* memory;
  int64_t bytes;
  int64_t pattern;
  int64_t pattern_bytes;

  // Fills the bytes [begin, end), whole patterns or not.
  void Fill(int64_t begin, int64_t end) const;
};

class Machine {
 public:
  // `alone`: the number of the iteration that the only agent is; kNobody if all agents of the phase
  // are on the machine. Throws std::bad_alloc if there is no memory for agents and stacks.
  Machine(RunAgents* run, void* const* buffers, const int64_t* dims, char* scratch, int64_t* status,
          const Settings& settings, const Description& description, int64_t alone = kNobody);
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  // Runs all agents to their ends, or to a failure.
  void Run();

  // Switch points of the agent that runs. They return when it goes on.
  void Wait(int64_t semaphore, int64_t amount, Waits what, int64_t place);
  void Barrier(int64_t group, int64_t members, int64_t place);
  void Yield();
  // The same, and in any order another agent goes on.
  void LetOthers();
  // An agent repeats a loop that only somebody else can end, by writing memory. `EndSpin` is when that
  // has happened.
  void Spin(int64_t memory, int64_t place);
  void EndSpin();

  // A semaphore of an agent, kNobody for the one that runs. `place` is the line that asks.
  Semaphore& SemaphoreOf(int64_t agent, int64_t number, int64_t place);

  // The address of the same place at another agent, kNobody for the one that runs.
  char* At(int64_t agent, char* own, int64_t place);

  // The number by which events know a semaphore.
  int64_t NumberOf(const Semaphore& semaphore) const { return &semaphore - semaphores_.data(); }

  // The number of the agent that runs.
  int64_t current() const { return current_; }

  // What compares accesses; null if nothing does.
  Events* events() const { return events_.get(); }

  // Memory for events of indirect transfers.
  std::vector<int64_t>& RowsOfSource() { return rows_of_source_; }
  std::vector<int64_t>& RowsOfTarget() { return rows_of_target_; }

  // Memory that agents share is to be filled, once in a run. Returns whether this agent has to do it.
  bool HasToFill(const Filling& filling);

  // What an agent alone did not fill.
  const std::vector<Filling>& fillings() const { return fillings_; }

  // Ends the run with a report from an agent: kind, agent, place and more. Frames are left as they
  // are, so they must own nothing.
  template <typename... Numbers>
  [[noreturn]] void Fail(int64_t kind, int64_t place, Numbers... numbers) {
    const int64_t report[] = {kind, current_, place, static_cast<int64_t>(numbers)...};
    Report(report, sizeof(report) / sizeof(report[0]));
    Leave();
  }

  // Returns what a function does that machine code calls, and ends the run if there is no memory for
  // it: machine code does not pass on exceptions.
  template <typename Function>
  auto Guard(int64_t place, Function function) {
    try {
      return function();
    } catch (const std::bad_alloc&) {
      // Only after this block the exception is gone, so that the fiber can be left.
    }
    EndWithoutMemory(place);
  }

  // Keeps a report of the run; the first counts.
  void Report(const int64_t* numbers, size_t count);

  // The same with a report as a whole.
  [[noreturn]] void FailWith(const int64_t* report, size_t count) {
    Report(report, count);
    Leave();
  }

  // Whether races are only warned of, and keeping the report of one for the end of the run.
  bool warns() const { return settings_.races == Settings::kWarnings; }
  void Warn(const int64_t* report, size_t count);

  // Fails unless these semaphores of the agent that runs are 0, at the end of what made them.
  void CheckSemaphores(int64_t first, int64_t count, int64_t place);

 private:
  // How many barriers a phase may have.
  static constexpr int64_t kGroups = 256;

  static void RunAgent(void* agent);
  [[noreturn]] void Leave();
  [[noreturn]] void EndWithoutMemory(int64_t place);
  [[noreturn]] void EndAgent();
  void Switch();
  int64_t Next();
  int64_t NextFrom(int64_t first);
  int64_t Drawn();
  bool OnlySpins();
  void ReportDeadlock();
  void CheckAtEnd();
  bool IsPassed(int64_t semaphore) const;
  void TakePassedSemaphores();
  void PassSemaphoresOn();
  void OpenBarrier(int64_t group);
  int64_t Known(int64_t agent, int64_t place);

  RunAgents* run_;
  void* const* buffers_;
  const int64_t* dims_;
  int64_t* status_;
  const Settings& settings_;
  const Description& description_;
  int64_t alone_;
  std::vector<Agent> agents_;
  std::vector<Semaphore> semaphores_;
  std::array<int64_t, kGroups> arrived_{};  // at barriers, by group
  std::vector<int64_t> ready_;    // memory of `Drawn`
  std::vector<int64_t> warnings_;  // reports, each after the number of its integers
  std::vector<int64_t> rows_of_source_;
  std::vector<int64_t> rows_of_target_;
  std::set<const char*> seen_;
  std::vector<Filling> fillings_;
  checks::Marks marks_;
  std::unique_ptr<Events> events_;
  Stacks stacks_;
  Fiber thread_;
  int64_t current_ = 0;
  int64_t ended_ = 0;
  uint64_t random_;
  bool goes_on_ = true;  // whether the agent that runs may be the next one
  int64_t progress_ = 0;  // how often an agent has done more than repeat such a loop
  int64_t spins_ = 0;     // how often agents have done only that since it was `spins_at_`
  int64_t spins_at_ = 0;
  std::chrono::steady_clock::time_point first_spin_;
};

}  // namespace sdykit::machine

#endif  // SDYKIT_SPARSECORE_MACHINE_MACHINE_H_
