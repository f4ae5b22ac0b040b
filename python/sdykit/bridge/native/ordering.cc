#include "ordering.h"

#include <cstring>

#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

namespace sdykit {

namespace {

ffi::Error Order(ffi::RemainingArgs operands, ffi::RemainingRets results) {
  for (size_t i = 0; i < results.size(); ++i) {
    auto operand = operands.get<ffi::AnyBuffer>(i);
    auto result = results.get<ffi::AnyBuffer>(i);
    if (operand.has_error() || result.has_error() ||
        (*operand).size_bytes() != (**result).size_bytes()) {
      return ffi::Error::InvalidArgument(
          "result " + std::to_string(i) +
          " is not like its operand; expected the same shape and dtype");
    }
    void* data = (**result).untyped_data();
    // Aliased operands and results are one buffer.
    if (data == (*operand).untyped_data()) continue;
    std::memcpy(data, (*operand).untyped_data(), (**result).size_bytes());
  }
  return ffi::Error::Success();
}

}  // namespace

extern "C" XLA_FFI_Error* SdykitOrdering(XLA_FFI_CallFrame* frame) {
  static const auto* handler = ffi::Ffi::BindExecute()
                                   .RemainingArgs()
                                   .RemainingRets()
                                   .To(Order)
                                   .release();
  return handler->Call(frame);
}

}  // namespace sdykit
