//===- enums.td - Enums of the `sdy` dialect -----------------------------===//

#ifndef SDYKIT_SDY_ENUMS
#define SDYKIT_SDY_ENUMS

include "mlir/IR/EnumAttr.td"
include "sdy/dialect.td"

def Sdy_PropagationDirection : I32EnumAttr<"PropagationDirection",
    "propagation direction enum", [
      I32EnumAttrCase<"NONE", 0>,
      I32EnumAttrCase<"FORWARD", 1>,
      I32EnumAttrCase<"BACKWARD", 2>,
      I32EnumAttrCase<"BOTH", 3>
    ]> {
  let cppNamespace = "::mlir::sdy";
}

def Sdy_EdgeNodeType : I32EnumAttr<"EdgeNodeType",
    "edge node type enum", [
      I32EnumAttrCase<"OPERAND", 0, "operand">,
      I32EnumAttrCase<"RESULT", 1, "result">
    ]> {
  let cppNamespace = "::mlir::sdy";
}

#endif // SDYKIT_SDY_ENUMS
