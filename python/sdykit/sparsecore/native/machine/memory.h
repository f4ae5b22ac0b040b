// The memory of a run: whose it is, and the numbers by which reports name it.

#ifndef SDYKIT_SPARSECORE_MACHINE_MEMORY_H_
#define SDYKIT_SPARSECORE_MACHINE_MEMORY_H_

#include <cstdint>

#include "../checks/checks.h"
#include "events.h"
#include "run.h"

namespace sdykit::machine {

class MemoryMap {
 public:
  MemoryMap(const Description& description, void* const* buffers, char* scratch)
      : description_(&description), buffers_(buffers), scratch_(scratch) {}

  int64_t agents() const { return description_->agents; }

  // The agent that an address belongs to, or checks::kShared.
  int64_t OwnerOf(const char* address) const;

  Header& HeaderOf(int64_t agent) const {
    return *reinterpret_cast<Header*>(scratch_ + agent * description_->stride);
  }

  // The bytes of a side of a transfer; those of arguments that nobody writes are of no interest.
  checks::Memory Of(const Region& region) const;

  // The bytes of the offsets of an indirect transfer.
  checks::Memory OfOffsets(const TransferEvent& event) const;

  // What reports name an address by: `Names.memory` of mosaic/reports.
  int64_t NumberOf(int64_t address) const;

 private:
  // The argument of the program that an address is in; kNobody if it is in none.
  int64_t ArgumentOf(int64_t address) const;

  const Description* description_;
  void* const* buffers_;
  char* scratch_;
};

}  // namespace sdykit::machine

#endif  // SDYKIT_SPARSECORE_MACHINE_MEMORY_H_
