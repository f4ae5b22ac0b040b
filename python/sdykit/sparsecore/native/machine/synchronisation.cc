// The switch points, as machine code calls them.

#include <algorithm>
#include <cstring>
#include <new>
#include <vector>

#include "functions.h"
#include "machine.h"
#include "reports.h"

namespace sdykit::machine {

namespace {

Machine& MachineOf(char* arena) { return *HeaderOf(arena).machine; }

}  // namespace

void Filling::Fill(int64_t begin, int64_t end) const {
  char* start = memory + begin;
  const auto* words = reinterpret_cast<const char*>(&pattern);
  for (int64_t k = 0; k < std::min(pattern_bytes, end - begin); ++k) {
    start[k] = words[(begin + k) % pattern_bytes];
  }
  for (int64_t done = pattern_bytes; done < end - begin; done *= 2) {
    std::memcpy(start + done, start, std::min(done, end - begin - done));
  }
}

void RunTogether(RunAgents* run, void* const* buffers, const int64_t* dims, char* scratch,
                 int64_t* status, const Settings* settings, const Description* description) {
  static constexpr Settings kDefault;
  // Machine code does not pass on exceptions.
  try {
    Machine machine(run, buffers, dims, scratch, status,
                    settings == nullptr ? kDefault : *settings, *description);
    machine.Run();
  } catch (const std::bad_alloc&) {
    TellNoMemory(status, description->agents);
  }
}

void Wait(char* arena, int64_t semaphore, int64_t amount, int64_t what, int64_t place) {
  Machine& machine = MachineOf(arena);
  machine.Guard(place, [&] {
    machine.Wait(semaphore, amount, what == 0 ? Waits::kSemaphore : Waits::kTransfer, place);
  });
}

void Signal(char* arena, int64_t semaphore, int64_t amount, int64_t agent, int64_t place) {
  Machine& machine = MachineOf(arena);
  machine.Guard(place, [&] {
    Semaphore& found = machine.SemaphoreOf(agent, semaphore, place);
    found.Signal(amount, place);
    if (Events* events = machine.events(); events != nullptr) {
      events->Signal(machine.current(), machine.NumberOf(found));
    }
  });
}

void Spin(char* arena, int64_t memory, int64_t place) {
  Machine& machine = MachineOf(arena);
  machine.Guard(place, [&] { machine.Spin(memory, place); });
}

void EndSpin(char* arena) { MachineOf(arena).EndSpin(); }

void LetOthers(char* arena, int64_t place) {
  Machine& machine = MachineOf(arena);
  machine.Guard(place, [&] { machine.LetOthers(); });
}

int64_t ReadSemaphore(char* arena, int64_t semaphore, int64_t place) {
  Machine& machine = MachineOf(arena);
  return machine.Guard(place, [&] {
    machine.LetOthers();
    return machine.SemaphoreOf(kNobody, semaphore, place).count();
  });
}

int64_t TakeSemaphore(char* arena, int64_t semaphore) {
  Machine& machine = MachineOf(arena);
  return machine.Guard(kNobody, [&] {
    Semaphore& found = machine.SemaphoreOf(kNobody, semaphore, kNobody);
    const int64_t count = found.count();
    found.Take(count);
    return count;
  });
}

void CheckSemaphores(char* arena, int64_t first, int64_t count, int64_t place) {
  Machine& machine = MachineOf(arena);
  machine.Guard(place, [&] { machine.CheckSemaphores(first, count, place); });
}

void Barrier(char* arena, int64_t group, int64_t members, int64_t place) {
  Machine& machine = MachineOf(arena);
  machine.Guard(place, [&] { machine.Barrier(group, members, place); });
}

int64_t FetchAndAdd(char* arena, char* word, int64_t agent, int64_t value, int64_t at) {
  Machine& machine = MachineOf(arena);
  return machine.Guard(at, [&]() -> int64_t {
    machine.Yield();
    char* place = machine.At(agent, word, at);
    int32_t old = 0;
    std::memcpy(&old, place, sizeof(old));
    // Wraps around.
    const auto sum = static_cast<uint32_t>(old) + static_cast<uint32_t>(value);
    std::memcpy(place, &sum, sizeof(sum));
    if (Events* events = machine.events(); events != nullptr) {
      events->FetchAndAdd(machine.current(), reinterpret_cast<int64_t>(place), at);
    }
    return old;
  });
}

void TouchWord(char* arena, const char* word, int64_t action, int64_t place) {
  Machine& machine = MachineOf(arena);
  if (machine.events() == nullptr) return;
  machine.Guard(place, [&] {
    const auto address = reinterpret_cast<int64_t>(word);
    machine.events()->TouchWord(machine.current(), address, action, place);
  });
}

void Fill(char* arena, char* memory, int64_t bytes, int64_t pattern, int64_t pattern_bytes,
          int64_t once) {
  Machine& machine = MachineOf(arena);
  machine.Guard(kNobody, [&] {
    const Filling filling{memory, bytes, pattern, pattern_bytes};
    if (once != 0 && !machine.HasToFill(filling)) return;
    filling.Fill(0, bytes);
    if (once != 0 || machine.events() == nullptr) return;
    machine.events()->Allocate(machine.current(), reinterpret_cast<int64_t>(memory), bytes);
  });
}

void BeginLoop(char* arena, int64_t place) {
  Machine& machine = MachineOf(arena);
  if (machine.events() == nullptr) return;
  machine.Guard(place, [&] { machine.events()->BeginLoop(machine.current(), place); });
}

void NextIteration(char* arena) {
  Machine& machine = MachineOf(arena);
  if (machine.events() == nullptr) return;
  machine.Guard(kNobody, [&] { machine.events()->NextIteration(machine.current()); });
}

void EndLoop(char* arena) {
  Machine& machine = MachineOf(arena);
  if (machine.events() == nullptr) return;
  machine.Guard(kNobody, [&] { machine.events()->EndLoop(machine.current()); });
}

void Touch(char* arena, const char* base, int64_t offset_bits, int64_t bits, int64_t action,
           int64_t place) {
  Machine& machine = MachineOf(arena);
  if (machine.events() == nullptr) return;
  machine.Guard(place, [&] {
    const int64_t address = reinterpret_cast<int64_t>(base) + offset_bits / 8;
    const int64_t bytes = (offset_bits % 8 + bits + 7) / 8;
    machine.events()->Touch(machine.current(), address, bytes, action, place);
  });
}

}  // namespace sdykit::machine
