//===- op_base.td - What the operations of the `mpmd` dialect share ------===//

#ifndef SDYKIT_MPMD_OP_BASE
#define SDYKIT_MPMD_OP_BASE

include "mlir/IR/OpBase.td"
include "mpmd/dialect.td"

class Mpmd_Op<string mnemonic, list<Trait> traits = []>
    : Op<Mpmd_Dialect, mnemonic, traits>;

#endif // SDYKIT_MPMD_OP_BASE
