// The functions that machine code calls. Python links them by name: see module.cc.

#ifndef SDYKIT_SPARSECORE_MACHINE_FUNCTIONS_H_
#define SDYKIT_SPARSECORE_MACHINE_FUNCTIONS_H_

#include <cstdint>

#include "run.h"

namespace sdykit::machine {

// Runs a piece of an ordinary phase. After a failure `status` has its report.
void RunOrdinary(RunPiece* piece, void* const* buffers, const int64_t* dims, int64_t begin,
                 int64_t end, char* scratch, int64_t* status);

// Ends the run with the report [kind, agent, place, numbers...].
[[noreturn]] void Fail(char* arena, int64_t kind, int64_t place, const int64_t* numbers,
                       int64_t count);

}  // namespace sdykit::machine

#endif  // SDYKIT_SPARSECORE_MACHINE_FUNCTIONS_H_
