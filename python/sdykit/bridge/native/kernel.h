// A compiled program: its machine code, and what its arguments must be.

#ifndef SDYKIT_BRIDGE_NATIVE_KERNEL_H_
#define SDYKIT_BRIDGE_NATIVE_KERNEL_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "xla/ffi/api/ffi.h"

namespace sdykit {

// Machine code stays in memory as long as the process lives: threads of XLA's
// may run it when Python has ended.

// Runs the iterations [begin, end) of a phase. `buffers` are the arguments of
// the program, `dims` their dynamic sizes in order, `scratch` is memory of the
// calling thread, aligned to 64 bytes.
using RunPhase = void(void* const* buffers, const int64_t* dims, int64_t begin,
                      int64_t end, void* scratch);

// Tells how many iterations a phase has; negative: a step is not positive.
using SizePhase = int64_t(const int64_t* dims);

struct Phase {
  RunPhase* run;
  SizePhase* size;
};

// The type of an array's elements, by its name in MLIR.
struct Element {
  std::string_view mlir_name;
  std::string_view jax_name;
  size_t bytes;
  // MLIR's integers have no sign: they take XLA's of both kinds.
  xla::ffi::DataType type;
  xla::ffi::DataType other_type;
};

inline constexpr int64_t kDynamic = -1;

inline constexpr size_t kScratchAlignment = 64;

struct FreeMemory {
  void operator()(void* data) const { std::free(data); }
};
using Memory = std::unique_ptr<void, FreeMemory>;

// Memory of at least so many bytes; null: there is none, or none is needed.
inline Memory AllocateScratch(size_t bytes) {
  const size_t size =
      (bytes + kScratchAlignment - 1) / kScratchAlignment * kScratchAlignment;
  return Memory(size == 0 ? nullptr : std::aligned_alloc(kScratchAlignment, size));
}

struct Argument {
  std::string name;  // may be empty
  const Element* element;
  std::vector<int64_t> sizes;  // kDynamic: any size
  int64_t alignment;           // of the buffer, in bytes
  int64_t work;  // bytes of memory traffic that an element stands for
};

// Operand and result of a call that are one buffer.
struct Alias {
  size_t operand;
  size_t result;
};

// A program reports by these words: the number of a message, and what goes
// into it. All zero: nothing to report.
using Status = std::array<int64_t, 8>;

// What a program has counted on a device.
struct Counts {
  int64_t runs = 0;  // those that ended without an error
  std::vector<int64_t> sums;  // of its counters over these
};

// Immutable but for what is counted. The arguments of a program are the
// operands of the call in order, then the results that alias none; status and
// counters stand anywhere between.
class Kernel {
 public:
  // Throws std::invalid_argument if the parts do not fit each other, and
  // std::bad_alloc if there is no memory for scratch.
  Kernel(std::string name, std::vector<Phase> phases,
         std::vector<Argument> arguments, std::vector<Alias> aliases,
         std::optional<size_t> status, std::optional<size_t> counters,
         bool returns_status, std::vector<std::string> messages,
         size_t scratch_bytes, int64_t serial_bytes);

  const std::string& name() const { return name_; }
  const std::vector<Phase>& phases() const { return phases_; }
  const std::vector<Argument>& arguments() const { return arguments_; }
  const std::vector<Alias>& aliases() const { return aliases_; }
  size_t scratch_bytes() const { return scratch_bytes_; }

  // Scratch for a thread that has no memory for its own; to be used with the
  // lock. So a run never fails for lack of it: a device that ended alone would
  // leave others waiting.
  void* reserve() const { return reserve_.get(); }
  std::mutex& reserve_mutex() const { return reserve_mutex_; }

  // Less work than this is not worth a second thread.
  int64_t serial_bytes() const { return serial_bytes_; }

  // Which argument is the status; number of arguments: none is.
  size_t status() const { return status_; }

  // Whether a call has one more result, the last: how the program ended. It is
  // then no error of the call.
  bool returns_status() const { return returns_status_; }

  // Which argument are the counters; number of arguments: none are.
  size_t counters() const { return counters_; }

  // How many counters there are.
  size_t num_counters() const { return num_counters_; }

  // Whether an argument is no array of the call.
  bool IsOwn(size_t argument) const {
    return argument == status_ || argument == counters_;
  }

  // The argument that an array of the call is.
  size_t ArgumentOf(size_t array) const { return argument_of_[array]; }

  // How many arguments are arrays of the call.
  size_t num_arrays() const { return argument_of_.size(); }

  // The operand that is one buffer with a result.
  std::optional<size_t> OperandOf(size_t result) const {
    if (result >= operands_.size()) return std::nullopt;
    return operands_[result];
  }

  // The message that a program asks for, its {1} to {7} filled in.
  std::string Report(const Status& status) const;

  // Adds what a run has counted. Any thread may call this and the next two.
  void Count(int32_t device, const std::vector<int64_t>& counters) const;

  // What has been counted, by device.
  std::map<int32_t, Counts> TotalCounts() const;

  void ForgetCounts() const;

 private:
  void Validate() const;

  std::string name_;
  std::vector<Phase> phases_;
  std::vector<Argument> arguments_;
  std::vector<Alias> aliases_;
  std::vector<std::optional<size_t>> operands_;  // by result
  std::vector<size_t> argument_of_;             // by array
  size_t status_;
  size_t counters_;
  size_t num_counters_ = 0;
  bool returns_status_;
  std::vector<std::string> messages_;
  size_t scratch_bytes_;
  int64_t serial_bytes_;

  Memory reserve_;
  mutable std::mutex reserve_mutex_;

  mutable std::mutex counts_mutex_;
  mutable std::map<int32_t, Counts> counts_;
};

// Null: there is no such element.
const Element* FindElement(std::string_view mlir_name);

// Types as JAX writes them, such as float32[8,?].
std::string Describe(const Argument& argument);
std::string Describe(const xla::ffi::AnyBuffer& buffer);

}  // namespace sdykit

#endif  // SDYKIT_BRIDGE_NATIVE_KERNEL_H_
