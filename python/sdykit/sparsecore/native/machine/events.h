// What happens on the machine, for those who compare it: transfers under way and races.

#ifndef SDYKIT_SPARSECORE_MACHINE_EVENTS_H_
#define SDYKIT_SPARSECORE_MACHINE_EVENTS_H_

#include <cstdint>
#include <memory>

#include "../checks/footprint.h"
#include "../checks/marks.h"
#include "run.h"

namespace sdykit::machine {

// Elements in memory. Positions are in bits.
struct Region {
  char* base;
  int64_t offset;
  int64_t rank;
  const int64_t* sizes;
  const int64_t* strides;
  int64_t bits;  // of an element
  // The rows of an indirect transfer: where each of them begins, after `offset`; null if it is none.
  const int64_t* rows;
  int64_t row_count;
};

// A transfer that starts; its data have not been moved yet.
struct TransferEvent {
  int64_t agent;
  int64_t place;
  int64_t semaphore;  // unique over agents
  int64_t bytes;
  int64_t source_semaphore;  // kNobody if there is none
  int64_t source_bytes;
  Region source;
  Region target;
  bool adds;
  // The offsets of an indirect transfer, 4 bytes each, which it reads; null if it is none.
  const char* offsets;
  int64_t offset_count;
  int64_t offset_stride;  // in elements
};

// Each function may end the run by Machine::Fail, so it owns nothing when it does.
class Events {
 public:
  virtual ~Events() = default;
  virtual void Enqueue(const TransferEvent& event) = 0;
  // An agent loads, stores or adds (0, 1, 2: `Action` of mosaic/reports) at an address.
  virtual void Touch(int64_t agent, int64_t address, int64_t bytes, int64_t action,
                     int64_t place) = 0;
  // An agent has made memory for itself: nobody has touched it.
  virtual void Allocate(int64_t agent, int64_t address, int64_t bytes) = 0;
  // An agent begins a `parallel_loop`, an iteration of the innermost one, or ends it.
  virtual void BeginLoop(int64_t agent, int64_t place) = 0;
  virtual void NextIteration(int64_t agent) = 0;
  virtual void EndLoop(int64_t agent) = 0;
  virtual void Signal(int64_t agent, int64_t semaphore) = 0;
  // An earlier call has passed a count.
  virtual void AddEarlier(int64_t semaphore, int64_t amount) = 0;
  // After the count was taken.
  virtual void Wait(int64_t agent, int64_t semaphore, int64_t amount) = 0;
  // All agents of a barrier have come.
  virtual void Barrier(const int64_t* agents, int64_t count) = 0;
  // An agent adds to a word atomically, of its own or another's memory.
  virtual void FetchAndAdd(int64_t agent, int64_t address, int64_t place) = 0;
  // An agent loads or stores a word of its own to which others may add.
  virtual void TouchWord(int64_t agent, int64_t address, int64_t action, int64_t place) = 0;
  // The bytes of memory that agents share that have been touched, in order, and whether some were read
  // that nobody had written before. Arguments that nobody writes do not count.
  virtual checks::Ranges Touched() const = 0;
  virtual bool HasReadUnwritten() const = 0;
};

// Returns what compares accesses by these settings; null if nothing does. `buffers` are the arguments
// of the program, `scratch` is where the agents' memory begins, `marks` are the marks of it.
std::unique_ptr<Events> MakeEvents(Machine& machine, const Settings& settings,
                                   const Description& description, void* const* buffers,
                                   char* scratch, checks::Marks& marks);

}  // namespace sdykit::machine

#endif  // SDYKIT_SPARSECORE_MACHINE_EVENTS_H_
