// A semaphore: its count, and the transfers that it was not waited for yet.

#ifndef SDYKIT_SPARSECORE_MACHINE_SEMAPHORE_H_
#define SDYKIT_SPARSECORE_MACHINE_SEMAPHORE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sdykit::machine {

// In place of a number of an agent or of a source line: there is none.
inline constexpr int64_t kNobody = -1;

class Semaphore {
 public:
  int64_t count() const { return count_; }

  // An agent signals it, at a line.
  void Signal(int64_t amount, int64_t place) {
    count_ += amount;
    signalled_ = place;
  }

  // A transfer that was started at a line signals it.
  void Complete(int64_t amount, int64_t place) {
    started_.push_back({place, amount});
    count_ += amount;
  }

  // Takes an amount away, which completes transfers in the order in which they were started, as far
  // as it goes.
  void Take(int64_t amount) {
    count_ -= amount;
    waited_ += amount;
    while (first_ < started_.size() && started_[first_].amount <= waited_) {
      waited_ -= started_[first_++].amount;
    }
    if (first_ == started_.size()) waited_ = 0;
    Forget();
  }

  // The line of the first transfer that has not been waited for, or kNobody.
  int64_t unwaited() const { return first_ < started_.size() ? started_[first_].place : kNobody; }

  // The line at which an agent signalled it last, or kNobody.
  int64_t signalled() const { return signalled_; }

 private:
  struct Started {
    int64_t place;
    int64_t amount;
  };

  // Gives up the memory of transfers that are complete, from time to time.
  void Forget() {
    constexpr size_t kMany = 64;
    if (first_ < started_.size() && first_ < kMany) return;
    started_.erase(started_.begin(), started_.begin() + static_cast<ptrdiff_t>(first_));
    first_ = 0;
  }

  int64_t count_ = 0;
  int64_t signalled_ = kNobody;
  int64_t waited_ = 0;  // beyond the transfers that are complete
  std::vector<Started> started_;
  size_t first_ = 0;  // that is not complete
};

}  // namespace sdykit::machine

#endif  // SDYKIT_SPARSECORE_MACHINE_SEMAPHORE_H_
