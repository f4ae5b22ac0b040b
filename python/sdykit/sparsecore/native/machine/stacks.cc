#include "stacks.h"

#include <sys/mman.h>
#include <unistd.h>

#include <map>
#include <mutex>
#include <new>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_UNPOISON_MEMORY_REGION(address, size)
#endif

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

namespace sdykit::machine {

namespace {

constexpr size_t kMinBytes = 64 << 10;

struct Pool {
  std::mutex mutex;
  std::map<size_t, std::vector<char*>> free;  // by size
  size_t made = 0;
};

// Never destroyed: threads of XLA may run programs after the process has begun to end.
Pool& ThePool() {
  static Pool& pool = *new Pool;
  return pool;
}

// Memory is taken from the system when it is first used.
char* MakeStack(size_t bytes) {
  static const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void* found = mmap(nullptr, page + bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (found == MAP_FAILED) throw std::bad_alloc();
  if (mprotect(found, page, PROT_NONE) != 0) {
    munmap(found, page + bytes);
    throw std::bad_alloc();
  }
  return static_cast<char*>(found) + page;
}

void GiveBack(std::vector<char*>& taken, size_t bytes) {
  // A run that failed leaves its frames, and what AddressSanitizer has marked of them.
  for ([[maybe_unused]] char* stack : taken) ASAN_UNPOISON_MEMORY_REGION(stack, bytes);
  Pool& pool = ThePool();
  const std::lock_guard<std::mutex> lock(pool.mutex);
  std::vector<char*>& free = pool.free[bytes];
  free.insert(free.end(), taken.begin(), taken.end());
  taken.clear();
}

}  // namespace

Stacks::Stacks(size_t count, size_t bytes) : bytes_(kMinBytes) {
  while (bytes_ < bytes) bytes_ *= 2;
  taken_.reserve(count);
  Pool& pool = ThePool();
  const std::lock_guard<std::mutex> lock(pool.mutex);
  std::vector<char*>& free = pool.free[bytes_];
  // Room for all that are in use, so that giving them back never fails.
  free.reserve(free.size() + count);
  while (taken_.size() < count && !free.empty()) {
    taken_.push_back(free.back());
    free.pop_back();
  }
  try {
    for (; taken_.size() < count; ++pool.made) taken_.push_back(MakeStack(bytes_));
  } catch (...) {
    free.insert(free.end(), taken_.begin(), taken_.end());
    throw;
  }
}

Stacks::~Stacks() { GiveBack(taken_, bytes_); }

size_t StacksMade() {
  Pool& pool = ThePool();
  const std::lock_guard<std::mutex> lock(pool.mutex);
  return pool.made;
}

}  // namespace sdykit::machine
