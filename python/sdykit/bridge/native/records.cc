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

// The size from which arrays are large: smaller ones are in pages that have been used.
constexpr size_t kLarge = size_t{1} << 16;

char* Allocate(size_t size) {
  char* found = size < kLarge ? nullptr : TheRoom().Take(size);
  if (found != nullptr) return found;
  return static_cast<char*>(::operator new(size, std::align_val_t(kAlignment)));
}

}  // namespace

void FreeArrays::operator()(char* data) const {
  if (bytes >= kLarge && TheRoom().Free(data)) return;
  ::operator delete(data, std::align_val_t(kAlignment));
}

Record::Record(int32_t device, std::vector<size_t> sizes)
    : device_(device), sizes_(std::move(sizes)) {
  for (const size_t size : sizes_) bytes_ += RoundUp(size);
  data_ = {Allocate(bytes_), FreeArrays{bytes_}};
}

std::vector<Span> Record::Arrays() const {
  std::vector<Span> arrays;
  const char* next = data_.get();
  for (const size_t size : sizes_) {
    arrays.push_back({next, size});
    next += RoundUp(size);
  }
  return arrays;
}

RecordMaker::RecordMaker(int32_t device, std::vector<Span> operands,
                   const std::optional<FigurePlan>& plan)
    : operands_(std::move(operands)) {
  if (operands_.empty()) return;
  std::vector<size_t> sizes;
  if (plan.has_value()) {
    figures_.emplace(*plan, operands_);
    sizes.push_back(figures_->size() * sizeof(int32_t));
  } else {
    for (const Span& operand : operands_) sizes.push_back(operand.size);
  }
  record_.emplace(device, std::move(sizes));
}

void RecordMaker::Fill(size_t part, size_t parts, void* const* arguments) {
  if (figures_.has_value()) {
    figures_->Compute(static_cast<int64_t>(part), static_cast<int64_t>(parts), arguments,
                      reinterpret_cast<int32_t*>(record_->data()));
  } else {
    Copy(part, parts);
  }
}

void RecordMaker::Copy(size_t part, size_t parts) {
  char* next = record_->data();
  for (const Span& operand : operands_) {
    const size_t share = RoundUp(operand.size / parts + 1);
    const size_t begin = std::min(operand.size, share * part);
    const size_t end = std::min(operand.size, begin + share);
    CopyPastCaches(next + begin, static_cast<const char*>(operand.data) + begin,
                   end - begin);
    next += RoundUp(operand.size);
  }
}

void RecordMaker::Finish(Records& records) {
  records.Add(std::move(*record_));
  record_.reset();
}

Records::~Records() { Take(); }

void Records::Add(Record record) {
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
