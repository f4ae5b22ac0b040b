//===- enums.td - Enums of the `mpmd` dialect ----------------------------===//

#ifndef SDYKIT_MPMD_ENUMS
#define SDYKIT_MPMD_ENUMS

include "mlir/IR/EnumAttr.td"
include "mpmd/dialect.td"

def Mpmd_ReductionType : I32EnumAttr<"ReductionType",
    "reduction type enum", [
      I32EnumAttrCase<"NONE", 0, "none">,
      I32EnumAttrCase<"ADD", 1, "add">,
      I32EnumAttrCase<"MAX", 2, "max">,
      I32EnumAttrCase<"MIN", 3, "min">,
      I32EnumAttrCase<"MUL", 4, "mul">,
      I32EnumAttrCase<"OR", 5, "or">,
      I32EnumAttrCase<"AND", 6, "and">
    ]> {
  let cppNamespace = "::mlir::mpmd";
}

#endif // SDYKIT_MPMD_ENUMS
