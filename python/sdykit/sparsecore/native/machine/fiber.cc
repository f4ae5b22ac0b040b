#include "fiber.h"

#include <cstdint>
#include <cstdlib>

#if defined(__SANITIZE_ADDRESS__)
#define SDYKIT_HAS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SDYKIT_HAS_ASAN 1
#endif
#endif

#if defined(__SANITIZE_THREAD__)
#define SDYKIT_HAS_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SDYKIT_HAS_TSAN 1
#endif
#endif

#ifdef SDYKIT_HAS_ASAN
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef SDYKIT_HAS_TSAN
#include <sanitizer/tsan_interface.h>
#endif

// sdykit_switch(save, next) keeps the registers that a function must keep on the stack, the stack
// pointer in *save, and takes both from `next`. A new fiber's stack is made so that it begins in
// sdykit_begin, with the function and its argument in two of these registers. The modes of
// floating-point arithmetic are those of the thread.
#if defined(SDYKIT_USES_UCONTEXT)
// glibc's own.
#elif defined(__x86_64__)
asm(R"(
.pushsection .text
.globl sdykit_switch
.hidden sdykit_switch
.type sdykit_switch, @function
sdykit_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size sdykit_switch, .-sdykit_switch
.globl sdykit_begin
.hidden sdykit_begin
.type sdykit_begin, @function
sdykit_begin:
  movq %r12, %rdi
  callq *%r13
  ud2
.size sdykit_begin, .-sdykit_begin
.popsection
)");
#elif defined(__aarch64__)
asm(R"(
.pushsection .text
.globl sdykit_switch
.hidden sdykit_switch
.type sdykit_switch, %function
sdykit_switch:
  stp x29, x30, [sp, #-160]!
  stp x19, x20, [sp, #16]
  stp x21, x22, [sp, #32]
  stp x23, x24, [sp, #48]
  stp x25, x26, [sp, #64]
  stp x27, x28, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #16]
  ldp x21, x22, [sp, #32]
  ldp x23, x24, [sp, #48]
  ldp x25, x26, [sp, #64]
  ldp x27, x28, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  ldp x29, x30, [sp], #160
  ret
.size sdykit_switch, .-sdykit_switch
.globl sdykit_begin
.hidden sdykit_begin
.type sdykit_begin, %function
sdykit_begin:
  mov x0, x19
  blr x20
  brk #0
.size sdykit_begin, .-sdykit_begin
.popsection
)");
#endif

#ifndef SDYKIT_USES_UCONTEXT
extern "C" void sdykit_switch(void** save, void* next);
extern "C" void sdykit_begin();
#endif

namespace sdykit::machine {

#if defined(SDYKIT_USES_UCONTEXT)

namespace {

// makecontext passes ints only.
void BeginContext(unsigned high, unsigned low, unsigned function_high, unsigned function_low) {
  const auto join = [](unsigned a, unsigned b) {
    return static_cast<uintptr_t>(static_cast<uint64_t>(a) << 32 | b);
  };
  reinterpret_cast<void (*)(void*)>(join(function_high, function_low))(
      reinterpret_cast<void*>(join(high, low)));
}

}  // namespace

void Fiber::Start(char* stack, size_t bytes, void (*function)(void*), void* argument) {
  function_ = function;
  argument_ = argument;
  stack_ = stack;
  bytes_ = bytes;
  MakeKnown();
  getcontext(&context_);
  context_.uc_stack.ss_sp = stack;
  context_.uc_stack.ss_size = bytes;
  context_.uc_link = nullptr;
  const auto self = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(this));
  const auto begin = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(&Fiber::Begin));
  makecontext(&context_, reinterpret_cast<void (*)()>(&BeginContext), 4,
              static_cast<unsigned>(self >> 32), static_cast<unsigned>(self),
              static_cast<unsigned>(begin >> 32), static_cast<unsigned>(begin));
}

void Fiber::Jump(Fiber& next) { swapcontext(&context_, &next.context_); }

#else

void Fiber::Start(char* stack, size_t bytes, void (*function)(void*), void* argument) {
  function_ = function;
  argument_ = argument;
  stack_ = stack;
  bytes_ = bytes;
  MakeKnown();
  auto* top = reinterpret_cast<uintptr_t*>((reinterpret_cast<uintptr_t>(stack) + bytes) / 16 * 16);
  const auto begin = reinterpret_cast<uintptr_t>(&Fiber::Begin);
  const auto self = reinterpret_cast<uintptr_t>(this);
#if defined(__x86_64__)
  // r15, r14, r13, r12, rbx, rbp, and where `ret` goes; the stack is then aligned to 16 bytes.
  const uintptr_t frame[] = {0, 0, begin, self, 0,
                             0, reinterpret_cast<uintptr_t>(&sdykit_begin), 0, 0};
#else
  // x29, x30, x19, x20, and the registers after them.
  const uintptr_t frame[20] = {0, reinterpret_cast<uintptr_t>(&sdykit_begin), self, begin};
#endif
  const size_t count = sizeof(frame) / sizeof(frame[0]);
  for (size_t i = 0; i < count; ++i) top[i - count] = frame[i];
  stack_pointer_ = top - count;
}

void Fiber::Jump(Fiber& next) { sdykit_switch(&stack_pointer_, next.stack_pointer_); }

#endif

void Fiber::Begin(void* fiber) {
  auto* self = static_cast<Fiber*>(fiber);
  Arrive(nullptr);
  self->function_(self->argument_);
  std::abort();  // It never returns.
}

#ifdef SDYKIT_HAS_TSAN
// Inlined: a function must not begin on one stack and end on another.
__attribute__((always_inline)) inline void Fiber::Depart(void**, const Fiber& next) {
  if (of_sanitizer_ == nullptr) of_sanitizer_ = __tsan_get_current_fiber();  // The thread.
  __tsan_switch_to_fiber(next.of_sanitizer_, 0);
}
#endif

void Fiber::SwitchTo(Fiber& next) {
  Depart(&of_sanitizer_, next);
  Jump(next);
  Arrive(of_sanitizer_);
}

void Fiber::LeaveTo(Fiber& next) {
  Depart(nullptr, next);
  Jump(next);
  std::abort();  // Nobody comes back.
}

#ifdef SDYKIT_HAS_ASAN

namespace {
thread_local Fiber* departed = nullptr;
}

void Fiber::MakeKnown() {}

Fiber::~Fiber() = default;

void Fiber::Depart(void** own, const Fiber& next) {
  departed = this;
  __sanitizer_start_switch_fiber(own, next.stack_, next.bytes_);
}

// Only here AddressSanitizer tells what the stack of the thread is.
void Fiber::Arrive(void* own) {
  __sanitizer_finish_switch_fiber(own, &departed->stack_, &departed->bytes_);
}

#elif defined(SDYKIT_HAS_TSAN)

void Fiber::MakeKnown() { of_sanitizer_ = __tsan_create_fiber(0); }

Fiber::~Fiber() {
  if (stack_ != nullptr) __tsan_destroy_fiber(of_sanitizer_);
}

void Fiber::Arrive(void*) {}

#else

void Fiber::MakeKnown() {}

Fiber::~Fiber() = default;

void Fiber::Depart(void**, const Fiber&) {}

void Fiber::Arrive(void*) {}

#endif

}  // namespace sdykit::machine
