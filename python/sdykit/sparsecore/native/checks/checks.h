// Races between agents, and data that are touched under way, as the events of a machine. The same as
// mosaic/reference/checks/checks.py; a test feeds both with the same events.

#ifndef SDYKIT_SPARSECORE_CHECKS_CHECKS_H_
#define SDYKIT_SPARSECORE_CHECKS_CHECKS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "accesses.h"
#include "clocks.h"
#include "regions.h"
#include "shadow.h"
#include "transfers.h"

namespace sdykit::checks {

// A piece of memory, and whose it is: an agent's, or kShared.
struct Memory {
  int64_t owner;
  Region region;
};

struct Transfer {
  int64_t agent;
  int64_t place;
  Action action;  // of the target
  int64_t semaphore;
  int64_t amount;
  Memory source;
  Memory target;
  std::optional<Memory> offsets;  // of an indirect transfer
  const Same* same;               // null: nothing is known
  bool is_remote;                 // the semaphore is another agent's
  // What is signalled when the source has been read, if that is another semaphore.
  std::optional<int64_t> source_semaphore;
  int64_t source_amount;
};

// A report without its list of numbers: `Race` or `UnderWay` of mosaic/reports.
struct Finding {
  static constexpr int64_t kRace = 9;
  static constexpr int64_t kUnderWay = 10;

  int64_t kind;
  int64_t agent;
  int64_t place;
  Action action;
  int64_t transfer;  // of kUnderWay alone
  int64_t other;
  int64_t other_place;
  Action other_action;
  int64_t address;  // of the first byte of the memory that is touched
};

// Each function that returns findings returns those of pairs of lines that no other returned before.
class Checks {
 public:
  // `marks`: see `Transfers`. `most`: how much is remembered before what can no longer conflict is
  // looked for, at first.
  explicit Checks(int64_t agents, Marks* marks = nullptr, size_t most = kMost)
      : clocks_(agents),
        shadow_(accesses_, clocks_),
        transfers_(agents, marks),
        most_(most),
        forgets_at_(most) {}

  // Starts a transfer; to be called before its data are moved.
  std::vector<Finding> Enqueue(Transfer transfer);

  // Loads from an agent's own memory, stores to it, or adds to it.
  std::vector<Finding> Touch(int64_t agent, int64_t place, const Region& region, Action action);
  // The same for contiguous bytes [begin, end).
  std::vector<Finding> Touch(int64_t agent, int64_t place, int64_t begin, int64_t end,
                             Action action);

  void Signal(int64_t agent, int64_t semaphore) { clocks_.Release(agent, semaphore); }

  // Adds the count that an earlier call has passed: waits take it before that of this call's transfers.
  void AddEarlier(int64_t semaphore, int64_t amount) { transfers_.Start(semaphore, amount, {}); }

  // Ends a wait by which an amount was taken away.
  void Wait(int64_t agent, int64_t semaphore, int64_t amount);

  void Barrier(const int64_t* agents, int64_t count) { clocks_.Join(agents, count); }

  // Adds atomically to a word of any agent's memory, or loads or stores one of an agent's own that
  // others may add to so. A load is no race: it learns what those know who have added before.
  std::vector<Finding> FetchAndAdd(int64_t agent, int64_t place, int64_t word);
  std::vector<Finding> TouchWord(int64_t agent, int64_t place, int64_t word, Action action);

  // How many accesses are remembered.
  size_t access_count() const { return accesses_.size(); }

  // What has been touched of memory that agents share: see `Shadow`.
  Ranges Touched() const { return shadow_.Touched(); }
  bool HasReadUnwritten() const { return shadow_.has_read_unwritten(); }

  // What is under way in an agent's own memory.
  const std::vector<Side>& UnderWay(int64_t agent) const { return transfers_.Of(agent); }

 private:
  static constexpr size_t kMost = 1 << 14;
  static constexpr size_t kUnitsPerAccess = 32;

  void Forget();
  Side SideOf(const Transfer& transfer, Memory memory, Action action);
  void Add(const Side& side, const Same* same, std::vector<Finding>& found);
  void AddShared(const Side& side, const Same* same, std::vector<Finding>& found);
  void AddWord(int64_t agent, int64_t place, int64_t word, Action action,
               std::vector<Finding>& found);
  void Compare(const std::vector<Side>& reads, const Side& target, std::vector<Finding>& found);
  void Report(int64_t kind, const Access& access, int64_t transfer, const Access& other,
              int64_t address, std::vector<Finding>& found);

  Accesses accesses_;
  Clocks clocks_;
  Shadow shadow_;
  Transfers transfers_;
  std::set<std::tuple<int64_t, int64_t, int64_t>> pairs_;
  size_t most_;
  size_t forgets_at_;  // when so much is remembered
};

}  // namespace sdykit::checks

#endif  // SDYKIT_SPARSECORE_CHECKS_CHECKS_H_
