//===- attrs.td - Attributes of the `mpmd` dialect -----------------------===//

#ifndef SDYKIT_MPMD_ATTRS
#define SDYKIT_MPMD_ATTRS

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mpmd/dialect.td"
include "mpmd/enums.td"
include "sdy/mesh_attrs.td"

class Mpmd_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Mpmd_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

//===----------------------------------------------------------------------===//
// Meshes
//===----------------------------------------------------------------------===//

def Mpmd_NamedMesh : Mpmd_Attr<"NamedMesh", "named_mesh"> {
  let summary = "A mesh and its name.";
  let description = [{
    ```mlir
    #mpmd.named_mesh<"m1" : <["x"=2, "y"=4]>>
    ```
  }];
  let parameters = (ins
    StringRefParameter<"Name of the mesh, unique in its topology.">:$name,
    AttrParameter<"::mlir::sdy::MeshAttr", "The mesh.">:$mesh);
  let assemblyFormat = "`<` $name `:` $mesh `>`";
}

def Mpmd_Topology : Mpmd_Attr<"Topology", "topology"> {
  let summary = "The meshes that a program runs on.";
  let description = [{
    The attribute `topology` of a function. Mesh tensors, fragments and fragment calls in
    the function name their mesh, and the topology says what it looks like. The meshes may
    differ in shape and axes.

    ```mlir
    #mpmd.topology<<"m1" : <["x"=2]>>, <"m2" : <["x"=2]>>>
    ```

    A name that ends in `/cpu` denotes the host of the mesh with the rest of the name.

    **Constraints:**

    - There is at least one mesh.
    - Names are unique. The verifier does not check it; of two meshes with the same name, the
      first is used.
  }];
  let parameters = (ins ArrayRefParameter<"NamedMeshAttr", "The meshes.">:$meshes);
  let assemblyFormat = "`<` $meshes `>`";
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Where fragments and meshes come from
//===----------------------------------------------------------------------===//

def Mpmd_UserOrigin : Mpmd_Attr<"UserOrigin", "user_origin"> {
  let summary = "The named computation that a fragment comes from.";
  let description = [{
    The name of the computation, and how often it was transposed: 0 in the
    forward pass, 1 in the backward pass, and so on.

    ```mlir
    #mpmd.user_origin<"layer_1">
    #mpmd.user_origin<"layer_1"(1)>
    ```

    **Constraints:**

    - The count is not negative. The verifier does not check it; MLIR prints a negative
      count like zero, that is, not at all.
  }];
  let parameters = (ins
    AttrParameter<"::mlir::StringAttr", "Name of the computation.">:$user_name,
    DefaultValuedParameter<"int64_t", "0", "How often it was transposed.">:$transpose_count);
  let assemblyFormat = "`<` $user_name (`(` $transpose_count^ `)`)? `>`";
}

def Mpmd_UserOrigins : TypedArrayAttrBase<Mpmd_UserOrigin, "user origins">;

def Mpmd_Origin : Mpmd_Attr<"Origin", "origin"> {
  let summary = "Why a value is on a mesh.";
  let description = [{
    Written `"layer_1"`. The label is the name of a computation or tensor of the user, or
    names the part of the program that requires the value on the mesh. Diagnostics of mesh
    inference use it.
  }];
  let parameters = (ins StringRefParameter<"The reason.">:$origin_label);
  let assemblyFormat = "`` $origin_label";
}

def Mpmd_MeshWithOrigins : Mpmd_Attr<"MeshWithOrigins", "mesh_with_origins"> {
  let summary = "A mesh that a value is on, and why.";
  let description = [{
    Written `"m1"["layer_1", "layer_2"]`; without origins, written `"m1"`.
  }];
  let parameters = (ins
    StringRefParameter<"Name of the mesh.">:$mesh_name,
    OptionalArrayRefParameter<"OriginAttr", "The reasons.">:$origins);
  let assemblyFormat = "`` $mesh_name (`[` $origins^ `]`)?";
}

def Mpmd_MeshesWithOrigins : Mpmd_Attr<"MeshesWithOrigins", "meshes_with_origins"> {
  let summary = "The meshes that a value is on, and why.";
  let description = [{
    Mesh inference keeps it with operations, function arguments and function results.

    ```mlir
    #mpmd.meshes_with_origins<"m1"["layer_1"], "m2">
    #mpmd.meshes_with_origins<>
    ```
  }];
  let parameters = (ins
    OptionalArrayRefParameter<"MeshWithOriginsAttr", "The meshes.">:$value);
  let assemblyFormat = "`<` (`>`) : ($value^ `>`)?";
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

def Mpmd_Reduction : Mpmd_Attr<"Reduction", "reduction"> {
  let summary = "The operation that a reduction applies.";
  let description = [{
    ```mlir
    #mpmd.reduction<add>
    ```
  }];
  let parameters = (ins EnumParameter<Mpmd_ReductionType>:$reduction_type);
  let assemblyFormat = "`<` $reduction_type `>`";
}

#endif // SDYKIT_MPMD_ATTRS
