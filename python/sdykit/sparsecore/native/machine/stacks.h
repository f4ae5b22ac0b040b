// Memory for the stacks of fibers, which is kept for the next run.

#ifndef SDYKIT_SPARSECORE_MACHINE_STACKS_H_
#define SDYKIT_SPARSECORE_MACHINE_STACKS_H_

#include <cstddef>
#include <vector>

namespace sdykit::machine {

// Stacks of one size, each below a page that cannot be accessed. They go back to the process's pool
// with this object.
class Stacks {
 public:
  // Takes `count` stacks of at least `bytes`. Throws std::bad_alloc if there is no memory.
  Stacks(size_t count, size_t bytes);
  Stacks(const Stacks&) = delete;
  Stacks& operator=(const Stacks&) = delete;
  ~Stacks();

  // The size of each stack.
  size_t bytes() const { return bytes_; }

  // The lowest address of a stack.
  char* operator[](size_t at) const { return taken_[at]; }

 private:
  size_t bytes_;
  std::vector<char*> taken_;
};

// Returns how many stacks the process has made, in use or not.
size_t StacksMade();

}  // namespace sdykit::machine

#endif  // SDYKIT_SPARSECORE_MACHINE_STACKS_H_
