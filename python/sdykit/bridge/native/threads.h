// The threads of programs that run beside other work of their device.

#ifndef SDYKIT_BRIDGE_NATIVE_THREADS_H_
#define SDYKIT_BRIDGE_NATIVE_THREADS_H_

#include <functional>

namespace sdykit {

// Runs a task on a thread named "sparsecore", in the floating-point environment of
// the caller. No task waits for a thread: those of XLA's pool may all be waiting in a
// collective for what the task computes, and after a program has ended, its thread
// runs what follows, which may be a collective too.
void RunOnOwnThread(std::function<void()> task);

}  // namespace sdykit

#endif  // SDYKIT_BRIDGE_NATIVE_THREADS_H_
