// Iterations of a `parallel_loop` that depend on each other through memory. The same as
// mosaic/reference/checks/loops.py.

#ifndef SDYKIT_SPARSECORE_CHECKS_LOOPS_H_
#define SDYKIT_SPARSECORE_CHECKS_LOOPS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "accesses.h"

namespace sdykit::checks {

// An access in a loop.
struct LoopAccess {
  int64_t iteration = -1;  // -1: there is none
  int64_t place = 0;
  Action action = Action::kRead;
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

  // Remembers an access to the bytes [begin, end) in this iteration. Returns the first access of
  // another one that it conflicts with.
  std::optional<LoopAccess> Touch(int64_t begin, int64_t end, int64_t place, Action action);

 private:
  // The last accesses to a byte of two iterations: one of them is not of the next one.
  using Pair = std::array<LoopAccess, 2>;
  struct Unit {
    Pair writers;
    Pair readers;
  };
  // As many bytes each as no access has touched a part of.
  struct Page {
    int64_t unit_bytes = 0;
    std::vector<Unit> units;
  };

  template <typename Function>
  void ForEachUnit(int64_t begin, int64_t end, Function function);
  static void Split(Page& page, int64_t unit_bytes);
  static void Remember(Pair& pair, const LoopAccess& access);
  static LoopAccess ConflictOf(const Unit& unit, const LoopAccess& access);

  int64_t place_;
  int64_t iteration_ = -1;
  std::unordered_map<int64_t, Page> pages_;
};

}  // namespace sdykit::checks

#endif  // SDYKIT_SPARSECORE_CHECKS_LOOPS_H_
