// Accesses, and what the next one may conflict with.

#ifndef SDYKIT_SPARSECORE_CHECKS_ACCESSES_H_
#define SDYKIT_SPARSECORE_CHECKS_ACCESSES_H_

#include <cstdint>
#include <vector>

namespace sdykit::checks {

// `Action` of mosaic/reports.
enum class Action : int32_t { kRead = 0, kWrite = 1, kAdd = 2 };

// One load, store, or side of a transfer.
struct Access {
  int64_t agent;
  int64_t place;
  Action action;
  int64_t start;          // how far its agent had come
  int64_t end_agent = 0;  // who waited for it
  int64_t end = 0;        // how far that agent had come then; 0 while it is under way
};

// The number of an access.
using AccessId = uint32_t;

using Accesses = std::vector<Access>;

inline bool BothWrite(const Access& left, const Access& right) {
  return left.action == Action::kWrite && right.action == Action::kWrite;
}

inline bool BothAdd(const Access& left, const Access& right) {
  return left.action == Action::kAdd && right.action == Action::kAdd;
}

}  // namespace sdykit::checks

#endif  // SDYKIT_SPARSECORE_CHECKS_ACCESSES_H_
