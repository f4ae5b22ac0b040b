//===- sharding_ops.td - Meshes, shardings, and their propagation --------===//

#ifndef SDYKIT_SDY_SHARDING_OPS
#define SDYKIT_SDY_SHARDING_OPS

include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "sdy/attrs.td"
include "sdy/interfaces.td"
include "sdy/op_base.td"

//===----------------------------------------------------------------------===//
// What a user writes
//===----------------------------------------------------------------------===//

def Sdy_MeshOp : Sdy_Op<"mesh", [HasParent<"::mlir::ModuleOp">, Symbol]> {
  let summary = "Names a mesh.";
  let description = [{
    Shardings refer to the mesh by its symbol.

    All meshes of a module must have the same number of devices, except maximal meshes (those
    with a single device id). The verifier does not check it.

    ```mlir
    sdy.mesh @mesh = <["data"=4, "model"=2]>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Sdy_Mesh:$mesh);
  let assemblyFormat = "$sym_name `=` $mesh attr-dict";
}

def Sdy_ShardingConstraintOp : Sdy_Op<"sharding_constraint",
    [SameOperandsAndResultType, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Constrains the sharding of a tensor.";
  let description = [{
    The result is the input. What the constraint means depends on its uses:

    - *No uses:* the constraint holds for the input itself.
    - *Uses:* the constraint holds for these uses; other uses of the input may have another
      sharding. If the input has no other use, the first case applies.

    Open dimensions may be sharded further by propagation.

    ```mlir
    %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}, {?} ]> : tensor<8x8xf32>
    ```

    **Constraints:**

    - `sharding` satisfies the constraints of `#sdy.sharding` for the type of the input.
  }];
  let arguments = (ins AnyType:$input, Sdy_TensorSharding:$sharding);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$input $sharding attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Sdy_ReshardOp : Sdy_Op<"reshard",
    [Pure, SameOperandsAndResultType, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Changes the sharding of a tensor.";
  let description = [{
    The result is the input in another sharding. A constraint is an input of propagation; a
    reshard is a decision that the partitioner carries out, with collectives or, if nothing
    changes, without any operation. No constraints are left after propagation, and no reshards
    after partitioning.

    ```mlir
    %1 = sdy.reshard %0 <@mesh, [{"y"}, {} ]> : tensor<8x8xf32>
    ```

    **Constraints:**

    - `sharding` satisfies the constraints of `#sdy.sharding` for the type of the input.
  }];
  let arguments = (ins AnyType:$input, Sdy_TensorSharding:$sharding);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$input $sharding attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Sdy_ShardingGroupOp : Sdy_Op<"sharding_group",
    [DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "Puts a tensor into a group of equally sharded tensors.";
  let description = [{
    Propagation finds one sharding for all tensors of a group, though no data flows between
    them. The operation has no result.

    ```mlir
    sdy.sharding_group %a group_id=0 : tensor<8x8xf32>
    sdy.sharding_group %b group_id=0 : tensor<8x8xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, I64Attr:$group_id);
  let assemblyFormat = "$input `group_id` `=` $group_id attr-dict `:` type($input)";
}

def Sdy_ManualComputationOp : Sdy_Op<"manual_computation",
    [IsolatedFromAbove, RecursiveMemoryEffects, SingleBlockImplicitTerminator<"ReturnOp">,
     DeclareOpInterfaceMethods<SymbolUserOpInterface>,
     DeclareOpInterfaceMethods<Sdy_ShardableDataFlowOpInterface>]> {
  let summary = "Holds a computation that is the program of one device along some axes.";
  let description = [{
    Along the *manual axes*, the body is the program of one device: its tensors have the
    shape of one device's part, and communication is explicit. Along the other, *free*
    axes the body is still global, and propagation goes on in it.

    Operands are split according to `in_shardings`, and results are assembled according to
    `out_shardings`.

    ```mlir
    %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"x"}, {} ]>]
        out_shardings=[<@mesh, [{"x"}, {} ]>] manual_axes={"x"}
        (%arg: tensor<4x8xf32>) {
      %2 = stablehlo.tanh %arg : tensor<4x8xf32>
      sdy.return %2 : tensor<4x8xf32>
    } : (tensor<8x8xf32>) -> tensor<8x8xf32>
    ```

    **Constraints:**

    - There are as many shardings as operands and as results, all over one mesh, and each
      satisfies the constraints of `#sdy.sharding`.
    - There are as many block arguments as operands, and as many returned values as
      results; their shapes are those of one device along the manual axes.
    - In the sharding of a dimension, manual axes come before free axes.
    - The manual axes divide each dimension they split.
    - Manual axes are not manual in a surrounding manual computation.
    - Manual axes are sorted in the order of the mesh, and each sharding names each of
      them, for a dimension or as a replicated axis. The verifier accepts less;
      `-sdy-manual-axes-cleanup` adds what is missing.
  }];
  let arguments = (ins
    Variadic<AnyType>:$tensors,
    Sdy_TensorShardingPerValue:$in_shardings,
    Sdy_TensorShardingPerValue:$out_shardings,
    Sdy_ManualAxes:$manual_axes);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` operands `)`
    `in_shardings` `` `=` `` custom<StrippedTensorShardingPerValueAttr>($in_shardings)
    `out_shardings` `` `=` `` custom<StrippedTensorShardingPerValueAttr>($out_shardings)
    `manual_axes` `` `=` `` $manual_axes
    custom<SingleBlockRegionNoBlockId>($body)
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Sdy_NamedComputationOp : Sdy_Op<"named_computation",
    [IsolatedFromAbove, RecursiveMemoryEffects, RecursivelySpeculatable,
     SingleBlockImplicitTerminator<"ReturnOp">,
     DeclareOpInterfaceMethods<InferTypeOpInterface>,
     DeclareOpInterfaceMethods<SymbolUserOpInterface>,
     DeclareOpInterfaceMethods<Sdy_ShardableDataFlowOpInterface>]> {
  let summary = "Names a part of a program.";
  let description = [{
    Shardings are propagated into the body and out of it as if it were inlined. A call of
    a function can be converted to this form, with a copy of the function as the body, so
    that shardings are propagated through it.

    ```mlir
    %1 = sdy.named_computation<"layer">(%0) in_shardings=[<@mesh, [{"x"}, {} ]>]
        (%arg: tensor<8x8xf32>) {
      sdy.return %arg : tensor<8x8xf32>
    } : (tensor<8x8xf32>) -> tensor<8x8xf32>
    ```

    **Constraints:**

    - Block arguments have the types of the operands, returned values those of the
      results.
    - `in_shardings` and `out_shardings`, where given, hold a sharding for each operand
      and each result, and satisfy the constraints of `#sdy.sharding`.
  }];
  let arguments = (ins
    StrAttr:$name,
    Variadic<AnyType>:$operands,
    OptionalAttr<Sdy_TensorShardingPerValue>:$in_shardings,
    OptionalAttr<Sdy_TensorShardingPerValue>:$out_shardings);
  let results = (outs Variadic<AnyType>);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `` `<` $name `>` `` `(` $operands `)`
    (`in_shardings` `` `=` `` custom<StrippedTensorShardingPerValueAttr>($in_shardings)^)?
    (`out_shardings` `` `=` `` custom<StrippedTensorShardingPerValueAttr>($out_shardings)^)?
    custom<SingleBlockRegionNoBlockId>($body)
    attr-dict `:` functional-type($operands, results)
  }];
  let hasVerifier = 1;
}

def Sdy_ReturnOp : Sdy_Op<"return", [Pure, ReturnLike, Terminator]> {
  let summary = "Terminates the body of an `sdy` operation and returns its results.";
  let description = [{
    ```mlir
    sdy.return %0, %1 : tensor<8xf32>, tensor<4xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$results);
  let assemblyFormat = "attr-dict ($results^ `:` type($results))?";
}

//===----------------------------------------------------------------------===//
// What the compiler adds before propagation
//===----------------------------------------------------------------------===//

def Sdy_ConstantOp : Sdy_Op<"constant",
    [Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "A constant that is not folded.";
  let description = [{
    Like `stablehlo.constant`, but neither foldable nor `ConstantLike`: rewrites do not
    merge two of them. So a constant can be copied for each of its uses; each copy has its
    own sharding, and no sharding is propagated from one use to another.

    ```mlir
    %0 = sdy.constant dense<[1.0, 2.0]> : tensor<2xf32>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs AnyStaticShapeTensor:$output);
  let assemblyFormat = "attr-dict $value";
}

def Sdy_DataFlowEdgeOp : Sdy_Op<"data_flow_edge",
    [SameOperandsAndResultType, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Represents values that are joined across the regions of an operation.";
  let description = [{
    An operation with regions passes values from its operands and from what its regions
    return (the *sources*) to block arguments and results (the *targets*). Sources and
    targets that must be sharded alike form a data-flow edge. In

    ```
    %r0, %r1 = while(%a0 = %x0, %a1 = %x1) cond { ... } do { ... return %y0, %y1 }
    ```

    there are two edges; the first has the sources `%x0` and `%y0`, and the targets `%r0`
    and both block arguments named `%a0`.

    The input of a `data_flow_edge` is one of the targets, the *owner* of the edge, a
    result if there is one. All other uses of the owner use the result of the
    `data_flow_edge`. Which values the edge joins is
    not written here; the operation with the regions knows it
    (`ShardableDataFlowOpInterface`).

    `sharding`, if present, is the sharding of all targets; propagation updates it here
    instead of at each target. Between sources and targets, shardings are propagated as
    through an identity, in both directions.

    The operation is not pure, because it must be kept if its result is unused.

    ```mlir
    %1 = sdy.data_flow_edge %0 sharding=<@mesh, [{"x"}, {?} ]> : tensor<8x8xf32>
    ```

    **Constraints:**

    - The input is the owner of an edge, and has no other use.
    - The type has a static shape.
    - `sharding` satisfies the constraints of `#sdy.sharding` for this type.
  }];
  let arguments = (ins AnyShaped:$input, OptionalAttr<Sdy_TensorSharding>:$sharding);
  let results = (outs AnyShaped:$result);
  let assemblyFormat = "$input (`sharding` `` `=` `` $sharding^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Sdy_FuncDataFlowEdgeOp : Sdy_Op<"func_data_flow_edge",
    [SameOperandsAndResultType, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Represents values that are joined across a function call.";
  let description = [{
    Its operand is an argument of a function, and joins the operands of the calls with the
    uses of the argument; or it is a result of a call, and joins what the function returns
    with the uses of this result. All other uses of the operand use the result.

    ```mlir
    %1 = sdy.func_data_flow_edge %arg0 : tensor<8x8xf32>
    ```

    **Constraints:**

    - The operand is a function argument or a result of a call, and has no other use.
  }];
  let arguments = (ins AnyShaped:$operand);
  let results = (outs AnyShaped:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Sdy_PropagationBarrierOp : Sdy_Op<"propagation_barrier",
    [Pure, SameOperandsAndResultType]> {
  let summary = "Restricts the propagation of shardings to one direction.";
  let description = [{
    The result is the input. Shardings are propagated through it

    - from the input to the result only (`FORWARD`),
    - from the result to the input only (`BACKWARD`),
    - not at all (`NONE`).

    ```mlir
    %1 = sdy.propagation_barrier %0 allowed_direction=FORWARD : tensor<8x8xf32>
    ```

    **Constraints:**

    - The direction is not `BOTH`: the operation would have no effect.
  }];
  let arguments = (ins AnyRankedTensor:$input, Sdy_PropagationDirection:$allowed_direction);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $input `allowed_direction` `` `=` `` $allowed_direction attr-dict `:` type($input)
  }];
  let hasVerifier = 1;
}

#endif // SDYKIT_SDY_SHARDING_OPS
