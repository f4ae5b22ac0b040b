// Marks: which parts of the agents' own memory a transfer under way may touch.
//
// Machine code reads them before each load and store, and asks the checks only where there is a mark.
// A byte stands for each line of 64 bytes: the number of transfers that touch it, or the one after it,
// so that an access of up to 64 bytes has to read one mark, at the line in which it begins.

#ifndef SDYKIT_SPARSECORE_CHECKS_MARKS_H_
#define SDYKIT_SPARSECORE_CHECKS_MARKS_H_

#include <cstdint>
#include <vector>

#include "regions.h"

namespace sdykit::checks {

class Marks {
 public:
  // The memory of agent k is the `stride` bytes from `begin + k * stride` on; both are multiples of 64.
  // Without `counts` there is never a mark.
  Marks(const char* begin, int64_t agents, int64_t stride, bool counts);

  // The address of the mark of address 0: that of an address is `address / 64` after it.
  int64_t Of(int64_t agent) const;

  // Marks all of an agent's memory, or leaves its own marks again.
  void WatchAll(int64_t agent, bool all);

  // A transfer touches bytes of an agent's memory, or does so no longer.
  void Add(const Region& region);
  void Remove(const Region& region);

 private:
  static constexpr int64_t kLineBytes = 64;
  static constexpr int64_t kBefore = 1;  // the mark before those of the first line
  static constexpr int64_t kAfter = 64;  // machine code reads several marks at once
  static constexpr uint8_t kMany = 255;  // as many as can be counted: it stays

  template <typename Change>
  void ForEachMark(const Region& region, Change change);

  int64_t begin_;
  int64_t lines_;  // of an agent
  bool counts_;
  std::vector<uint8_t> marks_;
  std::vector<uint8_t> all_;  // marks of an agent all of whose memory is watched, once one is
  std::vector<bool> watches_all_;
};

}  // namespace sdykit::checks

#endif  // SDYKIT_SPARSECORE_CHECKS_MARKS_H_
