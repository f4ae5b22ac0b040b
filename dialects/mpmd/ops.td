//===- ops.td - Operations of the `mpmd` dialect -------------------------===//
//
// The input of TableGen; it includes all other files of the dialect.
//
//===----------------------------------------------------------------------===//

#ifndef SDYKIT_MPMD_OPS
#define SDYKIT_MPMD_OPS

include "mpmd/attrs.td"
include "mpmd/enums.td"
include "mpmd/import_ops.td"
include "mpmd/program_ops.td"
include "mpmd/types.td"

#endif // SDYKIT_MPMD_OPS
