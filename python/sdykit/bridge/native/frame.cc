#include "frame.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

namespace sdykit {

namespace {

using xla::ffi::AnyBuffer;
using xla::ffi::Error;

// Where a buffer of a call comes from.
struct Origin {
  const char* kind;  // operand or result
  size_t index;
};

std::string Where(const Kernel& kernel, size_t at, Origin origin) {
  const Argument& argument = kernel.arguments()[at];
  std::string text = "@" + kernel.name() + ": argument " + std::to_string(at);
  if (!argument.name.empty()) text += " '" + argument.name + "'";
  return text + " (" + origin.kind + " " + std::to_string(origin.index) + ")";
}

// All operands and results of a call are buffers.
AnyBuffer Operand(const xla::ffi::RemainingArgs& operands, size_t index) {
  return *operands.get<AnyBuffer>(index);
}

AnyBuffer Result(const xla::ffi::RemainingRets& results, size_t index) {
  return **results.get<AnyBuffer>(index);
}

bool Fits(const Argument& argument, const AnyBuffer& buffer) {
  const xla::ffi::DataType type = buffer.element_type();
  if (type != argument.element->type && type != argument.element->other_type) {
    return false;
  }
  const AnyBuffer::Dimensions sizes = buffer.dimensions();
  if (sizes.size() != argument.sizes.size()) return false;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const int64_t expected = argument.sizes[i];
    if (expected != kDynamic && expected != sizes[i]) return false;
  }
  return true;
}

bool IsAligned(const Argument& argument, const AnyBuffer& buffer) {
  const auto address = reinterpret_cast<uintptr_t>(buffer.untyped_data());
  return address % argument.alignment == 0 || buffer.element_count() == 0;
}

Error Misfit(const Kernel& kernel, size_t at, Origin origin,
             const AnyBuffer& buffer) {
  return Error::InvalidArgument(
      Where(kernel, at, origin) + " is " + Describe(buffer) + "; expected " +
      Describe(kernel.arguments()[at]));
}

Error Misaligned(const Kernel& kernel, size_t at, Origin origin) {
  return Error::InvalidArgument(
      Where(kernel, at, origin) + " is not aligned; expected an address that is a multiple of " +
      std::to_string(kernel.arguments()[at].alignment) + " bytes");
}

// Adds null for the next arguments as long as they are no arrays of the call.
void AddOwn(const Kernel& kernel, Frame& frame) {
  while (frame.buffers.size() < kernel.arguments().size() &&
         kernel.IsOwn(frame.buffers.size())) {
    const size_t at = frame.buffers.size();
    if (const Workspace* workspace = kernel.FindWorkspace(at)) {
      const std::vector<int64_t>& expected = kernel.arguments()[at].sizes;
      for (size_t i = 0; i < expected.size(); ++i) {
        if (expected[i] == kDynamic) frame.dims.push_back(workspace->sizes[i]);
      }
    }
    frame.buffers.push_back(nullptr);
  }
}

// Adds a buffer to the frame as the next argument.
Error Add(const Kernel& kernel, const AnyBuffer& buffer, Origin origin,
          Frame& frame) {
  AddOwn(kernel, frame);
  const size_t at = frame.buffers.size();
  const Argument& argument = kernel.arguments()[at];
  if (!Fits(argument, buffer)) return Misfit(kernel, at, origin, buffer);
  int64_t count = 1;
  const AnyBuffer::Dimensions sizes = buffer.dimensions();
  for (size_t i = 0; i < sizes.size(); ++i) {
    count *= sizes[i];
    if (argument.sizes[i] == kDynamic) frame.dims.push_back(sizes[i]);
  }
  if (!IsAligned(argument, buffer)) return Misaligned(kernel, at, origin);
  frame.buffers.push_back(buffer.untyped_data());
  frame.work += count * argument.work;
  return Error::Success();
}

Error CheckCounts(const Kernel& kernel, size_t operands, size_t results) {
  const size_t aliases = kernel.aliases().size();
  const size_t expected = kernel.num_arrays() + kernel.recorded();
  bool fits = results >= aliases && operands >= kernel.recorded() &&
              operands + results - aliases == expected;
  for (const Alias& alias : kernel.aliases()) {
    fits = fits && alias.operand < operands && alias.result < results;
  }
  if (fits) return Error::Success();
  std::string text = "@" + kernel.name() + " takes " +
                     std::to_string(expected) +
                     " arrays: operands, then results that alias none of them; found " +
                     std::to_string(operands) + " operands and " +
                     std::to_string(results) + " results, aliases {";
  for (const Alias& alias : kernel.aliases()) {
    if (text.back() != '{') text += ", ";
    text += std::to_string(alias.operand) + ": " + std::to_string(alias.result);
  }
  return Error::InvalidArgument(text + "}");
}

// Sets the result that the status is copied to.
Error TakeStatus(const Kernel& kernel, const AnyBuffer& result, Frame& frame) {
  if (result.size_bytes() != sizeof(Status)) {
    return Error::InvalidArgument("@" + kernel.name() + ": the last result is " +
                                  Describe(result) + "; expected the " +
                                  std::to_string(sizeof(Status)) +
                                  " bytes of the status");
  }
  frame.status_result = result.untyped_data();
  return Error::Success();
}

bool SameShape(const AnyBuffer& a, const AnyBuffer& b) {
  const AnyBuffer::Dimensions left = a.dimensions();
  const AnyBuffer::Dimensions right = b.dimensions();
  return a.element_type() == b.element_type() && left.size() == right.size() &&
         std::equal(left.begin(), left.end(), right.begin());
}

// Uses the buffer of a result for the operand that it aliases.
Error Join(const Kernel& kernel, const AnyBuffer& operand,
           const AnyBuffer& result, Alias alias, Frame& frame) {
  const size_t at = kernel.ArgumentOf(alias.operand);
  const Origin origin{"result", alias.result};
  if (!SameShape(operand, result)) {
    return Error::InvalidArgument(
        Where(kernel, at, origin) + " is " + Describe(result) + "; expected " +
        Describe(operand) + ", the type of operand " +
        std::to_string(alias.operand) + ", which it aliases");
  }
  void* data = result.untyped_data();
  if (data == operand.untyped_data()) return Error::Success();
  if (!IsAligned(kernel.arguments()[at], result)) {
    return Misaligned(kernel, at, origin);
  }
  std::memcpy(data, operand.untyped_data(), result.size_bytes());
  frame.buffers[at] = data;
  return Error::Success();
}

Error Measure(const Kernel& kernel, Frame& frame) {
  for (const Phase& phase : kernel.phases()) {
    const int64_t size = phase.size(frame.dims.data());
    if (size < 0) {
      return Error::InvalidArgument(
          "@" + kernel.name() + ": a step of the loop of phase " +
          std::to_string(frame.sizes.size()) +
          " is 0 or negative; expected positive steps");
    }
    frame.sizes.push_back(size);
  }
  return Error::Success();
}

}  // namespace

Error Bind(const Kernel& kernel, xla::ffi::RemainingArgs operands,
           xla::ffi::RemainingRets results, Frame& frame) {
  frame.buffers.clear();
  frame.dims.clear();
  frame.sizes.clear();
  frame.recorded.clear();
  frame.work = 0;
  frame.status_result = nullptr;
  size_t count = results.size();
  Error error = Error::Success();
  if (kernel.returns_status() && count > 0) {
    error = TakeStatus(kernel, Result(results, --count), frame);
  }
  if (error.success()) error = CheckCounts(kernel, operands.size(), count);
  for (size_t i = 0; i < operands.size() && error.success(); ++i) {
    const AnyBuffer operand = Operand(operands, i);
    if (i + kernel.recorded() < operands.size()) {
      error = Add(kernel, operand, {"operand", i}, frame);
    } else {
      frame.recorded.push_back({operand.untyped_data(), operand.size_bytes()});
    }
  }
  for (size_t i = 0; i < count && error.success(); ++i) {
    const AnyBuffer result = Result(results, i);
    const std::optional<size_t> alias = kernel.OperandOf(i);
    if (!alias.has_value()) {
      error = Add(kernel, result, {"result", i}, frame);
      continue;
    }
    error = Join(kernel, Operand(operands, *alias), result, {*alias, i}, frame);
  }
  AddOwn(kernel, frame);
  return error.failure() ? error : Measure(kernel, frame);
}

}  // namespace sdykit
