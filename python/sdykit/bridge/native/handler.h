// The XLA FFI handler of all programs.

#ifndef SDYKIT_BRIDGE_NATIVE_HANDLER_H_
#define SDYKIT_BRIDGE_NATIVE_HANDLER_H_

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <memory>

#include "kernel.h"
#include "xla/ffi/api/c_api.h"

namespace sdykit {

// Python's reference to a kernel. XLA holds another, and drops it on threads and
// at times at which Python cannot be called.
struct KernelHandle {
  std::shared_ptr<const Kernel> kernel;
};

// Sets the function that compiles a spec to a `Kernel`, or None. Needs the GIL.
void SetCompiler(nanobind::object compiler);

// Sets the function that is called when the records take much memory, or None: it
// takes those of all kernels. Needs the GIL.
void SetRecordReader(nanobind::object reader);

extern "C" {
XLA_FFI_Error* SdykitInstantiate(XLA_FFI_CallFrame* frame);
XLA_FFI_Error* SdykitExecute(XLA_FFI_CallFrame* frame);
}

}  // namespace sdykit

#endif  // SDYKIT_BRIDGE_NATIVE_HANDLER_H_
