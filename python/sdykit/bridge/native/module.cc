// The native module `sdykit.bridge._native`.

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>

#include <utility>

#include "xla/ffi/api/c_api.h"

namespace nb = nanobind;

namespace {

std::pair<int, int> XlaFfiApiVersion() {
  return {XLA_FFI_API_MAJOR, XLA_FFI_API_MINOR};
}

}  // namespace

NB_MODULE(_native, m) {
  m.doc() = "The native module: C++ against the XLA FFI headers of jaxlib.";
  m.def("xla_ffi_api_version", &XlaFfiApiVersion,
        "Version (major, minor) of the XLA FFI API that this module was "
        "compiled against.");
}
