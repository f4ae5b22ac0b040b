// Threads that share the parts of some work.

#ifndef SDYKIT_SPARSECORE_POOL_H_
#define SDYKIT_SPARSECORE_POOL_H_

#include <cstdint>
#include <functional>

#include "scratch.h"

namespace sdykit {

// Runs `run` for each part below `parts`, on the calling thread and up to `threads - 1` others.
//
// The others are kept for the next call. The caller waits for those only that have begun, and where
// none can be started it runs all parts. After an exception no more parts begin, and that of the
// lowest failing part is thrown. Call it without the GIL.
void RunParts(int64_t parts, int64_t threads,
              const std::function<void(int64_t part, Scratch& scratch)>& run);

// Memory of a thread, kept for the next that needs some: fresh memory costs page faults.
class HeldScratch {
 public:
  HeldScratch();
  HeldScratch(const HeldScratch&) = delete;
  HeldScratch& operator=(const HeldScratch&) = delete;
  ~HeldScratch();
  Scratch& operator*() { return scratch_; }

 private:
  Scratch scratch_;
};

}  // namespace sdykit

#endif  // SDYKIT_SPARSECORE_POOL_H_
