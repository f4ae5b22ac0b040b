//===- interfaces.td - Interfaces of `sdy` operations --------------------===//

#ifndef SDYKIT_SDY_INTERFACES
#define SDYKIT_SDY_INTERFACES

include "mlir/IR/OpBase.td"

def Sdy_CollectiveOpInterface : OpInterface<"CollectiveOpInterface"> {
  let cppNamespace = "::mlir::sdy";
  let description = [{
    An operation that changes the sharding of a tensor by communication.

    The sharding of the result follows from the sharding of the operand and the
    attributes of the operation; `out_sharding` repeats it and has to agree.

    **Constraints:**

    - The operand has a sharding, or `allowMissingInputSharding` is true.
    - `out_sharding` fits the type of the result.
    - Operand and result are sharded over one mesh, or `allowDifferentMeshes` is true and
      the meshes differ in the order of their devices only.
    - Dimensions have the same number of dimension shardings on both sides.
  }];
  let methods = [
    InterfaceMethod<"The tensor that is communicated.",
      "::mlir::TypedValue<::mlir::TensorType>", "getTensor">,
    InterfaceMethod<"The sharding of the result.",
      "::mlir::sdy::TensorShardingAttr", "getOutSharding">,
    InterfaceMethod<"Sets the sharding of the result.",
      "void", "setOutShardingAttr", (ins "::mlir::sdy::TensorShardingAttr":$sharding)>,
    InterfaceMethod<"Whether operand and result may have different meshes.",
      "bool", "allowDifferentMeshes", (ins), "", "return false;">,
    InterfaceMethod<"Whether the operand may be without sharding, and so is replicated.",
      "bool", "allowMissingInputSharding", (ins), "", "return false;">
  ];
}

def Sdy_ShardableDataFlowOpInterface : OpInterface<"ShardableDataFlowOpInterface"> {
  let cppNamespace = "::mlir::sdy";
  let description = [{
    An operation with regions whose data-flow edges have shardings: propagation asks it
    which values an edge joins, and stores the sharding of the edge at its owner.

    An edge goes from *sources*, which are operands of the operation or of a terminator
    in it, to *targets*, which are results or block arguments. All of them are sharded
    alike. One of the targets is the *owner* of the edge.
  }];
  let methods = [
    InterfaceMethod<"Shardings of the block arguments that own an edge.",
      "::llvm::SmallVector<::mlir::sdy::TensorShardingAttr>",
      "getBlockArgumentEdgeOwnerShardings", (ins), "", "return {};">,
    InterfaceMethod<"Sets the shardings of the block arguments that own an edge.",
      "void", "setBlockArgumentEdgeOwnerShardings",
      (ins "::llvm::ArrayRef<::mlir::sdy::TensorShardingAttr>":$shardings), "", "">,
    InterfaceMethod<"Shardings of the results that own an edge.",
      "::llvm::SmallVector<::mlir::sdy::TensorShardingAttr>",
      "getOpResultEdgeOwnerShardings", (ins), "", "return {};">,
    InterfaceMethod<"Sets the shardings of the results that own an edge.",
      "void", "setOpResultEdgeOwnerShardings",
      (ins "::llvm::ArrayRef<::mlir::sdy::TensorShardingAttr>":$shardings), "", "">,
    InterfaceMethod<"The block arguments that own an edge.",
      "::llvm::ArrayRef<::mlir::BlockArgument>", "getBlockArgumentEdgeOwners">,
    InterfaceMethod<"The results that own an edge.",
      "::mlir::ResultRange", "getOpResultEdgeOwners">,
    InterfaceMethod<"The sources of the edge with this owner.",
      "::llvm::SmallVector<::mlir::OpOperand*>", "getEdgeSources",
      (ins "::mlir::Value":$owner)>,
    InterfaceMethod<"The owner of the edge with this target.",
      "::mlir::Value", "getEdgeOwnerFromTarget", (ins "::mlir::Value":$target)>,
    InterfaceMethod<"The owner of the edge with this source.",
      "::mlir::Value", "getEdgeOwnerFromSource", (ins "::mlir::OpOperand&":$source)>
  ];
}

def Sdy_ShardingRuleOpInterface : OpInterface<"ShardingRuleOpInterface"> {
  let cppNamespace = "::mlir::sdy";
  let description = [{
    An operation that defines its own sharding rule (`#sdy.op_sharding_rule`).
  }];
  let methods = [
    InterfaceMethod<"The sharding rule of the operation.",
      "::mlir::sdy::OpShardingRuleAttr", "getShardingRule">
  ];
}

#endif // SDYKIT_SDY_INTERFACES
