// Agents that never wait for each other: each runs on a machine of its own, on any thread.

#ifndef SDYKIT_SPARSECORE_MACHINE_APART_H_
#define SDYKIT_SPARSECORE_MACHINE_APART_H_

#include <cstdint>

#include "run.h"

namespace sdykit::machine {

// Runs the agents [first, last) of a phase; other threads may run the others at the same time.
//
// What the agents touched of the arguments is compared once all have ended. If one of them has failed,
// if two of them touched the same bytes and one wrote them, or if one read what nobody wrote before,
// they all run once more, together, which decides what that was: so reports do not depend on threads.
// The phase must write no argument whose contents it also gets from the caller.
void RunApart(RunAgents* run, void* const* buffers, const int64_t* dims, int64_t first, int64_t last,
              char* scratch, int64_t* status, Settings* settings, const Description* description);

}  // namespace sdykit::machine

#endif  // SDYKIT_SPARSECORE_MACHINE_APART_H_
