// What machine code and the runtime know of each other.
//
// Machine code passes the address of an agent's arena to every function of the runtime. A header of
// 64 bytes lies before it.

#ifndef SDYKIT_SPARSECORE_MACHINE_RUN_H_
#define SDYKIT_SPARSECORE_MACHINE_RUN_H_

#include <cstdint>

namespace sdykit::machine {

class Machine;

// Runs the iterations [begin, end) of a phase. `buffers` are the arguments of the program, `dims`
// their dynamic sizes in order; `scratch` begins with the header, which the arena follows.
using RunAgents = void(void* const* buffers, const int64_t* dims, int64_t begin, int64_t end,
                       char* scratch);

// The code generator knows the layout: see codegen/runtime_functions.py.
struct Header {
  Machine* machine;
  int64_t agent;      // the number of the iteration
  char* shared;       // what the agents of a core share
  int64_t under_way;  // not 0: accesses have to be compared with transfers
  int64_t marks;      // where the mark of address 0 is: checks/marks.h
  char* device;       // what all agents share
  int64_t reserved[2];
};
static_assert(sizeof(Header) == 64);

inline Header& HeaderOf(char* arena) { return *reinterpret_cast<Header*>(arena - sizeof(Header)); }

// Semaphores of each agent whose counts the caller passes, i32.
struct PassedSemaphores {
  int64_t first;
  int64_t count;
  int64_t input;   // the argument with their counts at the start; -1: they are 0
  int64_t output;  // the argument for the largest counts of all agents at the end; -1: none

  bool Has(int64_t number) const { return number >= first && number < first + count; }
};

// A phase of agents, as the code generator describes it: codegen/entry/together.py. The number of
// each agent's core follows, for each semaphore the line that made it, for each argument of the program
// whether it is written, and the semaphores that are passed.
struct Description {
  int64_t agents;
  int64_t stride;        // bytes from one agent's header to the next one's
  int64_t cores;
  int64_t shared_bytes;  // of each core; these lie after the agents' arenas
  int64_t device_bytes;  // that all agents share; they lie after the cores'
  int64_t semaphores;    // of each agent
  int64_t passed;        // how many arrays of them the caller passes
  int64_t stack_bytes;   // that an agent may need
  int64_t arguments;     // of the program

  const int64_t* core_of() const { return reinterpret_cast<const int64_t*>(this + 1); }
  const int64_t* place_of() const { return core_of() + agents; }
  const int64_t* is_written() const { return place_of() + semaphores; }

  const PassedSemaphores* passed_semaphores() const {
    return reinterpret_cast<const PassedSemaphores*>(is_written() + arguments);
  }

  // Where memory begins, in bytes after the first header: that of the cores, that of all, its end.
  int64_t cores_at() const { return agents * stride; }
  int64_t device_at() const { return cores_at() + cores * shared_bytes; }
  int64_t end() const { return device_at() + device_bytes; }
};

// What the caller of a program says about the machine: `MachineSettings` of codegen/compiled.py.
struct Settings {
  int64_t order = kLockstep;  // or the seed of a random one
  int64_t races = 0;
  int64_t checks = 0;
  int64_t run = 0;  // what the runtime knows of the run, while it goes on: machine/apart.cc

  static constexpr int64_t kLockstep = -2;
  static constexpr int64_t kSubcore = -1;
  static constexpr int64_t kWarnings = 1;  // what races are
  static constexpr int64_t kErrors = 2;
};

// Runs a phase of agents on the calling thread. After a failure `status` has its report. `settings`
// may be null: these are the settings above. See also machine/apart.h.
void RunTogether(RunAgents* run, void* const* buffers, const int64_t* dims, char* scratch,
                 int64_t* status, const Settings* settings, const Description* description);

}  // namespace sdykit::machine

#endif  // SDYKIT_SPARSECORE_MACHINE_RUN_H_
