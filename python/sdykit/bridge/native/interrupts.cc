#include "interrupts.h"

#include <Python.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <limits>
#include <thread>
#include <utility>

namespace sdykit {

namespace {

std::atomic<int64_t> interrupts{0};
static_assert(std::atomic<int64_t>::is_always_lock_free);

// Of the program that this thread runs, if it runs one.
thread_local int64_t interrupts_before = std::numeric_limits<int64_t>::max();

struct sigaction previous;
bool has_previous = false;

std::atomic<int64_t> programs_running{0};
std::atomic<bool> is_held_back{false};

// In which JAX has made an exception of an error.
constexpr std::chrono::milliseconds kMoment(100);

void PassOnLater() {
  std::thread([] {
    std::this_thread::sleep_for(kMoment);
    PyErr_SetInterrupt();
  }).detach();
}

void OnInterrupt(int number, siginfo_t* info, void* context) {
  interrupts.fetch_add(1);
  is_held_back = true;
  // A program that ends now passes it on, or finds that nothing is held back.
  if (programs_running > 0 || !is_held_back.exchange(false)) return;
  if ((previous.sa_flags & SA_SIGINFO) != 0) {
    previous.sa_sigaction(number, info, context);
  } else {
    previous.sa_handler(number);
  }
}

bool HasInfo(const struct sigaction& action) { return (action.sa_flags & SA_SIGINFO) != 0; }

bool IsOurs(const struct sigaction& action) {
  return HasInfo(action) && action.sa_sigaction == &OnInterrupt;
}

bool AreSame(const struct sigaction& left, const struct sigaction& right) {
  if (HasInfo(left) != HasInfo(right)) return false;
  return HasInfo(left) ? left.sa_sigaction == right.sa_sigaction
                       : left.sa_handler == right.sa_handler;
}

bool IsHandler(const struct sigaction& action) {
  return HasInfo(action) || (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

}  // namespace

bool WatchInterrupts() {
  struct sigaction current;
  if (sigaction(SIGINT, nullptr, &current) != 0) return false;
  if (IsOurs(current)) return true;
  // Another handler may call this one, and must not be called by it.
  if (!IsHandler(current) || (has_previous && !AreSame(current, previous))) return false;
  previous = current;
  has_previous = true;
  current.sa_flags |= SA_SIGINFO;
  current.sa_sigaction = &OnInterrupt;
  return sigaction(SIGINT, &current, nullptr) == 0;
}

int64_t Interrupts() { return interrupts.load(std::memory_order_relaxed); }

Interruptible::Interruptible(int64_t before) : outer_(std::exchange(interrupts_before, before)) {
  ++programs_running;
}

Interruptible::~Interruptible() {
  interrupts_before = outer_;
  if (--programs_running == 0 && is_held_back.exchange(false)) PassOnLater();
}

int64_t IsInterrupted() { return Interrupts() > interrupts_before; }

}  // namespace sdykit
