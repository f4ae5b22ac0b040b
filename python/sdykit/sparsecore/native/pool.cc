#include "pool.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace sdykit {

namespace {

// The maximum number of scratch memories that are kept for the next call, and of the bytes of each.
constexpr size_t kKept = 16;
constexpr int64_t kKeptBytes = int64_t{1} << 24;

// A call of RunParts.
struct Work {
  const std::function<void(int64_t, Scratch&)>& run;
  const int64_t parts;
  std::atomic<int64_t> next{0};
  int64_t wanted;  // the number of threads that may still join; this and the rest under the mutex
  int64_t active = 0;
  int64_t failed;  // the lowest part that has failed, or `parts`
  std::exception_ptr failure;
};

class Pool {
 public:
  // Returns the pool of this process, which lives as long: its threads wait in it.
  static Pool& Get() {
    static const int registered = pthread_atfork(nullptr, nullptr, [] { current = new Pool; });
    (void)registered;  // The threads of the parent are not in a child, and its mutex may be locked.
    return *current;
  }

  void Run(Work& work) {
    if (work.wanted > 0) Offer(work);
    Join(work);
    std::unique_lock<std::mutex> lock(mutex_);
    works_.erase(std::remove(works_.begin(), works_.end(), &work), works_.end());
    done_.wait(lock, [&] { return work.active == 0; });
  }

  Scratch TakeScratch() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (scratches_.empty()) return {};
    Scratch taken = std::move(scratches_.back());
    scratches_.pop_back();
    return taken;
  }

  void LeaveScratch(Scratch scratch) {
    if (scratch.bytes() > kKeptBytes) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (scratches_.size() < kKept) scratches_.push_back(std::move(scratch));
  }

 private:
  static Pool* current;

  Pool() {
    works_.reserve(kKept);
    scratches_.reserve(kKept);
  }

  void Offer(Work& work) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      works_.push_back(&work);
      while (threads_ < work.wanted && Start()) ++threads_;
    }
    waiting_.notify_one();  // It wakes the next: the caller begins to work.
  }

  bool Start() {
    try {
      std::thread([this] { Serve(); }).detach();
    } catch (const std::system_error&) {  // The system has no more threads.
      return false;
    }
    return true;
  }

  void Serve() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      Work* work = nullptr;
      waiting_.wait(lock, [&] { return (work = Next()) != nullptr; });
      ++work->active;
      if (--work->wanted > 0 || Next() != nullptr) waiting_.notify_one();
      lock.unlock();
      Join(*work);
      lock.lock();
      if (--work->active == 0) done_.notify_all();
    }
  }

  Work* Next() const {
    for (Work* const each : works_) {
      if (each->wanted > 0 && each->next < each->parts) return each;
    }
    return nullptr;
  }

  void Join(Work& work) {
    HeldScratch scratch;
    int64_t part;
    while ((part = work.next++) < work.parts) {
      try {
        work.run(part, *scratch);
      } catch (...) {
        work.next = work.parts;
        const std::lock_guard<std::mutex> lock(mutex_);
        if (part < std::exchange(work.failed, std::min(part, work.failed))) {
          work.failure = std::current_exception();
        }
      }
    }
  }

  std::mutex mutex_;
  std::condition_variable waiting_, done_;
  std::vector<Work*> works_;
  std::vector<Scratch> scratches_;
  int64_t threads_ = 0;
};

Pool* Pool::current = new Pool;

}  // namespace

HeldScratch::HeldScratch() : scratch_(Pool::Get().TakeScratch()) {}

HeldScratch::~HeldScratch() { Pool::Get().LeaveScratch(std::move(scratch_)); }

void RunParts(int64_t parts, int64_t threads,
              const std::function<void(int64_t, Scratch&)>& run) {
  const int64_t wanted = std::max<int64_t>(std::min(parts, threads) - 1, 0);
  Work work{run, parts, {0}, wanted, 0, parts, nullptr};
  Pool::Get().Run(work);
  if (work.failure) std::rethrow_exception(work.failure);
}

}  // namespace sdykit
