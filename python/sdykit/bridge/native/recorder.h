// What programs did while a recording is on: when each run began and ended, and
// the inputs of a few runs.

#ifndef SDYKIT_BRIDGE_NATIVE_RECORDER_H_
#define SDYKIT_BRIDGE_NATIVE_RECORDER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace sdykit {

class Kernel;
struct Frame;

// A run. Times are nanoseconds of the steady clock, which is that of Python's
// `time.perf_counter_ns`. Python reads these bytes.
struct RecordedRun {
  int32_t kernel;     // the number of the kernel
  int32_t call_site;  // the number of the call in a compiled program of XLA
  int32_t device;     // the number of the device in this process
  int32_t recording;  // the number of the recording, from 1 on; 0: not recorded
  int64_t execution;  // the number that XLA gave to the execution of its program
  int64_t start;
  int64_t end;
};

// The inputs of a run.
struct RecordedInputs {
  RecordedRun run;
  std::vector<int64_t> dims;  // dynamic sizes of all arguments, in order
  std::vector<std::vector<char>> arrays;  // those of sampled arguments, in order
};

// When the scopes of a run began and ended, as its program notes it.
struct RecordedScopes {
  RecordedRun run;
  std::vector<int64_t> words;
};

// What a recording holds when it ends.
struct Recording {
  std::unique_ptr<RecordedRun[]> runs;
  size_t count = 0;
  size_t left_out_runs = 0;     // there was no room for these
  size_t left_out_samples = 0;  // nor for the inputs, or the scopes, of these
  std::vector<RecordedInputs> inputs;
  std::vector<RecordedScopes> scopes;
};

// The number of a new call site.
int32_t NextCallSite();

// Records runs from all threads. Its functions are thread-safe.
class Recorder {
 public:
  // Begins a recording. It holds up to `max_runs` runs, and up to
  // `max_sample_bytes` of inputs. Throws std::logic_error if one is on.
  void Start(size_t max_runs, size_t max_sample_bytes);

  // Ends the recording; runs that have not ended are left out.
  Recording Stop();

  bool IsOn() const { return recording_.load(std::memory_order_relaxed) != 0; }

  // Returns a run that begins now.
  RecordedRun Begin(int32_t kernel, int32_t call_site, int32_t device,
                    int64_t execution);

  // Whether more is kept of a run: it is the first one of its call site on its
  // device, or their number before it is a power of two. Ask once for each run.
  bool IsSampled(const RecordedRun& run);

  // Keeps the inputs of a run.
  void Sample(const RecordedRun& run, const Kernel& kernel, const Frame& frame);

  // Keeps the times of the scopes of a run.
  void KeepScopes(const RecordedRun& run, const std::vector<int64_t>& words);

  // Keeps a run, which ends now, if its recording is on.
  void End(RecordedRun run);

 private:
  // Whether there is room for so many bytes of a run, which then are taken. With the lock.
  bool Takes(const RecordedRun& run, size_t bytes);

  std::atomic<int32_t> recording_{0};  // the number of the one that is on, or 0
  std::atomic<int32_t> writers_{0};    // threads that may be writing to `held_`
  std::atomic<size_t> next_{0};        // may exceed `capacity_`
  size_t capacity_ = 0;
  int32_t last_ = 0;  // the number of the last recording
  Recording held_;

  std::mutex mutex_;  // of what follows, and of `held_.inputs` and `held_.scopes`
  std::map<std::pair<int32_t, int32_t>, int64_t> runs_;  // by call site and device
  size_t sample_bytes_ = 0;
  size_t max_sample_bytes_ = 0;
};

Recorder& TheRecorder();

}  // namespace sdykit

#endif  // SDYKIT_BRIDGE_NATIVE_RECORDER_H_
