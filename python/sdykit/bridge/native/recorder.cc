#include "recorder.h"

#include <chrono>
#include <stdexcept>
#include <algorithm>
#include <thread>

#include "frame.h"
#include "kernel.h"

namespace sdykit {

namespace {

// Calls a function for each sampled argument with its data and its size in bytes.
template <typename Function>
void ForEachSampled(const Kernel& kernel, const Frame& frame, Function function) {
  size_t dim = 0;
  for (size_t at = 0; at < kernel.arguments().size(); ++at) {
    const Argument& argument = kernel.arguments()[at];
    size_t bytes = argument.element->bytes;
    for (int64_t size : argument.sizes) {
      bytes *= size == kDynamic ? frame.dims[dim++] : size;
    }
    if (argument.sampled && !kernel.IsOwn(at)) {
      function(static_cast<const char*>(frame.buffers[at]), bytes);
    }
  }
}

int64_t SteadyNanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

int32_t NextCallSite() {
  static std::atomic<int32_t> next{0};
  return next++;
}

void Recorder::Start(size_t max_runs, size_t max_sample_bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (IsOn()) throw std::logic_error("a recording is on already");
  held_ = Recording{};
  // Without values: the system provides a page when the first run is written to it.
  held_.runs.reset(new RecordedRun[max_runs]);
  capacity_ = max_runs;
  next_ = 0;
  runs_.clear();
  sample_bytes_ = 0;
  max_sample_bytes_ = max_sample_bytes;
  recording_ = ++last_;
}

Recording Recorder::Stop() {
  if (!IsOn()) throw std::logic_error("no recording is on");
  recording_ = 0;
  while (writers_ > 0) std::this_thread::yield();
  const std::lock_guard<std::mutex> lock(mutex_);
  const size_t count = next_;
  held_.count = std::min(count, capacity_);
  held_.left_out_runs = count - held_.count;
  return std::exchange(held_, Recording{});
}

RecordedRun Recorder::Begin(int32_t kernel, int32_t call_site, int32_t device,
                            int64_t execution) {
  const int32_t recording = recording_;
  return {kernel, call_site, device, recording, execution, SteadyNanoseconds(), 0};
}

bool Recorder::IsSampled(const RecordedRun& run) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (run.recording != recording_) return false;
  const int64_t before = runs_[{run.call_site, run.device}]++;
  return (before & (before - 1)) == 0;
}

bool Recorder::Takes(const RecordedRun& run, size_t bytes) {
  if (run.recording != recording_ || bytes == 0) return false;
  if (bytes > max_sample_bytes_ - sample_bytes_) {
    ++held_.left_out_samples;
    return false;
  }
  sample_bytes_ += bytes;
  return true;
}

void Recorder::Sample(const RecordedRun& run, const Kernel& kernel,
                      const Frame& frame) {
  const std::lock_guard<std::mutex> lock(mutex_);
  size_t bytes = 0;
  ForEachSampled(kernel, frame, [&](const char*, size_t size) { bytes += size; });
  if (!Takes(run, bytes)) return;
  RecordedInputs inputs{run, frame.dims, {}};
  ForEachSampled(kernel, frame, [&](const char* data, size_t size) {
    inputs.arrays.emplace_back(data, data + size);
  });
  held_.inputs.push_back(std::move(inputs));
}

void Recorder::KeepScopes(const RecordedRun& run, const std::vector<int64_t>& words) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (Takes(run, words.size() * sizeof(int64_t))) held_.scopes.push_back({run, words});
}

void Recorder::End(RecordedRun run) {
  run.end = SteadyNanoseconds();
  ++writers_;
  if (run.recording == recording_) {
    const size_t at = next_++;
    if (at < capacity_) held_.runs[at] = run;
  }
  --writers_;
}

Recorder& TheRecorder() {
  // XLA's threads may use it when the process ends.
  static auto* recorder = new Recorder;
  return *recorder;
}

}  // namespace sdykit
