// The XLA FFI handler of all programs.

#ifndef SDYKIT_BRIDGE_NATIVE_HANDLER_H_
#define SDYKIT_BRIDGE_NATIVE_HANDLER_H_

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <memory>

#include "kernel.h"
#include "xla/ffi/api/c_api.h"

namespace sdykit {

// What Python holds of a kernel. XLA holds another reference, and drops it on
// threads and at times that Python must not hear of.
struct KernelHandle {
  std::shared_ptr<const Kernel> kernel;
};

// Sets what makes a `Kernel` of a spec; None: nothing does. Needs the GIL.
void SetCompiler(nanobind::object compiler);

extern "C" {
XLA_FFI_Error* SdykitInstantiate(XLA_FFI_CallFrame* frame);
XLA_FFI_Error* SdykitExecute(XLA_FFI_CallFrame* frame);
}

}  // namespace sdykit

#endif  // SDYKIT_BRIDGE_NATIVE_HANDLER_H_
