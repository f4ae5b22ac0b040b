#include "interrupts.h"

#include <atomic>

namespace sdykit::machine {

namespace {

std::atomic<IsInterruptedFunction*> asked{nullptr};

}  // namespace

void SetInterrupted(IsInterruptedFunction* function) {
  asked.store(function, std::memory_order_relaxed);
}

int64_t IsInterrupted() {
  IsInterruptedFunction* function = asked.load(std::memory_order_relaxed);
  return function == nullptr ? 0 : function();
}

}  // namespace sdykit::machine
