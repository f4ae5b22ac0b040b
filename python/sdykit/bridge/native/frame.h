// The buffers of one call, in the order of a program's arguments.

#ifndef SDYKIT_BRIDGE_NATIVE_FRAME_H_
#define SDYKIT_BRIDGE_NATIVE_FRAME_H_

#include <cstdint>
#include <vector>

#include "kernel.h"
#include "xla/ffi/api/ffi.h"

namespace sdykit {

struct Frame {
  std::vector<void*> buffers;  // status and counters, if there are any, are null
  std::vector<int64_t> dims;   // the dynamic sizes of all arguments
  std::vector<int64_t> sizes;  // the iterations of all phases
  int64_t work = 0;            // bytes of memory traffic, an estimate
  void* status_result = nullptr;  // where the call wants the status, if it does
  int32_t device = 0;             // its number in this process
};

// Fills a frame, whose memory is reused. What XLA gives is compared with what
// the program expects; an operand whose result is another buffer is copied
// there.
xla::ffi::Error Bind(const Kernel& kernel, xla::ffi::RemainingArgs operands,
                     xla::ffi::RemainingRets results, Frame& frame);

}  // namespace sdykit

#endif  // SDYKIT_BRIDGE_NATIVE_FRAME_H_
