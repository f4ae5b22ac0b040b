//===- import_ops.td - What users write, and mesh inference --------------===//

#ifndef SDYKIT_MPMD_IMPORT_OPS
#define SDYKIT_MPMD_IMPORT_OPS

include "mlir/IR/CommonAttrConstraints.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mpmd/attrs.td"
include "mpmd/op_base.td"
include "mpmd/types.td"

//===----------------------------------------------------------------------===//
// What a user writes
//===----------------------------------------------------------------------===//

def Mpmd_NamedComputationOp : Mpmd_Op<"named_computation",
    [IsolatedFromAbove, RecursiveMemoryEffects, RecursivelySpeculatable,
     SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "Names a part of a program.";
  let description = [{
    A name is assigned to a mesh, or to a mesh and a stage, and all computations of this
    name run there. The number after the name is how often the computation was transposed
    by automatic differentiation, which distinguishes the backward pass from the forward
    pass.

    ```mlir
    %1 = mpmd.named_computation<"layer_1"(1)> (%0) (%arg: tensor<4x8xf32>) {
      mpmd.return %arg : tensor<4x8xf32>
    } : (tensor<4x8xf32>) -> tensor<4x8xf32>
    ```

    **Constraints:**

    - Operands and results are tokens, or ranked tensors with the elements of StableHLO:
      numbers, booleans, complex numbers.
    - There are as many block arguments as operands, and as many returned values as
      results; their types are the same.
    - The body uses no value from outside.
  }];
  let arguments = (ins Variadic<Mpmd_TensorOrToken>:$tensors, Mpmd_UserOrigin:$origin);
  let results = (outs Variadic<Mpmd_TensorOrToken>:$results);
  let regions = (region SizedRegion<1>:$region);
  let assemblyFormat = [{
    `` `<` custom<UserOrigin>($origin) `>` `(` $tensors `)` attr-dict
    custom<SingleBlockRegionNoBlockId>($region) `:` functional-type($tensors, results)
  }];
  let hasVerifier = 1;
}

def Mpmd_NamedTensorOp : Mpmd_Op<"named_tensor", [Pure, SameOperandsAndResultType]> {
  let summary = "Names a tensor.";
  let description = [{
    The result is the operand. A name is assigned to a mesh, and the tensor must be
    on that mesh.

    ```mlir
    %1 = mpmd.named_tensor %0 name="activations" : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins AnyTensor:$tensor, StrAttr:$name);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = "$tensor `name` `` `=` `` $name attr-dict `:` type($result)";
}

def Mpmd_BroadcastOp : Mpmd_Op<"broadcast", [Pure, SameOperandsAndResultType]> {
  let summary = "Lets a tensor be sent to each mesh that uses it.";
  let description = [{
    The result is the operand. Mesh inference may put it on any number of meshes, with a
    transfer to each from the mesh that the operand is on. Two in a row have the same effect as one.

    ```mlir
    %1 = mpmd.broadcast %0 : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins AnyTensor:$tensor);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = "attr-dict $tensor `:` type($result)";
  let hasCanonicalizer = 1;
}

def Mpmd_ReduceOp : Mpmd_Op<"reduce", [Pure, SameOperandsAndResultType]> {
  let summary = "Combines tensors that may be on different meshes.";
  let description = [{
    `reduction` is the operation that is applied element by element. The result may be sent to
    each mesh that uses it, as with `mpmd.broadcast`; with `none` nothing is combined, and this
    is the only effect.

    ```mlir
    %2 = mpmd.reduce<add> %0, %1 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    ```

    **Constraints:**

    - There is at least one operand, and no more than one if the reduction is `none`.
    - `reduction` is present: builders and the parser add `none`, but if the attribute is
      removed, the verifier ends the process.
    - All operands and the result have one type. The verifier accepts dynamic dimensions in
      place of static ones.
  }];
  let arguments = (ins
    Variadic<AnyTensor>:$tensors,
    DefaultValuedAttr<Mpmd_Reduction, "::mlir::mpmd::ReductionType::NONE">:$reduction);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = "`` $reduction attr-dict $tensors `:` functional-type(operands, results)";
  let hasCanonicalizeMethod = 1;
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Conversions that mesh inference adds, and removes again
//===----------------------------------------------------------------------===//

def Mpmd_AssignOp : Mpmd_Op<"assign", [Pure, ParentOneOf<["::mlir::func::FuncOp", "ForOp"]>]> {
  let summary = "Puts a tensor on a mesh.";
  let description = [{
    Converts a tensor to a mesh tensor while meshes are inferred; none is left afterwards.
    `origin` is the reason why the tensor is on this mesh: a named computation, or the mesh of
    a function argument.

    ```mlir
    %1 = mpmd.assign {origin = "layer_1"} %0
        : (tensor<4x8xf32>) -> !mpmd.mesh_tensor<"m1", tensor<4x8xf32>>
    ```

    **Constraints:**

    - The parent is a `func.func` or an `mpmd.for`.
    - The topology of the function has the mesh of the result.
    - The global type of the result is the type of the operand.
    - No axis splits the result, and its sharding satisfies the constraints of
      `#sdy.sharding` for that mesh.
  }];
  let arguments = (ins AnyTensor:$tensor, OptionalAttr<StrAttr>:$origin);
  let results = (outs Mpmd_AnyMeshTensor:$result);
  let assemblyFormat = "attr-dict $tensor `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Mpmd_UnassignOp : Mpmd_Op<"unassign",
    [Pure, ParentOneOf<["::mlir::func::FuncOp", "ForOp"]>, InferTensorType]> {
  let summary = "Takes a tensor from its mesh.";
  let description = [{
    Converts a mesh tensor to a tensor while meshes are inferred; none is left afterwards.
    `origin` is as in `mpmd.assign`.

    ```mlir
    %1 = mpmd.unassign {origin = "layer_1"} %0
        : (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>>) -> tensor<4x8xf32>
    ```

    **Constraints:**

    - The parent is a `func.func` or an `mpmd.for`.
    - The topology of the function has the mesh of the operand.
    - The global type of the operand is the type of the result.
    - No axis splits the operand, and its sharding satisfies the constraints of
      `#sdy.sharding` for that mesh.
  }];
  let arguments = (ins Mpmd_AnyMeshTensor:$tensor, OptionalAttr<StrAttr>:$origin);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = "attr-dict $tensor `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

#endif // SDYKIT_MPMD_IMPORT_OPS
