// Running a program: its phases in order, each by several threads.

#ifndef SDYKIT_BRIDGE_NATIVE_JOB_H_
#define SDYKIT_BRIDGE_NATIVE_JOB_H_

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "frame.h"
#include "kernel.h"
#include "xla/ffi/api/ffi.h"

namespace sdykit {

// Returns the frame of the calling thread, which is reused for its memory.
Frame& ThreadFrame();

// Returns how many threads run programs now, for all devices of the process.
int64_t ThreadsRunning();

// Returns the status of a program in the result of the call, or as an error.
xla::ffi::Error Conclude(const Kernel& kernel, const Status& status, void* status_result);

// Runs all phases on the calling thread.
xla::ffi::Error RunSerial(const Kernel& kernel, Frame& frame);

// One run by several threads, each of which calls `Work`. The result does not
// depend on how many do, or when: a thread takes pieces of the current phase as
// long as there are any, and waits only for pieces that other threads run.
class Job {
 public:
  // `threads` is the maximum number of threads. The frame is copied.
  Job(std::shared_ptr<const Kernel> kernel, const Frame& frame, int64_t threads);

  // The same, of which `on_end` is called with the status at the end, instead of a future.
  Job(std::shared_ptr<const Kernel> kernel, const Frame& frame, int64_t threads,
      std::function<void(const Status&)> on_end);

  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  // The maximum number of threads that have work at the same time.
  int64_t num_threads() const { return num_threads_; }

  // Returns a future that completes after the last piece, or with the program's
  // error. Must be called once, before any `Work`.
  xla::ffi::Future Completion() { return xla::ffi::Future(promise_); }

  // Runs pieces until none is left.
  void Work();

  // Waits a short time for the completion. Then what follows the program runs on
  // the calling thread and not on one of the pool, which stays awake, on a core
  // of its own, for the next program.
  void Linger() const;

 private:
  struct Pieces {
    int64_t size = 0;                // number of iterations of the phase
    int64_t count = 0;               // number of pieces that they are divided into
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
  int64_t launch_;
  MachineSettings settings_{};
  std::vector<int64_t> counters_;  // each tile has its own row
  std::vector<int64_t> scope_times_;  // so has each subcore of a kernel
  RecordedRun run_;
  bool is_sampled_;
  int64_t interrupts_;  // before the run began
  RecordMaker maker_;
  std::unique_ptr<Pieces[]> phases_;
  int64_t num_threads_ = 1;
  std::function<void(const Status&)> on_end_;
  xla::ffi::Promise promise_;

  std::mutex mutex_;
  std::condition_variable phase_ended_;
  std::atomic<size_t> ended_{0};     // number of phases that have ended
  std::atomic<bool> stopped_{false};  // after an error later phases do not run
  std::atomic<bool> completed_{false};
};

}  // namespace sdykit

#endif  // SDYKIT_BRIDGE_NATIVE_JOB_H_
