// One run of a program for several devices of the process.
//
// Each device calls the program with its own arrays. The last one to come runs it for all: the
// program reads and writes the arrays of each device where they are. All calls end when it has
// ended, so that no array is freed, reused or written by others before, and all end alike: an
// error is the error of each.

#ifndef SDYKIT_BRIDGE_NATIVE_RENDEZVOUS_H_
#define SDYKIT_BRIDGE_NATIVE_RENDEZVOUS_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "frame.h"
#include "job.h"
#include "kernel.h"
#include "xla/ffi/api/ffi.h"

namespace sdykit {

// The result of a call; with a future, it is known later.
struct Outcome {
  xla::ffi::Error error;
  std::optional<xla::ffi::Future> future;
};

// Runs a job on threads of the caller's choice; the job's end is told by its callback.
using StartJob = std::function<void(std::shared_ptr<Job>)>;

// Returns the maximum number of threads for a run with so much memory traffic.
using CountThreads = std::function<int64_t(const Frame&)>;

// Takes part in a run of `kernel`, whose call by a device has the buffers of `frame`. It may
// return before the run has ended, and waits for other devices a short time only: what else a
// device computes is never held up, whatever the order in which devices come to several calls.
Outcome Meet(std::shared_ptr<const Kernel> kernel, int32_t call_site, Frame& frame,
             const CountThreads& threads, const StartJob& start);

// Ends the calls at which devices of an execution wait for each other, those that come later
// too: XLA ends a device's execution with the error of one call, so that it comes to no other.
void FailExecution(int64_t launch, const xla::ffi::Error& error);

// Sets how long devices wait for each other before the run fails.
void SetRendezvousTimeout(std::chrono::milliseconds timeout);

}  // namespace sdykit

#endif  // SDYKIT_BRIDGE_NATIVE_RENDEZVOUS_H_
