//===- sharding_attrs.td - Shardings of tensors --------------------------===//

#ifndef SDYKIT_SDY_SHARDING_ATTRS
#define SDYKIT_SDY_SHARDING_ATTRS

include "sdy/dimension_attrs.td"
include "sdy/mesh_attrs.td"

def Sdy_TensorSharding : Sdy_Attr<"TensorSharding", "sharding"> {
  let summary = "How a tensor is laid out over a mesh.";
  let description = [{
    A mesh, by name or inline, and a sharding for each dimension. Propagation must not split a dimension by an axis in
    `replicated`. Along the axes in `unreduced`, each device holds a summand: the tensor is
    the sum over these axes, which is not computed yet.

    ```mlir
    #sdy.sharding<@mesh, [{"x"}, {"y", ?} ]>
    #sdy.sharding<@mesh, [{}, {?} ], replicated={"x"}, unreduced={"y":(1)2}>
    #sdy.sharding<mesh<["x"=2, "y"=2]>, [{"x"} ]>
    #sdy.sharding<mesh<[], device_ids=[1]>, []>
    ```

    In the first, the rows are split over `x`; the columns are split over `y`, and may be
    split further.

    **Constraints:**

    - The named mesh exists; its axes are the ones used.
    - There is a dimension sharding for each dimension of the tensor. If the mesh is
      maximal, there are none, and neither replicated nor unreduced axes.
    - No axis, or part of one, is used twice, replicated and unreduced axes included.
    - Replicated and unreduced axes are sorted in the order of the mesh.
  }];
  let parameters = (ins
    AttrParameter<"::mlir::Attribute", "The mesh: its symbol name or, inline, itself.">
      :$mesh_or_ref,
    OptionalArrayRefParameter<"DimensionShardingAttr", "One for each dimension.">
      :$dim_shardings,
    OptionalArrayRefParameter<"AxisRefAttr", "Axes to keep replicated.">:$replicated_axes,
    OptionalArrayRefParameter<"AxisRefAttr", "Axes over which the sum is not computed yet.">
      :$unreduced_axes);
  let assemblyFormat = [{
    `<` custom<MeshOrRef>($mesh_or_ref) `,` `[` (`]`) : ($dim_shardings^ `]`)?
    `` custom<ReplicatedAndUnreduced>($replicated_axes, $unreduced_axes) `>`
  }];
}

def Sdy_TensorShardingPerValue : Sdy_Attr<"TensorShardingPerValue", "sharding_per_value"> {
  let summary = "A sharding for each operand or each result of an operation.";
  let description = [{
    ```mlir
    #sdy.sharding_per_value<[<@mesh, [{"x"}, {} ]>, <@mesh, [{"y"} ]>]>
    ```
  }];
  let parameters = (ins
    OptionalArrayRefParameter<"TensorShardingAttr", "The shardings, in order of the values.">
      :$shardings);
  let assemblyFormat = "`<` `[` (`]`) : ($shardings^ `]`)? `>`";
}

#endif // SDYKIT_SDY_SHARDING_ATTRS
