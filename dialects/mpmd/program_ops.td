//===- program_ops.td - Fragments, transfers, calls and loops ------------===//

#ifndef SDYKIT_MPMD_PROGRAM_OPS
#define SDYKIT_MPMD_PROGRAM_OPS

include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/CallInterfaces.td"
include "mlir/Interfaces/LoopLikeInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mpmd/attrs.td"
include "mpmd/op_base.td"
include "mpmd/types.td"
include "sdy/interfaces.td"

def Mpmd_PairwiseSameOperandAndResultType : NativeOpTrait<"PairwiseSameOperandAndResultType"> {
  let cppNamespace = "::mlir::hlo::OpTrait";
}

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

def Mpmd_FragmentOp : Mpmd_Op<"fragment",
    [IsolatedFromAbove, RecursiveMemoryEffects, RecursivelySpeculatable,
     SingleBlockImplicitTerminator<"ReturnOp">, ParentOneOf<["::mlir::func::FuncOp", "ForOp"]>,
     DeclareOpInterfaceMethods<Sdy_ShardableDataFlowOpInterface>]> {
  let summary = "Holds a computation that runs on one mesh.";
  let description = [{
    A fragment is compiled by itself, for the devices of its mesh, and executed as a whole. Its
    body has tensors of global shapes; how they are split over the mesh is part of the types
    outside, and of `in_shardings` and `out_shardings` while shardings are propagated.

    `origin` names the computations of the user that went into the fragment. It is empty if
    the compiler made the fragment. `stage_id` is the stage of a pipeline that a user
    fragment was assigned to; fragments of one stage, mesh and transpose count are merged.

    ```mlir
    %1 = mpmd.fragment<mesh="m1", origin=["layer_1", "layer_2"(1)], stage=3> (%0)
        (%arg: tensor<4x8xf32>) {
      mpmd.return %arg : tensor<4x8xf32>
    } : (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>>) -> !mpmd.mesh_tensor<"m1", tensor<4x8xf32>>
    ```

    Stage and shardings follow the origin, in this order, and may be absent:
    `stage=3, in_shardings=[<@mesh, [{"x"}, {} ]>], out_shardings=[<@mesh, [{}, {} ]>]`.

    A result that is one of the operands unchanged is replaced by it in canonicalization.

    **Constraints:**

    - The parent is a `func.func` or an `mpmd.for`.
    - Operands and results are tokens, or mesh tensors on the mesh of the fragment.
    - The topology of the function has this mesh. Without mesh tensors the verifier does
      not check it.
    - Their shardings satisfy the constraints of `#sdy.sharding` for this mesh, whichever
      mesh they name, and the axes divide each dimension they split.
    - There are as many block arguments as operands, and as many returned values as
      results. Their types are the global types of mesh tensors; tokens stay tokens.
    - The body uses no value from outside.
    - Mesh name and origins are without quotes and backslashes. The verifier does not check
      it, but MLIR prints them as they are, and cannot read others back.
    - `in_shardings` and `out_shardings`, where given, hold a sharding for each operand and
      each result. The verifier does not check it.
  }];
  let arguments = (ins
    Variadic<Mpmd_MeshTensorOrToken>:$inputs,
    Mpmd_UserOrigins:$origin,
    StrAttr:$mesh_name,
    OptionalAttr<I64Attr>:$stage_id,
    OptionalAttr<Sdy_TensorShardingPerValue>:$in_shardings,
    OptionalAttr<Sdy_TensorShardingPerValue>:$out_shardings);
  let results = (outs Variadic<Mpmd_MeshTensorOrToken>:$results);
  let regions = (region SizedRegion<1>:$region);
  let assemblyFormat = [{
    `` `<` `mesh` `` `=` `` $mesh_name `,` `origin` `` `=` `` custom<UserOrigins>($origin)
    `` custom<StageAndShardings>($stage_id, $in_shardings, $out_shardings) `>`
    `(` $inputs `)` attr-dict custom<SingleBlockRegionNoBlockId>($region)
    `:` functional-type($inputs, results)
  }];
  let hasCanonicalizeMethod = 1;
  let hasVerifier = 1;
}

def Mpmd_FragmentCallOp : Mpmd_Op<"fragment_call",
    [HasParent<"::mlir::func::FuncOp">, CallOpInterface, MemRefsNormalizable,
     DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Runs a function on one mesh.";
  let description = [{
    The final form of an `mpmd.fragment`: its body is a function, which several calls on equal
    meshes may share.

    ```mlir
    %1 = mpmd.fragment_call<mesh="m1", origin=["layer_1"]> @layer_1(%0)
        : (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>>) -> !mpmd.mesh_tensor<"m1", tensor<4x8xf32>>
    ```

    **Constraints:**

    - The parent is a `func.func`, whose topology has the mesh of the call. Without operands
      and results, the verifier ends the process if there is no such mesh.
    - Operands and results are on this mesh. Their shardings satisfy the constraints of
      `#sdy.sharding` for it, and the axes divide each dimension they split.
    - `callee` is a function of the module with a `mesh_shape`, which is the mesh of the
      call, device ids included.
    - It has as many arguments as the call has operands, and as many results; their types
      are the global types.
  }];
  let arguments = (ins
    Variadic<Mpmd_AnyMeshTensor>:$tensors,
    Mpmd_UserOrigins:$origin,
    StrAttr:$mesh_name,
    FlatSymbolRefAttr:$callee);
  let results = (outs Variadic<Mpmd_AnyMeshTensor>);
  let assemblyFormat = [{
    `` `<` `mesh` `` `=` `` $mesh_name `,` `origin` `` `=` `` custom<UserOrigins>($origin) `>`
    $callee `(` $tensors `)` attr-dict `:` functional-type($tensors, results)
  }];
}

def Mpmd_TransferOp : Mpmd_Op<"transfer",
    [Pure, HasParent<"::mlir::func::FuncOp">,
     DeclareOpInterfaceMethods<Sdy_ShardingRuleOpInterface>]> {
  let summary = "Moves a tensor to another mesh, memory or sharding.";
  let description = [{
    The tensor as a whole stays the same. Between meshes it is sent; on one mesh, only its
    sharding or its memory changes. If nothing changes, canonicalization removes the
    transfer.

    ```mlir
    %1 = mpmd.transfer %0
        : (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>>) -> !mpmd.mesh_tensor<"m2", tensor<4x8xf32>>
    ```

    **Constraints:**

    - The parent is a `func.func`, whose topology has the meshes of operand and result.
    - Their global types are the same.
    - Their shardings satisfy the constraints of `#sdy.sharding` for these meshes, and the
      axes divide each dimension they split.
    - The memory kind, where given, is `device` or `pinned_host`.
  }];
  let arguments = (ins Mpmd_AnyMeshTensor:$tensor);
  let results = (outs Mpmd_AnyMeshTensor:$result);
  let assemblyFormat = "attr-dict $tensor `:` functional-type(operands, results)";
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
}

def Mpmd_ReturnOp : Mpmd_Op<"return", [Pure, Terminator]> {
  let summary = "Terminates the body of an `mpmd` operation and returns its results.";
  let description = [{
    ```mlir
    mpmd.return %0, %1 : tensor<8xf32>, tensor<4xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$results);
  let assemblyFormat = "attr-dict $results (`:` type($results)^)?";
}

//===----------------------------------------------------------------------===//
// Calls and loops
//===----------------------------------------------------------------------===//

def Mpmd_CallOp : Mpmd_Op<"call",
    [CallOpInterface, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Calls a function that holds a part of an MPMD program.";
  let description = [{
    Calls share a part that a program executes several times, such as the body of a loop.

    ```mlir
    %1 = mpmd.call @step(%0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    ```

    **Constraints:**

    - The parent is a `func.func` or an `mpmd.for`. A private function that has a
      `topology` holds no calls.
    - `callee` is a function of the module. If there is none the verifier ends the process.
    - A `callee` that has a `topology` is private.
    - Operands and results have the types of the arguments and results of the function. The
      verifier does not compare their numbers.
  }];
  let arguments = (ins
    Variadic<Mpmd_TensorOrMeshTensor>:$tensors, FlatSymbolRefAttr:$callee);
  let results = (outs Variadic<Mpmd_TensorOrMeshTensor>);
  let assemblyFormat = "$callee `(` $tensors `)` attr-dict `:` functional-type($tensors, results)";
  let hasVerifier = 1;
}

def Mpmd_ForOp : Mpmd_Op<"for",
    [SingleBlockImplicitTerminator<"ReturnOp">, Mpmd_PairwiseSameOperandAndResultType,
     RecursiveMemoryEffects, RecursivelySpeculatable,
     DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>,
     DeclareOpInterfaceMethods<LoopLikeOpInterface>,
     DeclareOpInterfaceMethods<Sdy_ShardableDataFlowOpInterface>]> {
  let summary = "Repeats a computation.";
  let description = [{
    The body is executed `iterations` times. Its arguments are first the operands, then the
    values that the previous iteration returned; the last iteration returns the results. One
    more argument, the last, is the index of the iteration: 0, 1, 2, ...

    With `unroll_factor` n, one iteration executes n copies of the body in sequence, with
    successive indices, and there are `iterations / n` iterations.

    ```mlir
    %1 = mpmd.for (%0) {iterations = 12 : ui32, unroll_factor = 3 : ui32}
        (%arg: tensor<4x8xf32>, %index: tensor<ui32>) {
      mpmd.return %arg : tensor<4x8xf32>
    } : tensor<4x8xf32>
    ```

    **Constraints:**

    - There is at least one iteration, and `unroll_factor` divides their number.
    - There is at least one operand. The verifier does not check it, but without any, MLIR
      cannot read what it prints.
    - Operands are of one kind: all tensors, for example, or all mesh tensors.
    - Results have the types of the operands, and so have the returned values and the block
      arguments but the last.
    - The last block argument is an integer tensor of 32 bits and rank 0, or a mesh tensor
      of such. Of mesh tensors the verifier checks only that the elements are integers.
  }];
  let arguments = (ins
    Variadic<AnyType>:$tensors, UI32Attr:$iterations, OptionalAttr<UI32Attr>:$unroll_factor);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$region);
  let assemblyFormat = [{
    `(` $tensors `)` attr-dict custom<SingleBlockRegionNoBlockId>($region)
    `:` custom<PairwiseTypes>(type($tensors), type($results))
  }];
  let hasVerifier = 1;
}

#endif // SDYKIT_MPMD_PROGRAM_OPS
