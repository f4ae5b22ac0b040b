// Fibers: functions with stacks of their own, of which one at a time runs on a thread.

#ifndef SDYKIT_SPARSECORE_MACHINE_FIBER_H_
#define SDYKIT_SPARSECORE_MACHINE_FIBER_H_

#include <cstddef>

#if defined(SDYKIT_UCONTEXT) || !(defined(__x86_64__) || defined(__aarch64__))
#define SDYKIT_USES_UCONTEXT 1
#include <ucontext.h>
#endif

namespace sdykit::machine {

// Where a fiber goes on, and, of the thread itself, where it left for its first fiber.
class Fiber {
 public:
  // The thread.
  Fiber() = default;
  ~Fiber();

  // Makes the fiber begin with `function(argument)`, which never returns, on a stack that grows down
  // to `stack`.
  void Start(char* stack, size_t bytes, void (*function)(void*), void* argument);

  // Goes from this fiber, which runs now, to another one. Returns when one comes back.
  void SwitchTo(Fiber& next);

  // The same, and nobody comes back.
  [[noreturn]] void LeaveTo(Fiber& next);

 private:
  // Tells ThreadSanitizer that there is another stack.
  void MakeKnown();
  void Jump(Fiber& next);
  static void Begin(void* fiber);

  // Tell the sanitizers that another stack is used from now on; `own` is its memory of the fiber
  // that departs, null if that never goes on.
  void Depart(void** own, const Fiber& next);
  static void Arrive(void* own);

#ifdef SDYKIT_USES_UCONTEXT
  ucontext_t context_;
#else
  void* stack_pointer_ = nullptr;
#endif
  void (*function_)(void*) = nullptr;
  void* argument_ = nullptr;
  // What the sanitizers have to know: the memory of the stack, and their own of a fiber.
  const void* stack_ = nullptr;
  size_t bytes_ = 0;
  void* of_sanitizer_ = nullptr;
};

}  // namespace sdykit::machine

#endif  // SDYKIT_SPARSECORE_MACHINE_FIBER_H_
