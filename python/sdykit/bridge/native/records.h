// What is kept of runs, from which their counts are computed later.

#ifndef SDYKIT_BRIDGE_NATIVE_RECORDS_H_
#define SDYKIT_BRIDGE_NATIVE_RECORDS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "figures.h"

namespace sdykit {

struct FreeArrays {
  size_t bytes = 0;
  void operator()(char* data) const;
};

// What is kept of a run on a device: its figures, or copies of some operands.
class Record {
 public:
  // Takes memory for arrays of these sizes in bytes. Throws std::bad_alloc if there is none.
  Record(int32_t device, std::vector<size_t> sizes);

  int32_t device() const { return device_; }

  // The arrays, in order.
  std::vector<Span> Arrays() const;

  // Where the first array begins; the others follow, each aligned.
  char* data() { return data_.get(); }

  // The memory that the arrays take in bytes.
  size_t bytes() const { return bytes_; }

 private:
  int32_t device_;
  std::vector<size_t> sizes_;
  size_t bytes_ = 0;
  std::unique_ptr<char, FreeArrays> data_;
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

// Makes the record of a run while it runs.
class RecordMaker {
 public:
  // `operands` are those that are recorded: their figures if there is a plan, else they
  // are copied. Nothing is recorded if there are none. Throws std::bad_alloc.
  RecordMaker(int32_t device, std::vector<Span> operands, const std::optional<FigurePlan>& plan);

  // Whether there is something to record.
  bool is_on() const { return record_.has_value(); }

  // Fills a part of the record: part 0 to `parts` - 1, once for each. `arguments` are
  // those of the program; the words of an update are sorted. Thread-safe, and does not
  // throw.
  void Fill(size_t part, size_t parts, void* const* arguments);

  // Adds the record to those of the kernel. Operands are not used afterwards.
  void Finish(Records& records);

 private:
  void Copy(size_t part, size_t parts);

  std::vector<Span> operands_;
  std::optional<Figures> figures_;
  std::optional<Record> record_;
};

}  // namespace sdykit

#endif  // SDYKIT_BRIDGE_NATIVE_RECORDS_H_
