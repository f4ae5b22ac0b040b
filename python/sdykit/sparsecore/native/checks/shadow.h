// Shadow memory: who touched each byte last, and what that makes of the next access. The same as
// mosaic/reference/checks/shadow.py.
//
// Bytes have the number of a state: the accesses that the next one may conflict with. A page of which
// no part was touched alone has one state; others have one for each unit: as many bytes as no access has
// touched a part of, words of 4 bytes or more, or single bytes.

#ifndef SDYKIT_SPARSECORE_CHECKS_SHADOW_H_
#define SDYKIT_SPARSECORE_CHECKS_SHADOW_H_

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "accesses.h"
#include "clocks.h"
#include "footprint.h"
#include "regions.h"
#include "renumbering.h"

namespace sdykit::checks {

// Returns whether the bytes [begin, end) of a region, in the order of its elements, hold what an
// access writes there.
using Same = std::function<bool(int64_t begin, int64_t end)>;

class Shadow {
 public:
  Shadow(const Accesses& accesses, const Clocks& clocks)
      : accesses_(accesses), clocks_(clocks), states_(1) {}

  // Appends to `conflicts` the earlier accesses that conflict with this one, each once, and
  // remembers this one. `same` may be null: nothing is known.
  void Apply(AccessId access, const Region& region, const Same* same,
             std::vector<AccessId>& conflicts);

  // How many states there are, of which some may be of no byte any more.
  size_t state_count() const { return states_.size(); }

  // Forgets states that are of no byte, and keeps the accesses of the others. Returns how many units
  // the shadow has.
  size_t KeepAccesses(Renumbering& accesses);

  // Gives accesses their new numbers.
  void Renumber(const Renumbering& accesses);

  // The bytes that have been touched, in order.
  Ranges Touched() const;

  // Whether bytes were read that nobody had written before.
  bool has_read_unwritten() const { return has_read_unwritten_; }

 private:
  using StateId = uint32_t;

  // Accesses of which none is superseded by another. Writes that are here together wrote the same
  // bytes; `knowing` are reads of agents who knew of one of them.
  struct State {
    std::vector<AccessId> writers;
    std::vector<AccessId> readers;
    std::vector<AccessId> knowing;
  };

  // An earlier access, and whether it is none if the same bytes are written.
  struct Conflict {
    AccessId access;
    bool unless_same;
  };

  struct Page {
    StateId state = 0;              // of all bytes, while there are no `units`
    int64_t unit_bytes = 0;
    std::vector<StateId> units;
  };

  // What the access that is applied makes of a state.
  struct Step {
    StateId from;
    StateId to;
    std::vector<Conflict> conflicts;
    bool asks_same;  // a conflict is none if the same bytes are written
  };

  bool IsBefore(const Access& left, const Access& right) const {
    return left.end != 0 && clocks_.Knows(right.agent, left.end_agent, left.end);
  }

  // Calls `function` with each list of accesses of all states.
  template <typename Function>
  void ForEachList(Function function);
  // Calls `function` with each state of all pages, those of units one by one.
  template <typename Function>
  void ForEachUsed(Function function);
  void AddTouched(int64_t begin, const Page& page, Ranges& ranges) const;
  void ApplyTo(Page& page, int64_t begin, int64_t end, int64_t position);
  static void Split(Page& page, int64_t unit_bytes);
  StateId Next(StateId from, int64_t begin, int64_t end, int64_t unit_bytes);
  void Collect(const Step& step, bool is_same);
  const Step& StepFrom(StateId from);
  bool KnowsBytes(const State& state, const Access& access) const;
  bool Supersedes(const Access& later, const Access& earlier) const;
  void AddReaders(const std::vector<AccessId>& readers, bool unless_same, Step& step) const;
  State After(const State& old, const Access& access) const;
  std::vector<AccessId> Left(const std::vector<AccessId>& accesses, bool is_new) const;

  const Accesses& accesses_;
  const Clocks& clocks_;
  std::vector<State> states_;
  std::unordered_map<int64_t, Page> pages_;
  bool has_read_unwritten_ = false;

  // The access that is applied.
  AccessId access_ = 0;
  const Same* same_ = nullptr;
  std::vector<AccessId>* conflicts_ = nullptr;
  std::vector<Step> steps_;
  size_t last_step_ = 0;
};

}  // namespace sdykit::checks

#endif  // SDYKIT_SPARSECORE_CHECKS_SHADOW_H_
