#include "apart.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <utility>
#include <vector>

#include "../checks/footprint.h"
#include "functions.h"
#include "machine.h"
#include "reports.h"

namespace sdykit::machine {

namespace {

constexpr size_t kStatusWords = 8;

// Phases that had to run again though there was nothing to report: they always run shared.
class Repeated {
 public:
  bool Has(const Description* phase) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return phases_.count(phase) != 0;
  }

  void Add(const Description* phase) {
    const std::lock_guard<std::mutex> lock(mutex_);
    phases_.insert(phase);
  }

 private:
  std::mutex mutex_;
  std::set<const Description*> phases_;
};

// Never destroyed: threads of XLA may run programs after the process has begun to end.
Repeated& TheRepeated() {
  static Repeated& repeated = *new Repeated;
  return repeated;
}

// The description of one of the agents.
class Alone {
 public:
  explicit Alone(const Description& all)
      : words_(kHead + 1 + all.semaphores + all.arguments) {
    Description alone = all;
    alone.agents = alone.cores = 1;
    std::memcpy(words_.data(), &alone, sizeof(alone));
    std::copy_n(all.place_of(), all.semaphores + all.arguments, words_.begin() + kHead + 1);
  }

  const Description& operator*() const {
    return *reinterpret_cast<const Description*>(words_.data());
  }

 private:
  static constexpr size_t kHead = sizeof(Description) / sizeof(int64_t);

  std::vector<int64_t> words_;
};

}  // namespace

// What is known of a run whose agents are on several threads. The first of them makes it.
class SharedRun {
 public:
  explicit SharedRun(const Description* phase) : is_certain_(!TheRepeated().Has(phase)) {}

  // Returns that of a run; the settings have its address.
  static SharedRun& Of(Settings& settings, const Description* phase) {
    auto* found = reinterpret_cast<SharedRun*>(__atomic_load_n(&settings.run, __ATOMIC_ACQUIRE));
    if (found != nullptr) return *found;
    auto made = std::make_unique<SharedRun>(phase);
    int64_t expected = 0;
    const auto address = reinterpret_cast<int64_t>(made.get());
    if (__atomic_compare_exchange_n(&settings.run, &expected, address, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) {
      return *made.release();
    }
    return *reinterpret_cast<SharedRun*>(expected);
  }

  bool is_certain() const { return __atomic_load_n(&is_certain_, __ATOMIC_RELAXED); }

  // All agents have to run again.
  void Doubt() { __atomic_store_n(&is_certain_, false, __ATOMIC_RELAXED); }

  // Adds what some agents did. Returns whether all have ended.
  bool Add(int64_t agents, const checks::Ranges& ranges, const std::vector<Filling>& fillings,
           int64_t all) {
    const std::lock_guard<std::mutex> lock(mutex_);
    try {
      ranges_.insert(ranges_.end(), ranges.begin(), ranges.end());
      if (fillings_.empty()) fillings_ = fillings;  // They are the same for all agents.
    } catch (const std::bad_alloc&) {
      Doubt();
    }
    ended_ += agents;
    return ended_ == all;
  }

  // Makes what nobody wrote what it would have been before. Returns false if all agents have to run
  // again instead.
  bool Finish() {
    if (!is_certain()) return false;
    checks::Sort(ranges_);
    if (checks::DoMeet(ranges_)) return false;
    for (const Filling& filling : fillings_) {
      const auto begin = reinterpret_cast<int64_t>(filling.memory);
      checks::ForEachGap(ranges_, begin, begin + filling.bytes, [&](int64_t from, int64_t to) {
        filling.Fill(from - begin, to - begin);
      });
    }
    return true;
  }

 private:
  std::mutex mutex_;
  bool is_certain_;
  int64_t ended_ = 0;
  checks::Ranges ranges_;
  std::vector<Filling> fillings_;
};

namespace {

// Agents of one phase on one thread.
struct Share {
  checks::Ranges ranges;
  std::vector<Filling> fillings;

  // Runs an agent; returns whether it did nothing that has to be looked at again.
  bool Run(Machine& machine, const int64_t* status) {
    machine.Run();
    if (status[0] != 0) return false;
    if (machine.events()->HasReadUnwritten()) return false;
    const checks::Ranges own = machine.events()->Touched();
    ranges.insert(ranges.end(), own.begin(), own.end());
    if (fillings.empty()) fillings = machine.fillings();
    return true;
  }
};

void Forget(int64_t* status) {
  if (status[0] == kHasReport) TakeReport(status[1]);
  std::fill_n(status, kStatusWords, 0);
}

}  // namespace

void RunApart(RunAgents* run, void* const* buffers, const int64_t* dims, int64_t first, int64_t last,
              char* scratch, int64_t* status, Settings* settings, const Description* description) {
  const bool is_compared = settings != nullptr && settings->checks != 0 &&
                           settings->races == Settings::kErrors;
  if (!is_compared) {
    if (first == 0) RunTogether(run, buffers, dims, scratch, status, settings, description);
    return;
  }
  try {
    SharedRun& shared = SharedRun::Of(*settings, description);
    Share share;
    try {
      const Alone alone(*description);
      for (int64_t agent = first; agent < last && shared.is_certain(); ++agent) {
        Machine machine(run, buffers, dims, scratch, status, *settings, *alone, agent);
        if (!share.Run(machine, status)) shared.Doubt();
      }
    } catch (const std::bad_alloc&) {
      shared.Doubt();
    }
    Forget(status);
    if (!shared.Add(last - first, share.ranges, share.fillings, description->agents)) return;
    const std::unique_ptr<SharedRun> owned(&shared);
    settings->run = 0;
    if (shared.Finish()) return;
  } catch (const std::bad_alloc&) {
    TellNoMemory(status, description->agents);
    return;
  }
  RunTogether(run, buffers, dims, scratch, status, settings, description);
  if (status[0] == 0) TheRepeated().Add(description);
}

}  // namespace sdykit::machine
