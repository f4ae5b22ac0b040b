#include "records.h"

#include <sys/mman.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>
#include <thread>
#include <utility>

namespace sdykit {

namespace {

// The memory of records, which is taken from the system at once: a page fault for
// each page of a copy would take longer than the copy.
constexpr size_t kRoom = size_t{256} << 20;
constexpr size_t kAlignment = 64;

std::atomic<size_t> total_bytes{0};

size_t RoundUp(size_t size) {
  return (size + kAlignment - 1) / kAlignment * kAlignment;
}

// Copies bytes past the caches: nobody reads a copy soon, and the program that runs
// needs the caches. `to` is aligned.
void CopyPastCaches(char* to, const char* from, size_t size) {
#if defined(__SSE2__)
  for (; size >= sizeof(__m128i); size -= sizeof(__m128i)) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(to),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
    to += sizeof(__m128i);
    from += sizeof(__m128i);
  }
  _mm_sfence();
#endif
  if (size > 0) std::memcpy(to, from, size);
}

// Memory that is used from its start on, and again once all of it is free.
class Room {
 public:
  Room() {
    void* found = mmap(nullptr, kRoom, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (found == MAP_FAILED) return;
    data_ = static_cast<char*>(found);
#if defined(MADV_POPULATE_WRITE)
    std::thread([found] { madvise(found, kRoom, MADV_POPULATE_WRITE); }).detach();
#endif
  }

  // Returns memory, or null if there is none.
  char* Take(size_t size) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (data_ == nullptr || size > kRoom - used_) return nullptr;
    char* taken = data_ + used_;
    used_ += std::min(RoundUp(size), kRoom - used_);
    ++count_;
    return taken;
  }

  // Frees memory; returns whether it is of this room.
  bool Free(const char* data) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (data_ == nullptr || data < data_ || data > data_ + kRoom) return false;
    if (--count_ == 0) used_ = 0;
    return true;
  }

 private:
  std::mutex mutex_;
  char* data_ = nullptr;
  size_t used_ = 0;
  size_t count_ = 0;  // arrays that are not free
};

Room& TheRoom() {
  // XLA's threads may use it when the process ends.
  static auto* room = new Room;
  return *room;
}

char* Allocate(size_t size) {
  char* found = TheRoom().Take(size);
  if (found != nullptr) return found;
  return static_cast<char*>(::operator new(size, std::align_val_t(kAlignment)));
}

}  // namespace

void FreeCopies::operator()(char* data) const {
  if (TheRoom().Free(data)) return;
  ::operator delete(data, std::align_val_t(kAlignment));
}

Record::Record(int32_t device, std::vector<Span> operands)
    : device_(device), operands_(std::move(operands)) {
  for (const Span& operand : operands_) bytes_ += RoundUp(operand.size);
  if (!operands_.empty()) data_.reset(Allocate(bytes_));
}

void Record::Copy(size_t part, size_t parts) {
  char* next = data_.get();
  for (const Span& operand : operands_) {
    const size_t share = RoundUp(operand.size / parts + 1);
    const size_t begin = std::min(operand.size, share * part);
    const size_t end = std::min(operand.size, begin + share);
    CopyPastCaches(next + begin, static_cast<const char*>(operand.data) + begin,
                   end - begin);
    next += RoundUp(operand.size);
  }
}

std::vector<Span> Record::Copies() const {
  std::vector<Span> copies;
  const char* next = data_.get();
  for (const Span& operand : operands_) {
    copies.push_back({next, operand.size});
    next += RoundUp(operand.size);
  }
  return copies;
}

Records::~Records() { Take(); }

void Records::Add(Record record) {
  record.SetEnd();
  total_bytes += record.bytes();
  const std::lock_guard<std::mutex> lock(mutex_);
  records_.push_back(std::move(record));
}

std::vector<Record> Records::Take() {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const Record& record : records_) total_bytes -= record.bytes();
  return std::exchange(records_, {});
}

bool Records::AreLarge() { return total_bytes > kRoom / 4 * 3; }

}  // namespace sdykit
