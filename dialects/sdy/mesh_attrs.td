//===- mesh_attrs.td - Meshes and references to their axes ---------------===//

#ifndef SDYKIT_SDY_MESH_ATTRS
#define SDYKIT_SDY_MESH_ATTRS

include "mlir/IR/AttrTypeBase.td"
include "sdy/dialect.td"

class Sdy_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Sdy_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def Sdy_MeshAxis : Sdy_Attr<"MeshAxis", "mesh_axis"> {
  let summary = "A named axis of a mesh.";
  let description = [{
    Written `"x"=2`.

    **Constraints:**

    - `size` is at least 1.
  }];
  let parameters = (ins
    StringRefParameter<"Name of the axis, unique in its mesh.">:$name,
    AttrParameter<"int64_t", "Number of devices along the axis.">:$size);
  let assemblyFormat = "`` $name `` `=` `` $size";
  let genVerifyDecl = 1;
}

def Sdy_Mesh : Sdy_Attr<"Mesh", "mesh"> {
  let summary = "A grid of devices with named axes.";
  let description = [{
    The devices of a mesh are the elements of a grid, in row-major order: the last axis
    is the most minor. Without `device_ids` they are numbered 0, 1, 2, ...; with them,
    the list has the device at each position.

    A mesh has one of three shapes:

    - at least one axis: as many devices as the product of the axis sizes;
    - no axes and one device id: a *maximal* mesh. A tensor that is sharded on it lives on
      that device as a whole;
    - no axes and no device ids: the *empty* mesh, a placeholder for any mesh.

    ```mlir
    #sdy.mesh<["data"=4, "model"=2]>
    #sdy.mesh<["x"=2, "y"=2], device_ids=[0, 2, 1, 3]>
    #sdy.mesh<[], device_ids=[3]>
    #sdy.mesh<[]>
    ```

    Device ids that count 0, 1, 2, ... over the whole mesh are the default and are
    dropped: `#sdy.mesh<["x"=2], device_ids=[0, 1]>` is `#sdy.mesh<["x"=2]>`.

    **Constraints:**

    - No two axes have the same name.
    - Device ids are not negative.
    - With axes, sorted `device_ids` are 0, 1, ..., number of devices - 1.
    - Without axes there is at most one device id.
  }];
  let parameters = (ins
    OptionalArrayRefParameter<"MeshAxisAttr", "The axes, from major to minor.">:$axes,
    OptionalArrayRefParameter<"int64_t",
      "Devices in row-major order of the axes; empty for the default order.">:$device_ids);
  let assemblyFormat = [{
    `<` `[` (`]`) : ($axes^ `]`)? (`,` `device_ids` `` `=` `` `[` $device_ids^ `]`)? `>`
  }];
  let genVerifyDecl = 1;
}

def Sdy_SubAxisInfo : Sdy_Attr<"SubAxisInfo", "sub_axis_info"> {
  let summary = "Which part of a mesh axis a sub-axis is.";
  let description = [{
    An axis of size `n` can be seen as several axes whose sizes multiply to `n`. A
    sub-axis is one of them: `pre_size` is the product of the sizes of the parts that
    are major to it, `size` its own. Written `(pre_size)size`.

    Of an axis of size 8, split as 2 x 2 x 2, `(2)2` is the part in the middle.

    **Constraints:**

    - `pre_size` is at least 1.
    - `size` is at least 2.
  }];
  let parameters = (ins
    AttrParameter<"int64_t", "Product of the sizes of the parts major to this one.">:$pre_size,
    AttrParameter<"int64_t", "Size of this part.">:$size);
  let assemblyFormat = "`(` $pre_size `)` `` $size";
}

def Sdy_AxisRef : Sdy_Attr<"AxisRef", "axis_ref"> {
  let summary = "A reference to a mesh axis, whole or in part.";
  let description = [{
    Written `"x"` for the whole axis and `"x":(2)4` for the sub-axis of size 4 whose
    major parts have 2 elements together.

    **Constraints:**

    - The axis is one of the mesh that it is used with.
    - For a sub-axis, `pre_size * size` divides the size of the axis, and is not the
      whole axis.
  }];
  let parameters = (ins
    StringRefParameter<"Name of the mesh axis.">:$name,
    OptionalParameter<"SubAxisInfoAttr", "The part of the axis; absent for the whole axis.">
      :$sub_axis_info);
  let assemblyFormat = "`` $name (`` `:` `` $sub_axis_info^)?";
}

def Sdy_AxisRefList : Sdy_Attr<"AxisRefList", "axis_ref_list"> {
  let summary = "A list of axis references.";
  let description = [{
    Written `{"x", "y":(1)2}`.

    **Constraints:**

    - Each element is a valid `#sdy.axis_ref`.
    - No two elements overlap.
    - Neighbours that are neighbouring parts of one axis are merged into one reference:
      `{"x":(1)2, "x":(2)2}` has to be `{"x":(1)4}`.
  }];
  let parameters = (ins
    OptionalArrayRefParameter<"AxisRefAttr", "The references, from major to minor.">:$value);
  let assemblyFormat = "`{` (`}`) : ($value^ `}`)?";
}

def Sdy_ListOfAxisRefLists : Sdy_Attr<"ListOfAxisRefLists", "list_of_axis_ref_lists"> {
  let summary = "A list of axis references for each dimension.";
  let description = [{
    Written `[{"x"}, {}, {"y", "z"} ]`. Collectives use it to name, for each dimension
    of a tensor, the axes they act on.
  }];
  let parameters = (ins
    OptionalArrayRefParameter<"AxisRefListAttr", "One list for each dimension.">:$value);
  let assemblyFormat = "`[` (`]`) : ($value^ `]`)?";
}

def Sdy_AllToAllParamAttr : Sdy_Attr<"AllToAllParam", "all_to_all_param"> {
  let summary = "One move of an all-to-all: axes, from one dimension to another.";
  let description = [{
    Written `{"x", "y"}: 0->2`: the axes `x` and `y` leave the minor end of the sharding of
    dimension 0, and are appended to the sharding of dimension 2.

    **Constraints:**

    - `axes` is not empty, and holds valid references that do not overlap.
    - `src_dim` and `tgt_dim` are different dimensions of the tensor.
  }];
  let parameters = (ins
    ArrayRefParameter<"AxisRefAttr", "The axes that move.">:$axes,
    AttrParameter<"int64_t", "Dimension that the axes leave.">:$src_dim,
    AttrParameter<"int64_t", "Dimension that the axes split afterwards.">:$tgt_dim);
  let assemblyFormat = "`{` $axes `}` `` `:` $src_dim `` `->` `` $tgt_dim";
}

def Sdy_AllToAllParamList : Sdy_Attr<"AllToAllParamList", "all_to_all_param_list"> {
  let summary = "The moves of an all-to-all.";
  let description = [{
    Written `[{"x"}: 0->2, {"y"}: 1->3]`.
  }];
  let parameters = (ins
    OptionalArrayRefParameter<"AllToAllParamAttr", "The moves.">:$value);
  let assemblyFormat = "`[` (`]`) : ($value^ `]`)?";
}

def Sdy_ManualAxes : Sdy_Attr<"ManualAxes", "manual_axes"> {
  let summary = "The mesh axes along which a region is the program of one device.";
  let description = [{
    Written `{"x", "y"}`. Whole axes only, in the order of the mesh.
  }];
  let parameters = (ins
    OptionalArrayRefParameter<"StringAttr", "Names of the manual axes.">:$value);
  let assemblyFormat = "`{` (`}`) : ($value^ `}`)?";
}

#endif // SDYKIT_SDY_MESH_ATTRS
