// Whether a run is to end early: who runs programs knows, and says by a function.

#ifndef SDYKIT_SPARSECORE_MACHINE_INTERRUPTS_H_
#define SDYKIT_SPARSECORE_MACHINE_INTERRUPTS_H_

#include <cstdint>

namespace sdykit::machine {

// Returns 1 if the run of the calling thread is to end, else 0.
using IsInterruptedFunction = int64_t();

// Sets the function that is asked from now on; null: no run is to end.
void SetInterrupted(IsInterruptedFunction* function);

// What machine code calls in loops that may take long.
int64_t IsInterrupted();

}  // namespace sdykit::machine

#endif  // SDYKIT_SPARSECORE_MACHINE_INTERRUPTS_H_
