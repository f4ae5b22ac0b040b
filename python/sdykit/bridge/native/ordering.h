// The XLA FFI handler of a call that only orders other work: its results are its
// first operands, and whoever reads them comes after what made the other ones.

#ifndef SDYKIT_BRIDGE_NATIVE_ORDERING_H_
#define SDYKIT_BRIDGE_NATIVE_ORDERING_H_

#include "xla/ffi/api/c_api.h"

namespace sdykit {

extern "C" XLA_FFI_Error* SdykitOrdering(XLA_FFI_CallFrame* frame);

}  // namespace sdykit

#endif  // SDYKIT_BRIDGE_NATIVE_ORDERING_H_
