// Kernels that Python runs.

#ifndef SDYKIT_BRIDGE_NATIVE_PYTHON_KERNEL_H_
#define SDYKIT_BRIDGE_NATIVE_PYTHON_KERNEL_H_

#include <nanobind/nanobind.h>

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

}  // namespace sdykit

#endif  // SDYKIT_BRIDGE_NATIVE_PYTHON_KERNEL_H_
