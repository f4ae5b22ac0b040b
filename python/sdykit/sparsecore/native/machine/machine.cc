#include "machine.h"

namespace sdykit::machine {

namespace {

// How often each agent may repeat a loop, and for how long all of them, while nobody does more.
constexpr int64_t kSpins = 1024;
constexpr std::chrono::seconds kPatience(1);

// Stacks are a multiple of a page apart, so the same place in all of them shares a set of the first
// cache, which has fewer ways than there are agents: each stack begins some lines below the last one's.
constexpr int64_t kLineBytes = 64;
constexpr int64_t kLinesApart = 3;
constexpr int64_t kStacksApart = 64;  // lines of a page

// splitmix64, by Sebastiano Vigna.
uint64_t Draw(uint64_t& state) {
  uint64_t z = state += 0x9E3779B97F4A7C15;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
  z = (z ^ z >> 27) * 0x94D049BB133111EB;
  return z ^ z >> 31;
}

}  // namespace

Machine::Machine(RunAgents* run, void* const* buffers, const int64_t* dims, char* scratch,
                 int64_t* status, const Settings& settings, const Description& description,
                 int64_t alone)
    : run_(run),
      buffers_(buffers),
      dims_(dims),
      status_(status),
      settings_(settings),
      description_(description),
      alone_(alone),
      agents_(description.agents),
      semaphores_(description.agents * description.semaphores),
      marks_(scratch, description.agents, description.stride,
             settings.checks != 0 && settings.races != 0),
      events_(MakeEvents(*this, settings, description, buffers, scratch, marks_)),
      stacks_(description.agents, description.stack_bytes + kStacksApart * kLineBytes),
      random_(static_cast<uint64_t>(settings.order)) {
  ready_.reserve(description.agents);
  TakePassedSemaphores();
  char* shared = scratch + description.cores_at();
  for (int64_t number = 0; number < description.agents; ++number) {
    char* header = scratch + number * description.stride;
    char* core = shared + description.core_of()[number] * description.shared_bytes;
    *reinterpret_cast<Header*>(header) = {
        this, number, core, 0, marks_.Of(number), scratch + description.device_at(), {}};
    Agent& agent = agents_[number];
    agent.machine = this;
    agent.arena = header + sizeof(Header);
    const int64_t unused = number * kLinesApart % kStacksApart * kLineBytes;
    agent.fiber.Start(stacks_[number], stacks_.bytes() - unused, &RunAgent, &agent);
  }
}

bool Machine::HasToFill(const Filling& filling) {
  if (alone_ == kNobody) return seen_.insert(filling.memory).second;
  fillings_.push_back(filling);
  return false;
}

void Machine::Run() {
  current_ = settings_.order >= 0 ? Drawn() : 0;
  thread_.SwitchTo(agents_[current_].fiber);
  if (status_[0] == 0) CheckAtEnd();
}

void Machine::RunAgent(void* argument) {
  const Agent& agent = *static_cast<Agent*>(argument);
  Machine& machine = *agent.machine;
  const int64_t number = HeaderOf(agent.arena).agent;
  const int64_t iteration = machine.alone_ == kNobody ? number : machine.alone_;
  machine.run_(machine.buffers_, machine.dims_, iteration, iteration + 1,
               agent.arena - sizeof(Header));
  machine.Guard(kNobody, [&machine] { machine.EndAgent(); });
}

void Machine::EndAgent() {
  if (status_[0] != 0) Leave();  // The program has failed, and stopped.
  agents_[current_].waits = Waits::kNothing;
  ++progress_;
  if (++ended_ == description_.agents) Leave();
  const int64_t next = Next();
  if (next == kNobody) {
    ReportDeadlock();
    Leave();
  }
  Fiber& own = agents_[current_].fiber;
  current_ = next;
  own.LeaveTo(agents_[next].fiber);
}

void Machine::Leave() { agents_[current_].fiber.LeaveTo(thread_); }

// Lets the next agent run; returns when the one that runs now goes on.
void Machine::Switch() {
  if (!agents_[current_].is_spinning) ++progress_;
  const int64_t next = Next();
  goes_on_ = true;
  if (next == kNobody) {
    ReportDeadlock();
    Leave();
  }
  if (next != current_) {
    Fiber& own = agents_[current_].fiber;
    current_ = next;
    own.SwitchTo(agents_[next].fiber);
  }
  agents_[current_].waits = Waits::kReady;
}

int64_t Machine::Next() {
  if (settings_.order >= 0) return Drawn();
  const bool goes_on = settings_.order == Settings::kSubcore && goes_on_;
  return NextFrom(goes_on ? current_ : current_ + 1);
}

int64_t Machine::NextFrom(int64_t first) {
  const int64_t count = description_.agents;
  for (int64_t at = first; at < first + count; ++at) {
    const int64_t agent = at < count ? at : at - count;
    if (agents_[agent].CanRun()) return agent;
  }
  return kNobody;
}

int64_t Machine::Drawn() {
  ready_.clear();
  for (int64_t agent = 0; agent < description_.agents; ++agent) {
    if (agents_[agent].CanRun()) ready_.push_back(agent);
  }
  if (ready_.empty()) return kNobody;
  return ready_[Draw(random_) % ready_.size()];
}

void Machine::Wait(int64_t semaphore, int64_t amount, Waits what, int64_t place) {
  Agent& own = agents_[current_];
  own.semaphore = &SemaphoreOf(kNobody, semaphore, place);
  own.waits = what;
  own.wanted = amount;
  own.place = place;
  Switch();
  own.semaphore->Take(amount);
  if (events_ != nullptr) events_->Wait(current_, NumberOf(*own.semaphore), amount);
}

void Machine::Barrier(int64_t group, int64_t members, int64_t place) {
  if (group < 0 || group >= kGroups) Fail(kBadCall, place, group);
  Agent& own = agents_[current_];
  own.waits = Waits::kBarrier;
  own.group = group;
  own.wanted = members;
  own.place = place;
  if (++arrived_[group] >= members) OpenBarrier(group);
  Switch();
}

void Machine::Yield() { Switch(); }

void Machine::LetOthers() {
  goes_on_ = false;
  Switch();
}

void Machine::Spin(int64_t memory, int64_t place) {
  Agent& own = agents_[current_];
  own.memory = memory;
  own.place = place;
  if (!own.is_spinning) ++progress_;
  own.is_spinning = true;
  if (OnlySpins()) {
    ReportDeadlock();
    Leave();
  }
  LetOthers();
}

void Machine::EndSpin() {
  agents_[current_].is_spinning = false;
  ++progress_;
}

void Machine::OpenBarrier(int64_t group) {
  arrived_[group] = 0;
  ready_.clear();
  for (int64_t agent = 0; agent < description_.agents; ++agent) {
    Agent& each = agents_[agent];
    if (each.waits != Waits::kBarrier || each.group != group) continue;
    each.waits = Waits::kReady;
    ready_.push_back(agent);
  }
  if (events_ != nullptr) events_->Barrier(ready_.data(), static_cast<int64_t>(ready_.size()));
}

// Counts an iteration of the agent that runs. Returns whether all that can run have done nothing for
// too long but repeat loops that only somebody else can end.
bool Machine::OnlySpins() {
  Agent& own = agents_[current_];
  if (own.seen != progress_) own.spins = 0;
  own.seen = progress_;
  ++own.spins;
  if (spins_at_ != progress_) spins_ = 0;
  spins_at_ = progress_;
  if (++spins_ % kSpins != 0) return false;
  const auto now = std::chrono::steady_clock::now();
  if (spins_ == kSpins) first_spin_ = now;
  if (now - first_spin_ < kPatience) return false;
  for (const Agent& agent : agents_) {
    if (agent.CanRun() && (agent.seen != progress_ || agent.spins < kSpins)) return false;
  }
  return true;
}

Semaphore& Machine::SemaphoreOf(int64_t agent, int64_t number, int64_t place) {
  const int64_t owner = Known(agent, place);
  if (number < 0 || number >= description_.semaphores) Fail(kBadCall, place, number);
  return semaphores_[owner * description_.semaphores + number];
}

char* Machine::At(int64_t agent, char* own, int64_t place) {
  const int64_t there = Known(agent, place);
  const int64_t offset = own - (agents_[0].arena - sizeof(Header));
  if (offset < description_.cores_at()) return own + (there - current_) * description_.stride;
  const int64_t cores = description_.core_of()[there] - description_.core_of()[current_];
  return own + cores * description_.shared_bytes;
}

// Returns the number of an agent, for kNobody that of the one that runs.
int64_t Machine::Known(int64_t agent, int64_t place) {
  if (agent == kNobody) return current_;
  if (agent < 0 || agent >= description_.agents) Fail(kBadCall, place, agent);
  return agent;
}

}  // namespace sdykit::machine
