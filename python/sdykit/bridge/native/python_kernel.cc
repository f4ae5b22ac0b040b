#include "python_kernel.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <cstring>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ieee.h"
#include "interrupts.h"
#include "python_objects.h"
#include "recorder.h"

namespace nb = nanobind;

namespace sdykit {

namespace {

using xla::ffi::AnyBuffer;
using xla::ffi::Error;

PyObject* runner = nullptr;
PyObject* describer = nullptr;

nb::object MemoryOf(void* data, size_t size, bool is_written) {
  static char none[1];  // An empty array may have no address.
  char* begin = size == 0 ? none : static_cast<char*>(data);
  PyObject* view = PyMemoryView_FromMemory(begin, static_cast<Py_ssize_t>(size),
                                           is_written ? PyBUF_WRITE : PyBUF_READ);
  if (view == nullptr) throw nb::python_error();
  return nb::steal(view);
}

nb::object ArrayOf(const AnyBuffer& buffer, void* data, bool is_written) {
  nb::list sizes;
  for (int64_t size : buffer.dimensions()) sizes.append(size);
  return nb::make_tuple(MemoryOf(data, buffer.size_bytes(), is_written),
                        JaxName(buffer.element_type()), nb::tuple(sizes));
}

// Returns the memory of the result that shares its buffer with an operand, which is
// copied there if XLA has not put it there; null if none does.
void* SharedMemory(const Kernel& kernel, size_t operand, const AnyBuffer& buffer,
                   const xla::ffi::RemainingRets& results) {
  for (const Alias& alias : kernel.aliases()) {
    if (alias.operand != operand || alias.result >= results.size()) continue;
    const AnyBuffer result = **results.get<AnyBuffer>(alias.result);
    void* data = result.untyped_data();
    if (data != buffer.untyped_data() && result.size_bytes() == buffer.size_bytes()) {
      std::memcpy(data, buffer.untyped_data(), buffer.size_bytes());
    }
    return data;
  }
  return nullptr;
}

nb::list ArraysOf(const Kernel& kernel, const xla::ffi::RemainingArgs& operands,
                  const xla::ffi::RemainingRets& results) {
  nb::list arrays;
  for (size_t i = 0; i < operands.size(); ++i) {
    const AnyBuffer buffer = *operands.get<AnyBuffer>(i);
    void* shared = SharedMemory(kernel, i, buffer, results);
    void* data = shared == nullptr ? buffer.untyped_data() : shared;
    arrays.append(ArrayOf(buffer, data, shared != nullptr));
  }
  for (size_t i = 0; i < results.size(); ++i) {
    if (kernel.OperandOf(i).has_value()) continue;
    const AnyBuffer buffer = **results.get<AnyBuffer>(i);
    arrays.append(ArrayOf(buffer, buffer.untyped_data(), true));
  }
  return arrays;
}

Error Call(const Kernel& kernel, const xla::ffi::RemainingArgs& operands,
           const xla::ffi::RemainingRets& results, int32_t device, const RecordedRun* sampled) {
  if (!Py_IsInitialized()) {
    return Error::Internal("@" + kernel.name() + ": Python has ended, and it would run this kernel");
  }
  const nb::gil_scoped_acquire gil;
  if (runner == nullptr) {
    return Error::Internal("no runner of kernels is set; import sdykit.bridge.ffi");
  }
  try {
    const nb::object counted =
        nb::borrow(runner)(kernel.number(), ArraysOf(kernel, operands, results));
    if (!counted.is_none()) {
      kernel.Count(device, nb::cast<std::vector<int64_t>>(counted[0]));
      if (sampled != nullptr) {
        TheRecorder().KeepScopes(*sampled, nb::cast<std::vector<int64_t>>(counted[1]));
      }
    }
    return Error::Success();
  } catch (const nb::python_error& error) {
    return Error::InvalidArgument(DescribeException(error));
  }
}

}  // namespace

void SetRunner(nb::object made) { ReplaceHeld(runner, std::move(made)); }

void SetDescriber(nb::object made) { ReplaceHeld(describer, std::move(made)); }

std::string DescribeInPython(const Kernel& kernel, const Status& status) {
  if (!Py_IsInitialized()) return kernel.Report(status);
  const nb::gil_scoped_acquire gil;
  if (describer == nullptr) return kernel.Report(status);
  try {
    nb::list words;
    for (int64_t word : status) words.append(word);
    return nb::cast<std::string>(nb::borrow(describer)(kernel.number(), words));
  } catch (const nb::python_error& error) {
    return kernel.Report(status) + " (" + DescribeException(error) + ")";
  }
}

Error RunInPython(const Kernel& kernel, xla::ffi::RemainingArgs operands,
                  xla::ffi::RemainingRets results, const Frame& frame) {
  // Python may run other code of this thread meanwhile, and with it the frame.
  const RecordedRun run = frame.run;
  const int32_t device = frame.device;
  const bool is_sampled = frame.is_sampled;
  const IeeeArithmetic ieee;
  const Interruptible interruptible(Interrupts());
  Error error = Call(kernel, operands, results, device, is_sampled ? &run : nullptr);
  if (run.recording != 0) TheRecorder().End(run);
  return error;
}

}  // namespace sdykit
