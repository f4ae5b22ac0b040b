// Kernels that Python runs, and those whose errors it describes.

#ifndef SDYKIT_BRIDGE_NATIVE_PYTHON_KERNEL_H_
#define SDYKIT_BRIDGE_NATIVE_PYTHON_KERNEL_H_

#include <nanobind/nanobind.h>

#include <string>

#include "frame.h"
#include "kernel.h"
#include "xla/ffi/api/ffi.h"

namespace sdykit {

// Sets the function that runs a kernel by its number, or None. Needs the GIL.
void SetRunner(nanobind::object runner);

// Runs a kernel on the calling thread: passes the runner its number, and of each
// array the memory, the name of the element type and the sizes. These are the
// operands, then the results that alias none of them; an operand that no result
// aliases cannot be written to. The text of an exception becomes the error.
xla::ffi::Error RunInPython(const Kernel& kernel, xla::ffi::RemainingArgs operands,
                            xla::ffi::RemainingRets results, const Frame& frame);

// Sets the function that makes the text of an error, or None: it is called with the
// number of a kernel, and the words of its status. Needs the GIL.
void SetDescriber(nanobind::object describer);

// Returns the text of an error of a kernel that Python describes.
std::string DescribeInPython(const Kernel& kernel, const Status& status);

}  // namespace sdykit

#endif  // SDYKIT_BRIDGE_NATIVE_PYTHON_KERNEL_H_
