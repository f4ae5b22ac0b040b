// Running a program: its phases one after another, each by several threads.

#ifndef SDYKIT_BRIDGE_NATIVE_JOB_H_
#define SDYKIT_BRIDGE_NATIVE_JOB_H_

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "frame.h"
#include "kernel.h"
#include "xla/ffi/api/ffi.h"

namespace sdykit {

// The frame of the calling thread, kept for its memory.
Frame& ThreadFrame();

// How many threads run programs now, for all devices of the process.
int64_t ThreadsRunning();

// Runs all phases on the calling thread.
xla::ffi::Error RunSerial(const Kernel& kernel, Frame& frame);

// One run by several threads. Each calls `Work`; it does not matter how many
// do, or when: a thread takes pieces of the present phase as long as there are
// any, and waits only for pieces that another thread is running.
class Job {
 public:
  // `threads`: how many can run at once. The frame is copied.
  Job(std::shared_ptr<const Kernel> kernel, const Frame& frame, int64_t threads);

  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  // The most threads that have something to do at once.
  int64_t num_threads() const { return num_threads_; }

  // Completed when the last piece has run, or with the program's error. To be
  // called once, before any `Work`.
  xla::ffi::Future Completion() { return xla::ffi::Future(promise_); }

  // Takes part until nothing is left to take.
  void Work();

  // Waits for the completion, if it is near. What comes behind the program is
  // then for the calling thread to go on with, instead of one of the pool: that
  // one is awake, on a core of its own, when the next program looks for help.
  void Linger() const;

 private:
  struct Pieces {
    int64_t size = 0;                // iterations of the phase
    int64_t count = 0;               // pieces they are divided into
    std::atomic<int64_t> taken{0};   // may exceed `count`
    std::atomic<int64_t> finished{0};
    std::vector<Status> statuses;    // by piece, if the program has a status
  };

  void RunPiece(size_t phase, int64_t piece);
  void EndPhase(size_t phase);
  bool WaitFor(size_t phase);
  Status FirstFailure(const Pieces& pieces) const;

  std::shared_ptr<const Kernel> kernel_;
  std::vector<void*> buffers_;
  std::vector<int64_t> dims_;
  void* status_result_;
  int32_t device_;
  std::vector<int64_t> counters_;  // tiles have rows of their own
  std::unique_ptr<Pieces[]> phases_;
  int64_t num_threads_ = 1;
  xla::ffi::Promise promise_;

  std::mutex mutex_;
  std::condition_variable phase_ended_;
  std::atomic<size_t> ended_{0};     // phases, all before them included
  std::atomic<bool> stopped_{false};  // an error: later phases do not run
  std::atomic<bool> completed_{false};
};

}  // namespace sdykit

#endif  // SDYKIT_BRIDGE_NATIVE_JOB_H_
