// Transfers under way: DMAs that were started, and that nobody has waited for. The same as
// mosaic/reference/checks/transfers.py.

#ifndef SDYKIT_SPARSECORE_CHECKS_TRANSFERS_H_
#define SDYKIT_SPARSECORE_CHECKS_TRANSFERS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "accesses.h"
#include "marks.h"
#include "regions.h"
#include "renumbering.h"

namespace sdykit::checks {

// In place of the number of an agent: memory that agents share.
inline constexpr int64_t kShared = -1;

// What a transfer does with one piece of memory.
struct Side {
  AccessId access;
  Action action;
  int64_t owner;  // the agent whose memory it is, or kShared
  Region region;
};

class Transfers {
 public:
  // `marks` are kept as transfers start and complete; null: there are none.
  Transfers(int64_t agents, Marks* marks) : private_(agents), marks_(marks) {}

  // Adds sides of a transfer, at most `kSides`, that are done when a semaphore has been waited for.
  void Start(int64_t semaphore, int64_t amount, std::vector<Side> sides);

  // Returns the accesses that are done now that a semaphore has been waited for, in the order in
  // which they were started, as far as the amounts go.
  std::vector<AccessId> Complete(int64_t semaphore, int64_t amount);

  // Keeps the accesses that are under way; gives them their new numbers.
  void KeepAccesses(Renumbering& accesses) const;
  void Renumber(const Renumbering& accesses);

  // What is under way in an agent's own memory.
  const std::vector<Side>& Of(int64_t agent) const { return private_[agent]; }

 private:
  // Source, offsets and target.
  static constexpr size_t kSides = 3;

  struct Started {
    int64_t amount;
    std::array<std::pair<AccessId, int64_t>, kSides> sides{};  // accesses, and owners of their memory
    size_t count = 0;

    void Add(AccessId access, int64_t owner) { sides[count++] = {access, owner}; }
    auto begin() { return sides.begin(); }
    auto end() { return sides.begin() + count; }
    auto begin() const { return sides.begin(); }
    auto end() const { return sides.begin() + count; }
  };
  // Those that nobody has waited for are the ones from `first` on.
  struct Queue {
    std::vector<Started> started;
    size_t first = 0;
    int64_t waited = 0;

    bool is_empty() const { return first == started.size(); }
    void Pop();
  };

  std::unordered_map<int64_t, Queue> queues_;
  std::vector<std::vector<Side>> private_;
  Marks* marks_;
};

// Whether two accesses to the same bytes are not both reads nor both additions.
inline bool Conflict(Action left, Action right) {
  return !(left == right && (left == Action::kRead || left == Action::kAdd));
}

}  // namespace sdykit::checks

#endif  // SDYKIT_SPARSECORE_CHECKS_TRANSFERS_H_
