#include "threads.h"

#include <cfenv>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#if defined(__linux__)
#include <pthread.h>
#endif

namespace sdykit {

namespace {

// Never destroyed: its threads run until the process ends.
class Threads {
 public:
  void Run(std::function<void()> task) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      tasks_.push_back(std::move(task));
      if (tasks_.size() > idle_) std::thread([this] { Loop(); }).detach();
    }
    woken_.notify_one();
  }

 private:
  void Loop() {
#if defined(__linux__)
    pthread_setname_np(pthread_self(), "sparsecore");
#endif
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      ++idle_;
      woken_.wait(lock, [this] { return !tasks_.empty(); });
      --idle_;
      const std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable woken_;
  std::deque<std::function<void()>> tasks_;
  size_t idle_ = 0;
};

}  // namespace

void RunOnOwnThread(std::function<void()> task) {
  static Threads* const threads = new Threads();
  std::fenv_t environment;
  std::fegetenv(&environment);
  threads->Run([environment, task = std::move(task)] {
    std::fesetenv(&environment);
    task();
  });
}

}  // namespace sdykit
