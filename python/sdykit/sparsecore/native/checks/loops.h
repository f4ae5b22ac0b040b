// Iterations of a `parallel_loop` that depend on each other through memory. The same as
// mosaic/reference/checks/loops.py.

#ifndef SDYKIT_SPARSECORE_CHECKS_LOOPS_H_
#define SDYKIT_SPARSECORE_CHECKS_LOOPS_H_

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "accesses.h"

namespace sdykit::checks {

// An access in a loop.
struct LoopAccess {
  int64_t iteration = kNone;
  int32_t place = 0;
  Action action = Action::kRead;

  static constexpr int64_t kNone = -1;  // There is no access.
};

class ParallelLoop {
 public:
  explicit ParallelLoop(int64_t place) : place_(place) {}

  int64_t place() const { return place_; }
  int64_t iteration() const { return iteration_; }

  // Begins an iteration.
  void Next() { ++iteration_; }

  // Forgets bytes that the iteration has made for itself.
  void Forget(int64_t begin, int64_t end);

  // Remembers an access to the bytes [begin, end) in this iteration. Returns the accesses of others
  // that it conflicts with, those to the first bytes first.
  std::vector<LoopAccess> Touch(int64_t begin, int64_t end, int64_t place, Action action);

 private:
  // The last two accesses to a byte that no later one supersedes. See `_State` of the reference.
  using Pair = std::array<LoopAccess, 2>;
  struct Unit {
    Pair writers;
    Pair readers;
    Pair knowing;
  };
  // As many bytes each as no access has touched a part of.
  struct Page {
    int64_t unit_bytes = 0;
    std::vector<Unit> units;
  };

  template <typename Function>
  void ForEachUnit(int64_t begin, int64_t end, Function function);
  static void Split(Page& page, int64_t unit_bytes);
  static void Apply(const LoopAccess& access, Unit& unit, std::vector<LoopAccess>& conflicts);

  int64_t place_;
  int64_t iteration_ = -1;
  std::unordered_map<int64_t, Page> pages_;
};

}  // namespace sdykit::checks

#endif  // SDYKIT_SPARSECORE_CHECKS_LOOPS_H_
