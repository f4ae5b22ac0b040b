//===- types.td - Types of the `mpmd` dialect ----------------------------===//

#ifndef SDYKIT_MPMD_TYPES
#define SDYKIT_MPMD_TYPES

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mpmd/dialect.td"
include "sdy/sharding_attrs.td"

def Mpmd_MeshTensor : TypeDef<Mpmd_Dialect, "MeshTensor",
    [DeclareTypeInterfaceMethods<ShapedTypeInterface>]> {
  let mnemonic = "mesh_tensor";
  let summary = "A tensor that lives on a mesh.";
  let description = [{
    The *global* type is the type of the tensor as a whole. The *local* type, that of the
    part on one device, has each dimension divided by the sizes of the axes that split it,
    rounded up. Without sharding the tensor is replicated over the mesh.

    ```mlir
    !mpmd.mesh_tensor<"m1", tensor<4x8xf32>>
    !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"x"}, {?} ]>>
    !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, memory_kind="pinned_host">
    !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{}, {} ]>, memory_kind="device">
    ```

    **Constraints:**

    - The mesh name is UTF-8 without quotes, backslashes and control characters. The verifier
      does not check it, but MLIR prints the name as it is, and cannot read others back.
    - The sharding is checked by the operations that use the type, against the mesh that the
      topology has under the name: it satisfies the constraints of `#sdy.sharding`.
  }];
  let parameters = (ins
    AttrParameter<"::mlir::StringAttr", "Name of the mesh.">:$mesh_name,
    TypeParameter<"::mlir::RankedTensorType", "The global type.">:$ranked_tensor_type,
    OptionalParameter<"::mlir::sdy::TensorShardingAttr",
      "How the tensor is split over the mesh.">:$sharding,
    OptionalParameter<"::mlir::StringAttr",
      "The memory of the tensor; absent for the memory of the device.">:$memory_kind);
  let assemblyFormat = [{
    `<` custom<MeshName>($mesh_name) `,` custom<RankedTensorType>($ranked_tensor_type)
    `` custom<ShardingAndMemoryKind>($sharding, $memory_kind) `>`
  }];
}

def Mpmd_Token : Type<CPred<"::llvm::isa<::mlir::stablehlo::TokenType>($_self)">, "token",
    "::mlir::stablehlo::TokenType">;

def Mpmd_AnyMeshTensor : AnyTypeOf<[Mpmd_MeshTensor], "mesh tensor type",
    "::mlir::mpmd::MeshTensorType">;

def Mpmd_MeshTensorOrToken : AnyTypeOf<[Mpmd_AnyMeshTensor, Mpmd_Token],
    "mesh tensor type or token">;

def Mpmd_TensorOrToken : AnyTypeOf<[AnyRankedTensor, Mpmd_Token]>;

def Mpmd_TensorOrMeshTensor : AnyTypeOf<[AnyTensor, Mpmd_AnyMeshTensor]>;

#endif // SDYKIT_MPMD_TYPES
