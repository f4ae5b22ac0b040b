#include "rendezvous.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "threads.h"

namespace sdykit {

namespace {

using xla::ffi::Error;

// How long a device keeps its thread while the others come and the program runs. Then the call
// returns a future: waking a thread that waits takes less than what follows a future does.
constexpr std::chrono::milliseconds kWait(20);

std::atomic<int64_t> timeout_ms{120'000};

// The memory of workspaces between runs: taking it from the system, page by page, takes longer
// than what is done there. A few blocks are kept for the whole process, up to a size in all.
class Workspaces {
 public:
  struct Block {
    Memory data;
    size_t size = 0;
  };

  // Returns memory of at least so many bytes; null data if there is none.
  Block Take(size_t bytes) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      auto found = kept_.end();
      for (auto it = kept_.begin(); it != kept_.end(); ++it) {
        if (it->size < bytes || it->size > 4 * bytes) continue;
        if (found == kept_.end() || it->size < found->size) found = it;
      }
      if (found != kept_.end()) {
        Block block = std::move(*found);
        kept_.erase(found);
        kept_bytes_ -= block.size;
        return block;
      }
    }
    return {AllocateScratch(std::max<size_t>(bytes, 1)), bytes};
  }

  void Return(Block block) {
    // Those that are not kept are freed without the lock.
    std::vector<Block> freed;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (block.data == nullptr) return;
    kept_bytes_ += block.size;
    kept_.push_back(std::move(block));
    while (kept_.size() > kMaxBlocks || kept_bytes_ > kMaxBytes) {
      kept_bytes_ -= kept_.front().size;
      freed.push_back(std::move(kept_.front()));
      kept_.erase(kept_.begin());
    }
  }

 private:
  static constexpr size_t kMaxBlocks = 16;
  static constexpr size_t kMaxBytes = size_t{1} << 29;

  std::mutex mutex_;
  std::vector<Block> kept_;  // the one that was used last at the end
  size_t kept_bytes_ = 0;
};

Workspaces& TheWorkspaces() {
  static auto* const workspaces = new Workspaces();
  return *workspaces;
}

// A device that has come.
struct Member {
  bool has_come = false;
  Frame frame;
  // Set if its call has returned before the end.
  std::optional<xla::ffi::Promise> promise;
};

// The devices of one execution at one call.
class Rendezvous : public std::enable_shared_from_this<Rendezvous> {
 public:
  explicit Rendezvous(std::shared_ptr<const Kernel> kernel)
      : kernel_(std::move(kernel)),
        members_(kernel_->shared()->devices),
        deadline_(std::chrono::steady_clock::now() +
                  std::chrono::milliseconds(timeout_ms.load())) {}

  // Takes the buffers of a device; returns an error if it has come before.
  Error Add(int32_t device, const Frame& frame) {
    const std::lock_guard<std::mutex> lock(mutex_);
    Member& member = members_[device];
    if (member.has_come) {
      return Error::Internal("@" + kernel_->name() + ": device " + std::to_string(device) +
                             " has come twice; expected each device of the group once");
    }
    member.has_come = true;
    member.frame = frame;
    ++arrived_;
    return Error::Success();
  }

  // Whether all devices have come. With the lock of the registry.
  bool IsComplete() const { return arrived_ == members_.size(); }

  bool IsLate(std::chrono::steady_clock::time_point now) const { return now > deadline_; }

  // Runs the program for all devices, unless they have given up.
  void Run(const CountThreads& threads, const StartJob& start) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (is_ended_) return;
      is_running_ = true;
    }
    Error error = Join();
    if (error.failure()) return End(Status{}, error);
    const int64_t count = threads(joint_);
    auto job = std::make_shared<Job>(
        kernel_, joint_, count,
        [self = shared_from_this()](const Status& status) { self->End(status, Error::Success()); });
    start(std::move(job));
  }

  // Returns the result of a device, now or as a future.
  Outcome Wait(int32_t device) {
    std::unique_lock<std::mutex> lock(mutex_);
    if (ended_.wait_for(lock, kWait, [this] { return is_ended_; })) {
      return {ResultOf(members_[device]), std::nullopt};
    }
    xla::ffi::Promise& promise = members_[device].promise.emplace();
    return {Error::Success(), xla::ffi::Future(promise)};
  }

  // Ends the calls of the devices that have come with an error, if others have not come.
  void GiveUp(const Error& error) {
    std::unique_lock<std::mutex> lock(mutex_);
    if (is_running_ || is_ended_) return;
    End(std::move(lock), Status{}, error);
  }

  // The error about devices that have not come.
  Error Missing() {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::string missing;
    for (size_t device = 0; device < members_.size(); ++device) {
      if (members_[device].has_come) continue;
      missing += (missing.empty() ? "" : ", ") + std::to_string(device);
    }
    return Error(XLA_FFI_Error_Code_DEADLINE_EXCEEDED,
                 "@" + kernel_->name() + ": of " + std::to_string(members_.size()) +
                     " devices, these have not come to it within " +
                     std::to_string(timeout_ms.load() / 1000) + " s: " + missing +
                     "; expected all to run the program: see whether an error has ended one of "
                     "them, or whether it is waiting for the others");
  }

 private:
  // Ends the calls of all devices, with an error or with what the program reported.
  void End(const Status& status, const Error& error) {
    for (Workspaces::Block& block : workspaces_) TheWorkspaces().Return(std::move(block));
    workspaces_.clear();
    End(std::unique_lock<std::mutex>(mutex_), status, error);
  }

  void End(std::unique_lock<std::mutex> lock, const Status& status, const Error& error) {
    std::vector<std::pair<xla::ffi::Promise, Error>> left;
    int64_t launch = 0;
    {
      const std::unique_lock<std::mutex> held = std::move(lock);
      is_ended_ = true;
      status_ = status;
      error_ = error;
      for (Member& member : members_) {
        if (!member.has_come) continue;
        launch = member.frame.launch;
        if (member.frame.run.recording != 0) TheRecorder().End(member.frame.run);
        if (member.promise) left.emplace_back(std::move(*member.promise), ResultOf(member));
      }
    }
    ended_.notify_all();
    for (auto& each : left) {
      // What follows the call of a device may wait for that of another.
      RunOnOwnThread([each = std::move(each), launch]() mutable {
        if (each.second.success()) {
          each.first.SetAvailable();
        } else {
          FailExecution(launch, each.second);
          each.first.SetError(std::move(each.second));
        }
      });
    }
  }

  // The result of a device's call. With the lock.
  Error ResultOf(const Member& member) const {
    if (error_.failure()) return error_;
    return Conclude(*kernel_, status_, member.frame.status_result);
  }

  // Makes the buffers of the run from those of all devices.
  Error Join() {
    const SharedRun& shared = *kernel_->shared();
    joint_ = members_[0].frame;
    joint_.run = {};
    joint_.is_sampled = false;
    joint_.status_result = nullptr;
    joint_.work = 0;
    for (const Member& member : members_) {
      joint_.work += member.frame.work;
      if (member.frame.dims == joint_.dims) continue;
      return Error::InvalidArgument(
          "@" + kernel_->name() +
          ": the arrays of devices differ in their sizes; expected the same on all");
    }
    Error error = Measure();
    if (error.failure()) return error;
    for (const Workspace& workspace : shared.workspaces) {
      workspaces_.push_back(TheWorkspaces().Take(workspace.bytes));
      if (workspaces_.back().data == nullptr) {
        return Error(XLA_FFI_Error_Code_RESOURCE_EXHAUSTED,
                     "@" + kernel_->name() + ": there is no memory for the " +
                         std::to_string(workspace.bytes) + " bytes of a workspace");
      }
      joint_.buffers[workspace.argument] = workspaces_.back().data.get();
    }
    return Error::Success();
  }

  // Fills the distances, in elements, of the arrays of each device from those of the first.
  Error Measure() {
    const SharedRun& shared = *kernel_->shared();
    const size_t arrays = kernel_->num_arrays();
    offsets_.resize(arrays * members_.size());
    for (size_t array = 0; array < arrays; ++array) {
      const size_t at = kernel_->ArgumentOf(array);
      const auto bytes = static_cast<int64_t>(kernel_->arguments()[at].element->bytes);
      const auto first = reinterpret_cast<intptr_t>(joint_.buffers[at]);
      for (size_t device = 0; device < members_.size(); ++device) {
        const auto own = reinterpret_cast<intptr_t>(members_[device].frame.buffers[at]);
        if ((own - first) % bytes != 0) {
          return Error::InvalidArgument(
              "@" + kernel_->name() + ": array " + std::to_string(array) + " of device " +
              std::to_string(device) + " does not begin a whole number of its elements, of " +
              std::to_string(bytes) + " bytes each, from that of device 0");
        }
        offsets_[array * members_.size() + device] = (own - first) / bytes;
      }
    }
    joint_.buffers[shared.offsets] = offsets_.data();
    return Error::Success();
  }

  const std::shared_ptr<const Kernel> kernel_;
  std::vector<Member> members_;
  const std::chrono::steady_clock::time_point deadline_;
  size_t arrived_ = 0;

  Frame joint_;
  std::vector<int64_t> offsets_;
  std::vector<Workspaces::Block> workspaces_;

  std::mutex mutex_;
  std::condition_variable ended_;
  bool is_running_ = false;
  bool is_ended_ = false;
  Status status_{};
  Error error_ = Error::Success();
};

// The rendezvous that wait for devices.
class Registry {
 public:
  // Execution, call site and group.
  using Key = std::tuple<int64_t, int32_t, int32_t>;

  // Adds a device to its rendezvous. Sets whether it is the last one.
  Error Arrive(const Key& key, const std::shared_ptr<const Kernel>& kernel, int32_t device,
               const Frame& frame, std::shared_ptr<Rendezvous>* found, bool* is_last) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& [launch, error] : failed_) {
      if (launch == std::get<0>(key)) return error;
    }
    std::shared_ptr<Rendezvous>& held = waiting_[key];
    if (held == nullptr) held = std::make_shared<Rendezvous>(kernel);
    *found = held;
    Error error = held->Add(device, frame);
    *is_last = held->IsComplete();
    if (*is_last) waiting_.erase(key);
    if (!watches_) {
      watches_ = true;
      RunOnOwnThread([this] { Watch(); });
    }
    return error;
  }

  // Ends those of an execution that wait for devices, and those that will.
  void Fail(int64_t launch, const Error& error) {
    std::vector<std::shared_ptr<Rendezvous>> ended;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ended = Forget(launch, error);
    }
    for (const auto& each : ended) each->GiveUp(error);
  }

 private:
  // Devices of more executions are not under way at the same time.
  static constexpr size_t kFailed = 64;

  // Notes that an execution has failed; returns those of it that wait, which no device comes to
  // any more. With the lock.
  std::vector<std::shared_ptr<Rendezvous>> Forget(int64_t launch, const Error& error) {
    std::vector<std::shared_ptr<Rendezvous>> found;
    for (const auto& each : failed_) {
      if (each.first == launch) return found;
    }
    failed_.emplace_back(launch, error);
    if (failed_.size() > kFailed) failed_.pop_front();
    for (auto it = waiting_.begin(); it != waiting_.end();) {
      if (std::get<0>(it->first) != launch) {
        ++it;
        continue;
      }
      found.push_back(std::move(it->second));
      it = waiting_.erase(it);
    }
    return found;
  }

  // Ends those that wait for too long, as long as any waits.
  void Watch() {
    for (;;) {
      std::this_thread::sleep_for(std::chrono::milliseconds(250));
      std::vector<std::shared_ptr<Rendezvous>> ended;
      Error error = Error::Success();
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (waiting_.empty()) {
          watches_ = false;
          return;
        }
        const auto now = std::chrono::steady_clock::now();
        for (const auto& [key, each] : waiting_) {
          if (!each->IsLate(now)) continue;
          error = each->Missing();
          ended = Forget(std::get<0>(key), error);
          break;
        }
      }
      for (const auto& each : ended) each->GiveUp(error);
    }
  }

  std::mutex mutex_;
  std::map<Key, std::shared_ptr<Rendezvous>> waiting_;
  std::deque<std::pair<int64_t, Error>> failed_;  // the last executions with errors
  bool watches_ = false;
};

// Never destroyed: a thread of it may run when the process ends.
Registry& TheRegistry() {
  static auto* const registry = new Registry();
  return *registry;
}

}  // namespace

Outcome Meet(std::shared_ptr<const Kernel> kernel, int32_t call_site, Frame& frame,
             const CountThreads& threads, const StartJob& start) {
  const SharedRun& shared = *kernel->shared();
  const auto* place = static_cast<const int32_t*>(frame.buffers[shared.place]);
  const int32_t group = place[0];
  const int32_t device = place[1];
  if (device < 0 || device >= shared.devices) {
    return {Error::Internal("@" + kernel->name() + ": the number of the device is " +
                            std::to_string(device) + "; expected 0 to " +
                            std::to_string(shared.devices - 1)),
            std::nullopt};
  }
  std::shared_ptr<Rendezvous> found;
  bool is_last = false;
  Error error = TheRegistry().Arrive({frame.launch, call_site, group}, kernel, device, frame,
                                     &found, &is_last);
  if (error.failure()) return {std::move(error), std::nullopt};
  if (is_last) found->Run(threads, start);
  return found->Wait(device);
}

void FailExecution(int64_t launch, const Error& error) { TheRegistry().Fail(launch, error); }

void SetRendezvousTimeout(std::chrono::milliseconds timeout) { timeout_ms = timeout.count(); }

}  // namespace sdykit
