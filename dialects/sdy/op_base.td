//===- op_base.td - What the operations of the `sdy` dialect share -------===//

#ifndef SDYKIT_SDY_OP_BASE
#define SDYKIT_SDY_OP_BASE

include "mlir/IR/OpBase.td"
include "sdy/dialect.td"

class Sdy_Op<string mnemonic, list<Trait> traits = []>
    : Op<Sdy_Dialect, mnemonic, traits>;

#endif // SDYKIT_SDY_OP_BASE
