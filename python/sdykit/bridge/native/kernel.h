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

#include "records.h"
#include "xla/ffi/api/ffi.h"

namespace sdykit {

// Machine code stays in memory until the process ends: XLA's threads may run it
// after Python has ended.

// Runs the iterations [begin, end) of a phase. `buffers` are the arguments of
// the program, `dims` their dynamic sizes in order, `scratch` the memory of the
// calling thread, aligned to 64 bytes.
using RunPhase = void(void* const* buffers, const int64_t* dims, int64_t begin,
                      int64_t end, void* scratch);

// Returns the number of iterations of a phase, or -1 if a step is not positive.
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
  // MLIR's integers are signless: they accept XLA's signed and unsigned ones.
  xla::ffi::DataType type;
  xla::ffi::DataType other_type;
};

inline constexpr int64_t kDynamic = -1;

inline constexpr size_t kScratchAlignment = 64;

struct FreeMemory {
  void operator()(void* data) const { std::free(data); }
};
using Memory = std::unique_ptr<void, FreeMemory>;

// Returns memory of at least so many bytes; null if there is none, or for 0.
inline Memory AllocateScratch(size_t bytes) {
  const size_t size =
      (bytes + kScratchAlignment - 1) / kScratchAlignment * kScratchAlignment;
  return Memory(size == 0 ? nullptr : std::aligned_alloc(kScratchAlignment, size));
}

struct Argument {
  std::string name;  // may be empty
  const Element* element;
  std::vector<int64_t> sizes;  // kDynamic for any size
  int64_t alignment;           // of the address, in bytes
  int64_t work;  // memory traffic in bytes that an element stands for
  bool sampled;  // whether a recording keeps it of some runs
};

// An operand and a result of a call that share one buffer.
struct Alias {
  size_t operand;
  size_t result;
};

// The words in which a program reports an error: the number of a message, and
// the numbers that it shows. All are zero without an error.
using Status = std::array<int64_t, 8>;

// What the caller says about the machine that runs agents: see Settings in
// sparsecore/native/machine/run.h.
using MachineSettings = std::array<int64_t, 4>;

// An argument for the program alone, whose memory the handler provides.
struct Workspace {
  size_t argument;
  std::vector<int64_t> sizes;
  size_t bytes;
};

// How one run is for several devices of the process: see rendezvous.h.
struct SharedRun {
  int64_t devices;  // how many
  size_t place;     // the argument in which a device passes the number of its group, and its own
  size_t offsets;   // the argument with the distances of the arrays of each device, int64[arrays,
                    // devices]: how many elements they begin after those of the first device
  std::vector<Workspace> workspaces;
};

// The number of a new kernel.
int32_t NextKernel();

// The counts of a program on a device.
struct Counts {
  int64_t runs = 0;  // the number of runs that ended without an error
  std::vector<int64_t> sums;  // the sum of each counter over these runs
};

// A compiled program, immutable but for its counts and records. The arguments are
// the operands of the call in order, without the last ones if these are recorded,
// then the results that alias none of them; status, counters, scope times and launch may be
// anywhere among them.
class Kernel {
 public:
  // Throws std::invalid_argument if the parameters contradict each other, and
  // std::bad_alloc if there is no memory for scratch.
  Kernel(std::string name, std::vector<Phase> phases,
         std::vector<Argument> arguments, std::vector<Alias> aliases,
         std::optional<size_t> status, std::optional<size_t> counters,
         std::optional<size_t> scope_times, std::optional<size_t> launch,
         std::optional<size_t> settings, const MachineSettings& machine_settings,
         std::optional<SharedRun> shared, size_t recorded,
         std::optional<FigurePlan> figures, bool returns_status,
         bool asynchronous, bool described,
         std::vector<std::string> messages, size_t scratch_bytes,
         int64_t serial_bytes);

  // A kernel that Python runs, on whatever arrays a call has.
  Kernel(std::string name, std::vector<Alias> aliases);

  const std::string& name() const { return name_; }

  // The number of the settings of the machine among the arguments; their count if there are none.
  size_t settings() const { return settings_; }

  const MachineSettings& machine_settings() const { return machine_settings_; }

  // Whether Python runs it: then it has neither phases nor arguments.
  bool runs_in_python() const { return runs_in_python_; }

  // Its number among all kernels of the process.
  int32_t number() const { return number_; }

  const std::vector<Phase>& phases() const { return phases_; }
  const std::vector<Argument>& arguments() const { return arguments_; }
  const std::vector<Alias>& aliases() const { return aliases_; }
  size_t scratch_bytes() const { return scratch_bytes_; }

  // Scratch memory for a thread that cannot allocate its own; use it with the
  // lock. So a run never fails for lack of memory, which would leave other
  // devices waiting in a collective.
  void* reserve() const { return reserve_.get(); }
  std::mutex& reserve_mutex() const { return reserve_mutex_; }

  // Memory traffic in bytes below which one thread is used.
  int64_t serial_bytes() const { return serial_bytes_; }

  // The number of the status among the arguments; their count if there is none.
  size_t status() const { return status_; }

  // Whether a call returns the status as an additional last result. An error of
  // the program is then no error of the call.
  bool returns_status() const { return returns_status_; }

  // Whether a call returns before the program has ended, and other work of the
  // device may run on the calling thread meanwhile.
  bool asynchronous() const { return asynchronous_; }

  // Whether Python makes the text of an error.
  bool described() const { return described_; }

  // The number of the counters among the arguments; their count if there are none.
  size_t counters() const { return counters_; }

  // The number of the id of the launch among the arguments; their count if there is
  // none.
  size_t launch() const { return launch_; }

  // The number of counters.
  size_t num_counters() const { return num_counters_; }

  // The number of the times of scopes among the arguments; their count if there are none.
  size_t scope_times() const { return scope_times_; }

  // The number of words that these are.
  size_t num_scope_words() const { return num_scope_words_; }

  // The number of the last operands of a call, which the program does not take: they
  // are recorded of each run that ends without an error.
  size_t recorded() const { return recorded_; }

  // How the figures of a run are computed from the recorded operands; none if these are
  // copied instead.
  const std::optional<FigurePlan>& figures() const { return figures_; }

  Records& records() const { return records_; }

  // How a run is for several devices; none if it is for one.
  const std::optional<SharedRun>& shared() const { return shared_; }

  // Whether an argument is the status, the counters, the scope times, the launch, the
  // settings, the offsets or a workspace, and no array of the call.
  bool IsOwn(size_t argument) const {
    return argument == status_ || argument == counters_ || argument == scope_times_ ||
           argument == launch_ || argument == settings_ ||
           (shared_.has_value() &&
            (argument == shared_->offsets || FindWorkspace(argument) != nullptr));
  }

  // Returns the workspace that an argument is; null if it is none.
  const Workspace* FindWorkspace(size_t argument) const;

  // The number of the argument that an array of the call becomes.
  size_t ArgumentOf(size_t array) const { return argument_of_[array]; }

  // The number of arguments that are arrays of the call.
  size_t num_arrays() const { return argument_of_.size(); }

  // The number of the operand that shares its buffer with a result.
  std::optional<size_t> OperandOf(size_t result) const {
    if (result >= operands_.size()) return std::nullopt;
    return operands_[result];
  }

  // The message of a status, with its {1} to {7} filled in.
  std::string Report(const Status& status) const;

  // Adds the counts of a run. Thread-safe, as the next two are.
  void Count(int32_t device, const std::vector<int64_t>& counters) const;

  // Returns the counts by device.
  std::map<int32_t, Counts> TotalCounts() const;

  // Forgets the counts, and the records.
  void ForgetCounts() const;

 private:
  void Validate() const;
  void IndexAliases();
  void ValidateFigures(const FigurePlan& plan) const;
  void ValidateShared(const SharedRun& shared) const;

  std::string name_;
  int32_t number_ = NextKernel();
  std::vector<Phase> phases_;
  std::vector<Argument> arguments_;
  std::vector<Alias> aliases_;
  std::vector<std::optional<size_t>> operands_;  // by result
  std::vector<size_t> argument_of_;             // by array
  size_t status_;
  size_t counters_;
  size_t scope_times_;
  size_t launch_;
  size_t settings_;
  MachineSettings machine_settings_{};
  std::optional<SharedRun> shared_;
  size_t num_counters_ = 0;
  size_t num_scope_words_ = 0;
  size_t recorded_;
  std::optional<FigurePlan> figures_;
  bool returns_status_;
  bool asynchronous_;
  bool described_ = false;
  bool runs_in_python_ = false;
  std::vector<std::string> messages_;
  size_t scratch_bytes_;
  int64_t serial_bytes_;

  Memory reserve_;
  mutable std::mutex reserve_mutex_;

  mutable std::mutex counts_mutex_;
  mutable std::map<int32_t, Counts> counts_;
  mutable Records records_;
};

// Returns the element type with a name in MLIR; null if there is none.
const Element* FindElement(std::string_view mlir_name);

// Returns the names of all element types in MLIR.
std::string ElementNames();

// Return a type as JAX writes it, such as float32[8,?].
std::string Describe(const Argument& argument);
std::string Describe(const xla::ffi::AnyBuffer& buffer);

// Returns the name of an element type in JAX, such as bfloat16.
std::string JaxName(xla::ffi::DataType type);

}  // namespace sdykit

#endif  // SDYKIT_BRIDGE_NATIVE_KERNEL_H_
