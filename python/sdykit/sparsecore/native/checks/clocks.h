// Vector clocks: which agent knows of which accesses of the others. The same as
// mosaic/reference/checks/clocks.py.

#ifndef SDYKIT_SPARSECORE_CHECKS_CLOCKS_H_
#define SDYKIT_SPARSECORE_CHECKS_CLOCKS_H_

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace sdykit::checks {

class Clocks {
 public:
  explicit Clocks(int64_t agents);

  // How far an agent has come.
  int64_t Now(int64_t agent) const { return clocks_[agent][agent]; }

  // Whether an agent knows that another had come to a time.
  bool Knows(int64_t agent, int64_t other, int64_t time) const {
    return clocks_[agent][other] >= time;
  }

  // Leaves what an agent knows at a semaphore or word; what it does next is not part of it.
  void Release(int64_t agent, int64_t meeting);

  // Learns what others have left at a semaphore or word.
  void Acquire(int64_t agent, int64_t meeting);

  // Lets each agent know all that the others know.
  void Join(const int64_t* agents, int64_t count);

 private:
  using Clock = std::vector<int64_t>;

  static void Raise(Clock& clock, const Clock& other);

  std::vector<Clock> clocks_;  // [i][j]: how far j had come when i last heard of it
  std::unordered_map<int64_t, Clock> met_;
};

}  // namespace sdykit::checks

#endif  // SDYKIT_SPARSECORE_CHECKS_CLOCKS_H_
