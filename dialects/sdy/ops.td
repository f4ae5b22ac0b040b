//===- ops.td - Operations of the `sdy` dialect --------------------------===//
//
// The input of TableGen; it includes all other files of the dialect.
//
//===----------------------------------------------------------------------===//

#ifndef SDYKIT_SDY_OPS
#define SDYKIT_SDY_OPS

include "sdy/attrs.td"
include "sdy/collective_ops.td"
include "sdy/enums.td"
include "sdy/sharding_ops.td"

#endif // SDYKIT_SDY_OPS
