// What machine code and the runtime know of each other.
//
// Machine code passes the address of the arena of an agent (or of a thread, in ordinary phases) to
// every function of the runtime. A header of 64 bytes lies before it.

#ifndef SDYKIT_SPARSECORE_MACHINE_RUN_H_
#define SDYKIT_SPARSECORE_MACHINE_RUN_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sdykit::machine {

// Runs the iterations [begin, end) of a phase. `buffers` are the arguments of the program, `dims`
// their dynamic sizes in order, `scratch` begins with the header, which the arena follows.
using RunPiece = void(void* const* buffers, const int64_t* dims, int64_t begin, int64_t end,
                      char* scratch);

// A phase, or a piece of one, that runs on the calling thread.
class Run {
 public:
  // `status` has 8 words, all zero.
  explicit Run(int64_t* status) : status_(status) {}
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  // Stores the report of an error, and its number in the status.
  void Report(std::vector<int64_t> report);

  // Ends the run: goes back to where it began, from machine code or a function that it calls. Frames
  // between are left as they are, so they must own nothing.
  [[noreturn]] virtual void Leave() = 0;

 protected:
  ~Run() = default;

 private:
  int64_t* status_;
};

// What lies before an arena. The code generator knows its layout: see runtime_functions.py.
struct Header {
  Run* run;
  int64_t agent;      // the number of the iteration
  char* shared;       // what the agents of a core share
  int64_t under_way;  // how many transfers accesses have to be compared with
  int64_t reserved[4];
};
static_assert(sizeof(Header) == 64);

inline Header& HeaderOf(char* arena) { return *reinterpret_cast<Header*>(arena - sizeof(Header)); }

}  // namespace sdykit::machine

#endif  // SDYKIT_SPARSECORE_MACHINE_RUN_H_
