// The buffers of one call, in the order of a program's arguments.

#ifndef SDYKIT_BRIDGE_NATIVE_FRAME_H_
#define SDYKIT_BRIDGE_NATIVE_FRAME_H_

#include <cstdint>
#include <vector>

#include "kernel.h"
#include "recorder.h"
#include "xla/ffi/api/ffi.h"

namespace sdykit {

struct Frame {
  std::vector<void*> buffers;  // null for those that are no arrays
  std::vector<int64_t> dims;   // dynamic sizes of all arguments, in order
  std::vector<int64_t> sizes;  // number of iterations of each phase
  int64_t work = 0;            // estimated memory traffic in bytes
  void* status_result = nullptr;  // where the call returns the status, or null
  int32_t device = 0;             // the number of the device in this process
  int64_t launch = 0;             // XLA's id of this execution, on all devices
  std::vector<Span> recorded;     // the operands that are recorded
  RecordedRun run{};              // this run, if a recording is on
  bool is_sampled = false;        // whether the recording keeps more of it
};

// Fills a frame, whose memory is reused. The buffers that XLA passes are checked
// against the arguments of the program; an operand whose aliased result is
// another buffer is copied there.
xla::ffi::Error Bind(const Kernel& kernel, xla::ffi::RemainingArgs operands,
                     xla::ffi::RemainingRets results, Frame& frame);

}  // namespace sdykit

#endif  // SDYKIT_BRIDGE_NATIVE_FRAME_H_
