// Reports of errors: lists of integers, which Python turns into texts.

#ifndef SDYKIT_SPARSECORE_MACHINE_REPORTS_H_
#define SDYKIT_SPARSECORE_MACHINE_REPORTS_H_

#include <cstdint>
#include <vector>

#include "semaphore.h"

namespace sdykit::machine {

// status[0] of a run that ended with a report; status[1] is the report's number.
inline constexpr int64_t kHasReport = -1;

// status[0] of a run for which there was no memory: status[1] and status[2] are the agent that needed
// it and its line, status[3] is the number of agents if there was none for their stacks, else 0.
inline constexpr int64_t kNoMemory = -2;

// There is none for the stacks of so many agents.
inline void TellNoMemory(int64_t* status, int64_t agents) {
  status[1] = status[2] = kNobody;
  status[3] = agents;
  status[0] = kNoMemory;
}

// status[0] of a run that ended well, with races that are only warned of; status[1] is the number of
// a list of reports, each after the number of its integers.
inline constexpr int64_t kHasWarnings = -3;

// Keeps a report and returns its number. Of reports that nobody takes only the last are kept: of
// several threads that fail, one is reported.
int64_t KeepReport(std::vector<int64_t> report);

// Returns a report and forgets it; empty if there is none with this number.
std::vector<int64_t> TakeReport(int64_t number);

}  // namespace sdykit::machine

#endif  // SDYKIT_SPARSECORE_MACHINE_REPORTS_H_
