// What kind of processor this is.

#ifndef SDYKIT_SPARSECORE_MACHINE_PROCESSOR_H_
#define SDYKIT_SPARSECORE_MACHINE_PROCESSOR_H_

#include <cstdint>
#include <vector>

namespace sdykit::machine {

// Returns the numbers from which LLVM tells model and extensions of the processor: those of others
// differ. Empty where this is not known.
std::vector<uint32_t> Processor();

}  // namespace sdykit::machine

#endif  // SDYKIT_SPARSECORE_MACHINE_PROCESSOR_H_
