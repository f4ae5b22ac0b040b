#include "kernel.h"

#include <algorithm>
#include <atomic>
#include <new>
#include <stdexcept>
#include <utility>

namespace sdykit {

namespace {

using xla::ffi::DataType;

constexpr Element kElements[] = {
    {"i1", "bool", 1, DataType::PRED, DataType::PRED},
    {"i8", "int8", 1, DataType::S8, DataType::U8},
    {"i16", "int16", 2, DataType::S16, DataType::U16},
    {"i32", "int32", 4, DataType::S32, DataType::U32},
    {"i64", "int64", 8, DataType::S64, DataType::U64},
    {"index", "int64", 8, DataType::S64, DataType::U64},
    {"bf16", "bfloat16", 2, DataType::BF16, DataType::BF16},
    {"f16", "float16", 2, DataType::F16, DataType::F16},
    {"f8E4M3B11FNUZ", "float8_e4m3b11fnuz", 1, DataType::F8E4M3B11FNUZ, DataType::F8E4M3B11FNUZ},
    {"f8E4M3FN", "float8_e4m3fn", 1, DataType::F8E4M3FN, DataType::F8E4M3FN},
    {"f8E5M2", "float8_e5m2", 1, DataType::F8E5M2, DataType::F8E5M2},
    {"f32", "float32", 4, DataType::F32, DataType::F32},
    {"f64", "float64", 8, DataType::F64, DataType::F64},
};

template <typename Sizes>
std::string Describe(std::string_view element, const Sizes& sizes) {
  std::string text(element);
  text += '[';
  bool first = true;
  for (int64_t size : sizes) {
    if (!first) text += ',';
    first = false;
    text += size == kDynamic ? "?" : std::to_string(size);
  }
  return text + ']';
}

[[noreturn]] void Reject(const std::string& text) {
  throw std::invalid_argument(text);
}

void CheckIndex(const char* what, size_t index, size_t count) {
  if (index < count) return;
  Reject(std::string(what) + " argument " + std::to_string(index) +
         "; expected a number below " + std::to_string(count) +
         ", the number of arguments");
}

// The number of words of the argument for counters, or for the times of scopes.
size_t WordsOf(const char* what, const Argument& argument) {
  size_t count = 1;
  bool fits = argument.element->mlir_name == "i64";
  for (int64_t size : argument.sizes) {
    fits = fits && size >= 0 && size < (int64_t{1} << 20);
    count *= fits ? static_cast<size_t>(size) : 1;
  }
  if (!fits || argument.sizes.size() != 2) {
    Reject(std::string(what) + " are " + Describe(argument) +
           "; expected int64 of two static sizes");
  }
  return count;
}

}  // namespace

int32_t NextKernel() {
  static std::atomic<int32_t> next{0};
  return next++;
}

const Element* FindElement(std::string_view mlir_name) {
  for (const Element& element : kElements) {
    if (element.mlir_name == mlir_name) return &element;
  }
  return nullptr;
}

std::string ElementNames() {
  std::string names;
  for (const Element& element : kElements) {
    names += names.empty() ? "" : ", ";
    names += element.mlir_name;
  }
  return names;
}

std::string JaxName(DataType type) {
  switch (type) {
    case DataType::U8:
      return "uint8";
    case DataType::U16:
      return "uint16";
    case DataType::U32:
      return "uint32";
    case DataType::U64:
      return "uint64";
    case DataType::C64:
      return "complex64";
    case DataType::C128:
      return "complex128";
    default:
      break;
  }
  for (const Element& element : kElements) {
    if (element.type == type) return std::string(element.jax_name);
  }
  return "<XLA type " + std::to_string(static_cast<int>(type)) + ">";
}

std::string Describe(const Argument& argument) {
  return Describe(argument.element->jax_name, argument.sizes);
}

std::string Describe(const xla::ffi::AnyBuffer& buffer) {
  return Describe(JaxName(buffer.element_type()), buffer.dimensions());
}

Kernel::Kernel(std::string name, std::vector<Phase> phases,
               std::vector<Argument> arguments, std::vector<Alias> aliases,
               std::optional<size_t> status, std::optional<size_t> counters,
               std::optional<size_t> scope_times, std::optional<size_t> launch,
               std::optional<size_t> settings, const MachineSettings& machine_settings,
               std::optional<SharedRun> shared, size_t recorded,
               std::optional<FigurePlan> figures, bool returns_status,
               bool asynchronous, bool described,
               std::vector<std::string> messages, size_t scratch_bytes,
               int64_t serial_bytes)
    : name_(std::move(name)),
      phases_(std::move(phases)),
      arguments_(std::move(arguments)),
      aliases_(std::move(aliases)),
      status_(status.value_or(arguments_.size())),
      counters_(counters.value_or(arguments_.size())),
      scope_times_(scope_times.value_or(arguments_.size())),
      launch_(launch.value_or(arguments_.size())),
      settings_(settings.value_or(arguments_.size())),
      machine_settings_(machine_settings),
      shared_(std::move(shared)),
      recorded_(recorded),
      figures_(std::move(figures)),
      returns_status_(returns_status),
      asynchronous_(asynchronous),
      described_(described),
      messages_(std::move(messages)),
      scratch_bytes_(scratch_bytes),
      serial_bytes_(serial_bytes),
      reserve_(AllocateScratch(scratch_bytes)) {
  if (scratch_bytes_ > 0 && reserve_ == nullptr) throw std::bad_alloc();
  if (status.has_value()) CheckIndex("status is", *status, arguments_.size());
  if (counters.has_value()) {
    CheckIndex("counters are", *counters, arguments_.size());
    num_counters_ = WordsOf("the counters", arguments_[*counters]);
  }
  if (scope_times.has_value()) {
    CheckIndex("scope times are", *scope_times, arguments_.size());
    num_scope_words_ = WordsOf("the scope times", arguments_[*scope_times]);
  }
  if (launch.has_value()) CheckIndex("launch is", *launch, arguments_.size());
  if (settings.has_value()) CheckIndex("settings are", *settings, arguments_.size());
  if (shared_.has_value()) ValidateShared(*shared_);
  for (size_t at = 0; at < arguments_.size(); ++at) {
    if (!IsOwn(at)) argument_of_.push_back(at);
  }
  Validate();
  IndexAliases();
}

Kernel::Kernel(std::string name, std::vector<Alias> aliases)
    : name_(std::move(name)),
      aliases_(std::move(aliases)),
      status_(0),
      counters_(0),
      scope_times_(0),
      launch_(0),
      settings_(0),
      recorded_(0),
      returns_status_(false),
      asynchronous_(false),
      runs_in_python_(true),
      scratch_bytes_(0),
      serial_bytes_(0) {
  IndexAliases();
}

void Kernel::IndexAliases() {
  for (const Alias& alias : aliases_) {
    if (operands_.size() <= alias.result) operands_.resize(alias.result + 1);
    if (operands_[alias.result].has_value()) {
      Reject("result " + std::to_string(alias.result) +
             " aliases two operands");
    }
    operands_[alias.result] = alias.operand;
  }
}

void Kernel::Validate() const {
  for (const Phase& phase : phases_) {
    if (phase.run == nullptr || phase.size == nullptr) {
      Reject("a phase has no machine code; expected two addresses");
    }
  }
  if (returns_status_ && status_ == arguments_.size()) {
    Reject("returns_status is set, and there is no status; expected its number");
  }
  if (status_ < arguments_.size() &&
      Describe(arguments_[status_]) != "int64[8]") {
    Reject("the status is " + Describe(arguments_[status_]) +
           "; expected int64[8]");
  }
  if (launch_ < arguments_.size() &&
      Describe(arguments_[launch_]) != "int64[1]") {
    Reject("the launch is " + Describe(arguments_[launch_]) +
           "; expected int64[1]");
  }
  if (settings_ < arguments_.size() &&
      Describe(arguments_[settings_]) != "int64[4]") {
    Reject("the settings are " + Describe(arguments_[settings_]) +
           "; expected int64[4]");
  }
  if (figures_.has_value()) ValidateFigures(*figures_);
  std::vector<size_t> seen;
  for (const Alias& alias : aliases_) {
    // A result after the last array would make `operands_` as large as its number.
    if (alias.operand >= num_arrays() || alias.result >= num_arrays()) {
      Reject("operand " + std::to_string(alias.operand) + " and result " +
             std::to_string(alias.result) + " cannot share a buffer: there are only " +
             std::to_string(num_arrays()) + " arrays");
    }
    if (std::count(seen.begin(), seen.end(), alias.operand) > 0) {
      Reject("operand " + std::to_string(alias.operand) +
             " aliases two results");
    }
    seen.push_back(alias.operand);
  }
}

const Workspace* Kernel::FindWorkspace(size_t argument) const {
  if (!shared_.has_value()) return nullptr;
  for (const Workspace& each : shared_->workspaces) {
    if (each.argument == argument) return &each;
  }
  return nullptr;
}

void Kernel::ValidateShared(const SharedRun& shared) const {
  CheckIndex("the place is", shared.place, arguments_.size());
  CheckIndex("offsets are", shared.offsets, arguments_.size());
  for (const Workspace& each : shared.workspaces) {
    CheckIndex("a workspace is", each.argument, arguments_.size());
    const Argument& argument = arguments_[each.argument];
    bool fits = argument.sizes.size() == each.sizes.size();
    for (size_t k = 0; fits && k < each.sizes.size(); ++k) {
      fits = each.sizes[k] >= 0 &&
             (argument.sizes[k] == kDynamic || argument.sizes[k] == each.sizes[k]);
    }
    if (!fits) {
      Reject("the workspace is " + Describe(argument.element->jax_name, each.sizes) +
             "; expected " + Describe(argument));
    }
  }
  size_t arrays = 0;
  for (size_t at = 0; at < arguments_.size(); ++at) arrays += !IsOwn(at);
  const std::string expected =
      "int64[" + std::to_string(arrays) + "," + std::to_string(shared.devices) + "]";
  if (shared.devices < 1 || Describe(arguments_[shared.offsets]) != expected) {
    Reject("the offsets are " + Describe(arguments_[shared.offsets]) + "; expected " + expected +
           ", for each array and device");
  }
  if (Describe(arguments_[shared.place]) != "int32[2]") {
    Reject("the place is " + Describe(arguments_[shared.place]) + "; expected int32[2]");
  }
  if (recorded_ != 0 || figures_.has_value() || num_counters_ != 0 || asynchronous_ ||
      described_) {
    Reject("the program runs for several devices, and is recorded, counts or is asynchronous; "
           "expected none of these");
  }
}

void Kernel::ValidateFigures(const FigurePlan& plan) const {
  const size_t expected = (plan.is_counted ? 2 : 3 + (plan.devices > 1)) + plan.minibatches;
  if (recorded_ != expected) {
    Reject(std::to_string(recorded_) + " operands are recorded; expected " +
           std::to_string(expected) + ", from which figures are computed");
  }
  for (const auto& [argument, type] :
       {std::pair(plan.words, "int64"), std::pair(plan.parts, "int32")}) {
    if (!argument.has_value()) continue;
    CheckIndex("words of figures are", *argument, arguments_.size());
    if (arguments_[*argument].element->jax_name == type) continue;
    Reject("the words of figures are " + Describe(arguments_[*argument]) + "; expected " + type);
  }
}

void Kernel::Count(int32_t device, const std::vector<int64_t>& counters) const {
  const std::lock_guard<std::mutex> lock(counts_mutex_);
  Counts& counts = counts_[device];
  ++counts.runs;
  counts.sums.resize(counters.size());
  for (size_t i = 0; i < counters.size(); ++i) counts.sums[i] += counters[i];
}

std::map<int32_t, Counts> Kernel::TotalCounts() const {
  const std::lock_guard<std::mutex> lock(counts_mutex_);
  return counts_;
}

void Kernel::ForgetCounts() const {
  const std::lock_guard<std::mutex> lock(counts_mutex_);
  counts_.clear();
  records_.Take();
}

std::string Kernel::Report(const Status& status) const {
  const int64_t code = status[0];
  if (code < 0 || static_cast<size_t>(code) >= messages_.size()) {
    return "@" + name_ + " ended with status " + std::to_string(code) +
           ", for which it has no message; expected 0" +
           (messages_.size() > 1 ? " to " + std::to_string(messages_.size() - 1) : "");
  }
  const std::string& message = messages_[code];
  std::string text;
  for (size_t i = 0; i < message.size(); ++i) {
    const bool is_place = message[i] == '{' && i + 2 < message.size() &&
                          message[i + 1] >= '1' && message[i + 1] <= '7' &&
                          message[i + 2] == '}';
    if (!is_place) {
      text += message[i];
      continue;
    }
    text += std::to_string(status[message[i + 1] - '0']);
    i += 2;
  }
  return text;
}

}  // namespace sdykit
