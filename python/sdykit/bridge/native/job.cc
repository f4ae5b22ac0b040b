#include "job.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "../../sparsecore/native/machine/reports.h"
#include "ieee.h"
#include "interrupts.h"
#include "python_kernel.h"
#include "rendezvous.h"

namespace sdykit {

namespace {

using xla::ffi::Error;

// Any free thread takes the next piece. There are several for each thread, since
// the rows of one tile may take longer than those of another.
constexpr int64_t kPiecesPerThread = 16;

// How long a thread polls before it sleeps: waking up takes nearly as long.
constexpr std::chrono::microseconds kPollTime(100);
constexpr int kSpinsPerPoll = 64;

// The scratch memory of a thread, which grows to the size of the largest program.
struct Scratch {
  Memory data;
  size_t size = 0;
};

Scratch& ThreadScratch() {
  thread_local Scratch scratch;
  return scratch;
}

// The scratch memory of a thread during the lifetime of this object: its own, or
// the kernel's reserve if it cannot be allocated.
class Arena {
 public:
  explicit Arena(const Kernel& kernel) {
    Scratch& own = ThreadScratch();
    if (own.size < kernel.scratch_bytes()) {
      own.data.reset();
      own.data = AllocateScratch(kernel.scratch_bytes());
      own.size = own.data == nullptr ? 0 : kernel.scratch_bytes();
    }
    data_ = own.data.get();
    if (own.size >= kernel.scratch_bytes()) return;
    lock_ = std::unique_lock<std::mutex>(kernel.reserve_mutex());
    data_ = kernel.reserve();
  }

  void* data() const { return data_; }

 private:
  std::unique_lock<std::mutex> lock_;
  void* data_;
};

std::atomic<int64_t> threads_running{0};

// During the lifetime of this object the thread counts as running a program. One
// that waits does not, nor one that runs what follows the program.
class Running {
 public:
  Running() { ++threads_running; }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() { --threads_running; }
};

// Polls a condition for up to `kPollTime`.
template <typename Condition>
void SpinUntil(Condition is_met) {
  const auto end = std::chrono::steady_clock::now() + kPollTime;
  do {
    for (int spin = 0; spin < kSpinsPerPoll; ++spin) {
      if (is_met()) return;
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
    // The thread that is waited for may be scheduled on this core.
    std::this_thread::yield();
  } while (std::chrono::steady_clock::now() < end);
}

// Tells the user of what a run that ended well warns of.
void TellWarnings(const Kernel& kernel, Status& status) {
  if (status[0] != machine::kHasWarnings) return;
  if (kernel.described()) DescribeInPython(kernel, status);
  status.fill(0);
}

bool HasStatus(const Kernel& kernel) {
  return kernel.status() < kernel.arguments().size();
}

bool HasCounters(const Kernel& kernel) {
  return kernel.counters() < kernel.arguments().size();
}

bool HasScopeTimes(const Kernel& kernel) {
  return kernel.scope_times() < kernel.arguments().size();
}

// Passes a run's own copy of the settings of the machine: the last word is the runtime's.
void PassSettings(const Kernel& kernel, MachineSettings& own, std::vector<void*>& buffers) {
  if (kernel.settings() == kernel.arguments().size()) return;
  own = kernel.machine_settings();
  buffers[kernel.settings()] = own.data();
}

bool HasLaunch(const Kernel& kernel) {
  return kernel.launch() < kernel.arguments().size();
}

}  // namespace

Frame& ThreadFrame() {
  thread_local Frame frame;
  return frame;
}

int64_t ThreadsRunning() { return threads_running; }

Error Conclude(const Kernel& kernel, const Status& status, void* status_result) {
  if (status_result != nullptr) {
    std::memcpy(status_result, status.data(), sizeof(Status));
  } else if (status[0] != 0) {
    return Error::InvalidArgument(kernel.described() ? DescribeInPython(kernel, status)
                                                     : kernel.Report(status));
  }
  return Error::Success();
}

Error RunSerial(const Kernel& kernel, Frame& frame) {
  const Running running;
  const Interruptible interruptible(Interrupts());
  const Arena scratch(kernel);
  alignas(kScratchAlignment) Status status{};
  if (HasStatus(kernel)) frame.buffers[kernel.status()] = status.data();
  std::vector<int64_t> counters(kernel.num_counters());
  RecordMaker maker(frame.device, frame.recorded, kernel.figures());
  if (HasCounters(kernel)) frame.buffers[kernel.counters()] = counters.data();
  std::vector<int64_t> scope_times(kernel.num_scope_words());
  if (HasScopeTimes(kernel)) frame.buffers[kernel.scope_times()] = scope_times.data();
  if (HasLaunch(kernel)) frame.buffers[kernel.launch()] = &frame.launch;
  alignas(kScratchAlignment) MachineSettings settings;
  PassSettings(kernel, settings, frame.buffers);
  const int64_t* dims = frame.dims.data();
  const IeeeArithmetic ieee;
  for (size_t i = 0; i < frame.sizes.size(); ++i) {
    if (frame.sizes[i] == 0) continue;
    kernel.phases()[i].run(frame.buffers.data(), dims, 0, frame.sizes[i],
                           scratch.data());
    TellWarnings(kernel, status);
    if (status[0] != 0) break;
  }
  if (HasCounters(kernel) && status[0] == 0) {
    kernel.Count(frame.device, counters);
  }
  if (maker.is_on() && status[0] == 0) {
    maker.Fill(0, 1, frame.buffers.data());
    maker.Finish(kernel.records());
  }
  if (frame.is_sampled && status[0] == 0) TheRecorder().KeepScopes(frame.run, scope_times);
  if (frame.run.recording != 0) TheRecorder().End(frame.run);
  return Conclude(kernel, status, frame.status_result);
}

Job::Job(std::shared_ptr<const Kernel> kernel, const Frame& frame,
         int64_t threads)
    : kernel_(std::move(kernel)),
      buffers_(frame.buffers),
      dims_(frame.dims),
      status_result_(frame.status_result),
      device_(frame.device),
      launch_(frame.launch),
      counters_(kernel_->num_counters()),
      scope_times_(kernel_->num_scope_words()),
      run_(frame.run),
      is_sampled_(frame.is_sampled),
      interrupts_(Interrupts()),
      maker_(frame.device, frame.recorded, kernel_->figures()),
      phases_(new Pieces[frame.sizes.size()]) {
  if (HasCounters(*kernel_)) buffers_[kernel_->counters()] = counters_.data();
  if (HasScopeTimes(*kernel_)) buffers_[kernel_->scope_times()] = scope_times_.data();
  if (HasLaunch(*kernel_)) buffers_[kernel_->launch()] = &launch_;
  PassSettings(*kernel_, settings_, buffers_);
  for (size_t i = 0; i < frame.sizes.size(); ++i) {
    Pieces& pieces = phases_[i];
    pieces.size = frame.sizes[i];
    // A phase without iterations has one piece, which is empty: the end of the
    // last piece of a phase begins the next phase.
    pieces.count =
        std::clamp<int64_t>(pieces.size, 1, threads * kPiecesPerThread);
    if (HasStatus(*kernel_)) pieces.statuses.resize(pieces.count);
    num_threads_ = std::max(num_threads_, std::min(threads, pieces.count));
  }
}

Job::Job(std::shared_ptr<const Kernel> kernel, const Frame& frame, int64_t threads,
         std::function<void(const Status&)> on_end)
    : Job(std::move(kernel), frame, threads) {
  on_end_ = std::move(on_end);
}

void Job::Work() {
  const size_t count = kernel_->phases().size();
  for (size_t phase = 0; phase < count; ++phase) {
    Pieces& pieces = phases_[phase];
    for (;;) {
      const int64_t piece = pieces.taken.fetch_add(1);
      if (piece >= pieces.count) break;
      RunPiece(phase, piece);
      if (pieces.finished.fetch_add(1) + 1 == pieces.count) EndPhase(phase);
    }
    if (phase + 1 == count || !WaitFor(phase)) return;
  }
}

void Job::Linger() const {
  SpinUntil([&] { return completed_.load(); });
}

void Job::RunPiece(size_t phase, int64_t piece) {
  Pieces& pieces = phases_[phase];
  if (maker_.is_on() && phase + 1 == kernel_->phases().size()) {
    maker_.Fill(piece, pieces.count, buffers_.data());
  }
  const int64_t whole = pieces.size / pieces.count;
  const int64_t rest = pieces.size % pieces.count;
  const int64_t begin = whole * piece + std::min(piece, rest);
  const int64_t end = begin + whole + (piece < rest);
  if (begin == end) return;
  const Running running;
  const Interruptible interruptible(interrupts_);
  void* const* buffers = buffers_.data();
  if (HasStatus(*kernel_)) {
    // Each piece has its own status: no two threads write the same, and of
    // several errors the one that is reported does not depend on their order.
    std::vector<void*>& own = ThreadFrame().buffers;
    own.assign(buffers_.begin(), buffers_.end());
    own[kernel_->status()] = pieces.statuses[piece].data();
    buffers = own.data();
  }
  const Arena scratch(*kernel_);
  const IeeeArithmetic ieee;
  kernel_->phases()[phase].run(buffers, dims_.data(), begin, end,
                               scratch.data());
  if (HasStatus(*kernel_)) TellWarnings(*kernel_, pieces.statuses[piece]);
}

void Job::EndPhase(size_t phase) {
  const Status status = FirstFailure(phases_[phase]);
  const bool failed = status[0] != 0;
  const bool completed = failed || phase + 1 == kernel_->phases().size();
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (failed) stopped_ = true;
    ended_ = phase + 1;
  }
  phase_ended_.notify_all();
  if (!completed) return;
  if (HasCounters(*kernel_) && !failed) kernel_->Count(device_, counters_);
  if (maker_.is_on() && !failed) maker_.Finish(kernel_->records());
  if (is_sampled_ && !failed) TheRecorder().KeepScopes(run_, scope_times_);
  if (run_.recording != 0) TheRecorder().End(run_);
  if (on_end_) {
    on_end_(status);
    completed_ = true;
    return;
  }
  Error error = Conclude(*kernel_, status, status_result_);
  // From here on XLA may free the buffers.
  if (error.success()) {
    promise_.SetAvailable();
  } else {
    FailExecution(launch_, error);
    promise_.SetError(std::move(error));
  }
  completed_ = true;
}

bool Job::WaitFor(size_t phase) {
  // The other threads usually finish soon: sleeping would take longer.
  SpinUntil([&] { return ended_ > phase; });
  if (ended_ <= phase) {
    std::unique_lock<std::mutex> lock(mutex_);
    phase_ended_.wait(lock, [&] { return ended_ > phase; });
  }
  return !stopped_;
}

Status Job::FirstFailure(const Pieces& pieces) const {
  for (const Status& status : pieces.statuses) {
    if (status[0] != 0) return status;
  }
  return Status{};
}

}  // namespace sdykit
