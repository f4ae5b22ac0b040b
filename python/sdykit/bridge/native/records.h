// Copies of operands of runs, from which their counts are computed later.

#ifndef SDYKIT_BRIDGE_NATIVE_RECORDS_H_
#define SDYKIT_BRIDGE_NATIVE_RECORDS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace sdykit {

// An array in memory.
struct Span {
  const void* data;
  size_t size;  // in bytes
};

struct FreeCopies {
  void operator()(char* data) const;
};

using Clock = std::chrono::steady_clock;

// Returns a time in seconds, on the clock of Python's `time.perf_counter`.
inline double Seconds(Clock::time_point time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

// Copies of some operands of a run on a device.
class Record {
 public:
  // Takes memory for the copies. Throws std::bad_alloc if there is none.
  Record(int32_t device, std::vector<Span> operands);

  // Copies a part of the operands: part 0 to `parts` - 1. Thread-safe, and does not
  // throw.
  void Copy(size_t part, size_t parts);

  int32_t device() const { return device_; }

  // When the run began, and when it ended. A record is made when the run begins.
  Clock::time_point start() const { return start_; }
  Clock::time_point end() const { return end_; }
  void SetEnd() { end_ = Clock::now(); }

  // The number of operands.
  size_t size() const { return operands_.size(); }

  // The copies of the operands, in order.
  std::vector<Span> Copies() const;

  // The memory that they take in bytes.
  size_t bytes() const { return bytes_; }

 private:
  int32_t device_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point end_;
  std::vector<Span> operands_;  // not valid after the run
  size_t bytes_ = 0;
  std::unique_ptr<char, FreeCopies> data_;
};

// The records of a kernel's runs. Thread-safe.
class Records {
 public:
  Records() = default;
  Records(const Records&) = delete;
  Records& operator=(const Records&) = delete;
  ~Records();

  void Add(Record record);

  // Returns and forgets all records.
  std::vector<Record> Take();

  // Whether the records of all kernels take so much memory that they should be read.
  static bool AreLarge();

 private:
  std::mutex mutex_;
  std::vector<Record> records_;
};

}  // namespace sdykit

#endif  // SDYKIT_BRIDGE_NATIVE_RECORDS_H_
