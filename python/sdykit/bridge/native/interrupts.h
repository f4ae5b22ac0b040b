// Ctrl-C while programs run: SIGINT, which Python would handle only when they have ended.
//
// A program that looks ends with an error. Python gets the signal a moment later: an interrupt that
// is pending while JAX makes an exception of the error would take its place, or break it.

#ifndef SDYKIT_BRIDGE_NATIVE_INTERRUPTS_H_
#define SDYKIT_BRIDGE_NATIVE_INTERRUPTS_H_

#include <cstdint>

namespace sdykit {

// Counts interrupts from now on, and passes them on to Python's handler, which is there: at once if no
// program runs. Returns whether it does: not if the signal ends the process or is ignored. A handler that is
// set later takes the place of this one.
bool WatchInterrupts();

// How many there have been.
int64_t Interrupts();

// While it exists, the calling thread runs a program that has begun after so many interrupts.
class Interruptible {
 public:
  explicit Interruptible(int64_t before);
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

 private:
  int64_t outer_;
};

// Returns 1 if there has been an interrupt since the program that the calling thread runs has begun; else 0.
int64_t IsInterrupted();

}  // namespace sdykit

#endif  // SDYKIT_BRIDGE_NATIVE_INTERRUPTS_H_
