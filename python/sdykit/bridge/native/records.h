// Copies of operands of runs, from which their counts are computed later.

#ifndef SDYKIT_BRIDGE_NATIVE_RECORDS_H_
#define SDYKIT_BRIDGE_NATIVE_RECORDS_H_

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

// Copies of some operands of a run on a device.
class Record {
 public:
  // Takes memory for the copies. Throws std::bad_alloc if there is none.
  Record(int32_t device, std::vector<Span> operands);

  // Copies a part of the operands: part 0 to `parts` - 1. Thread-safe, and does not
  // throw.
  void Copy(size_t part, size_t parts);

  int32_t device() const { return device_; }

  // The number of operands.
  size_t size() const { return operands_.size(); }

  // The copies of the operands, in order.
  std::vector<Span> Copies() const;

  // The memory that they take in bytes.
  size_t bytes() const { return bytes_; }

 private:
  int32_t device_;
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
