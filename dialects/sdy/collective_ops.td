//===- collective_ops.td - Collectives -----------------------------------===//
//
// A tensor has a *sharding*, and a collective changes it. The value of the tensor as a whole
// stays the same unless the description says otherwise.
//
//===----------------------------------------------------------------------===//

#ifndef SDYKIT_SDY_COLLECTIVE_OPS
#define SDYKIT_SDY_COLLECTIVE_OPS

include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "sdy/attrs.td"
include "sdy/interfaces.td"
include "sdy/op_base.td"

class Sdy_CollectiveOp<string mnemonic, list<Trait> traits = []>
    : Sdy_Op<mnemonic, !listconcat(traits,
        [SameOperandsAndResultType, DeclareOpInterfaceMethods<SymbolUserOpInterface>,
         DeclareOpInterfaceMethods<Sdy_CollectiveOpInterface>])> {
  let results = (outs AnyShaped:$result);
  let hasVerifier = 1;
}

def Sdy_AllGatherOp : Sdy_CollectiveOp<"all_gather"> {
  let summary = "Gathers the parts of a tensor along axes.";
  let description = [{
    For each dimension, `gathering_axes` lists the axes that stop splitting it. They are
    the minor end of the dimension's sharding.

    ```mlir
    // %0 : [{"a", "b", "c"}, {}, {"d"} ]
    %1 = sdy.all_gather [{"b", "c"}, {}, {"d"} ] %0 out_sharding=<@mesh, [{"a"}, {}, {} ]>
        : tensor<8x8x8xf32>
    ```

    **Constraints:**

    - Those of `CollectiveOpInterface`.
    - Each list of axes satisfies the constraints of `#sdy.axis_ref_list`.
    - The operand's sharding without `gathering_axes` is `out_sharding`.
  }];
  let arguments = (ins
    AnyShaped:$tensor,
    Sdy_ListOfAxisRefLists:$gathering_axes,
    Sdy_TensorSharding:$out_sharding);
  let assemblyFormat = [{
    $gathering_axes $tensor `out_sharding` `` `=` `` $out_sharding attr-dict `:` type($result)
  }];
}

def Sdy_AllSliceOp : Sdy_CollectiveOp<"all_slice"> {
  let summary = "Slices a tensor along axes.";
  let description = [{
    For each dimension, `slicing_axes` lists further axes that split it, minor to those that
    split it already. Each device keeps its part. The inverse of `sdy.all_gather`.

    ```mlir
    // %0 : [{"a"}, {}, {} ]
    %1 = sdy.all_slice [{"b", "c"}, {}, {"d"} ] %0
        out_sharding=<@mesh, [{"a", "b", "c"}, {}, {"d"} ]> : tensor<8x8x8xf32>
    ```

    **Constraints:**

    - Those of `CollectiveOpInterface`; the operand may be without sharding.
    - Each list of axes satisfies the constraints of `#sdy.axis_ref_list`.
    - The operand's sharding with `slicing_axes` added is `out_sharding`.
  }];
  let arguments = (ins
    AnyShaped:$tensor,
    Sdy_ListOfAxisRefLists:$slicing_axes,
    Sdy_TensorSharding:$out_sharding);
  let assemblyFormat = [{
    $slicing_axes $tensor `out_sharding` `` `=` `` $out_sharding attr-dict `:` type($result)
  }];
}

def Sdy_AllToAllOp : Sdy_CollectiveOp<"all_to_all"> {
  let summary = "Moves axes from dimensions to other dimensions.";
  let description = [{
    Each parameter moves axes from the minor end of the sharding of one dimension to the
    minor end of another's: an all-gather along `src_dim`, then an all-slice along
    `tgt_dim`, over the same axes, in one operation.

    ```mlir
    // %0 : [{"a", "b"}, {"c"}, {}, {} ]
    %1 = sdy.all_to_all [{"b"}: 0->2, {"c"}: 1->3] %0
        out_sharding=<@mesh, [{"a"}, {}, {"b"}, {"c"} ]> : tensor<8x8x4x4xf32>
    ```

    **Constraints:**

    - Those of `CollectiveOpInterface`.
    - There is at least one parameter, and each satisfies the constraints of
      `#sdy.all_to_all_param`.
    - No dimension is named twice, and source dimensions are in ascending order.
    - The operand's sharding with the axes moved is `out_sharding`.
  }];
  let arguments = (ins
    AnyShaped:$tensor,
    Sdy_AllToAllParamList:$params,
    Sdy_TensorSharding:$out_sharding);
  let assemblyFormat = [{
    $params $tensor `out_sharding` `` `=` `` $out_sharding attr-dict `:` type($result)
  }];
}

def Sdy_CollectivePermuteOp : Sdy_CollectiveOp<"collective_permute"> {
  let summary = "Sends the parts of a tensor from device to device.";
  let description = [{
    Each device's part keeps its shape and goes to another device: axes change their order
    or dimension, or are exchanged for others, while each dimension stays split into as
    many parts.

    ```mlir
    // sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>, %0 : [{"a", "b"}, {} ]
    %1 = sdy.collective_permute %0 out_sharding=<@mesh, [{"c"}, {} ]> : tensor<8x8xf32>
    ```

    **Constraints:**

    - Those of `CollectiveOpInterface`; the meshes may differ, in the order of their
      devices only.
    - For each dimension, the sizes of the axes that split it have the same product before
      and after.
  }];
  let arguments = (ins AnyShaped:$tensor, Sdy_TensorSharding:$out_sharding);
  let assemblyFormat = [{
    $tensor `out_sharding` `` `=` `` $out_sharding attr-dict `:` type($result)
  }];
}

def Sdy_AllReduceOp : Sdy_CollectiveOp<"all_reduce"> {
  let summary = "Sums a tensor over axes.";
  let description = [{
    Each device along `reduction_axes` holds a summand; afterwards each holds the sum. The
    order of the axes does not matter for the result.

    ```mlir
    // %0 : [{"a"}, {} ], unreduced={"b"}
    %1 = sdy.all_reduce {"b"} %0 out_sharding=<@mesh, [{"a"}, {} ]> : tensor<8x8xf32>
    ```

    **Constraints:**

    - Those of `CollectiveOpInterface`; the operand may be without sharding.
    - `reduction_axes` satisfies the constraints of `#sdy.axis_ref_list`, and is sorted in
      the order of the mesh.
    - Dimensions are sharded in the same way before and after.
    - `reduction_axes` overlap neither with axes that split a dimension of the operand nor
      with its replicated axes, nor with the unreduced axes of `out_sharding`.
  }];
  let arguments = (ins
    AnyShaped:$tensor,
    Sdy_AxisRefList:$reduction_axes,
    Sdy_TensorSharding:$out_sharding);
  let assemblyFormat = [{
    $reduction_axes $tensor `out_sharding` `` `=` `` $out_sharding attr-dict `:` type($result)
  }];
}

def Sdy_ReduceScatterOp : Sdy_CollectiveOp<"reduce_scatter"> {
  let summary = "Sums a tensor over axes, and splits the sum along them.";
  let description = [{
    An `sdy.all_reduce` and then an `sdy.all_slice` over the same axes, in one operation.

    ```mlir
    // %0 : [{"a"}, {} ]
    %1 = sdy.reduce_scatter [{}, {"b"} ] %0 out_sharding=<@mesh, [{"a"}, {"b"} ]>
        : tensor<8x8xf32>
    ```

    **Constraints:**

    - Those of `CollectiveOpInterface`; the operand may be without sharding.
    - Each list of axes satisfies the constraints of `#sdy.axis_ref_list`.
    - The operand's sharding with `reduce_scatter_axes` added is `out_sharding`.
  }];
  let arguments = (ins
    AnyShaped:$tensor,
    Sdy_ListOfAxisRefLists:$reduce_scatter_axes,
    Sdy_TensorSharding:$out_sharding);
  let assemblyFormat = [{
    $reduce_scatter_axes $tensor `out_sharding` `` `=` `` $out_sharding attr-dict
    `:` type($result)
  }];
}

def Sdy_ReplicatedToUnreducedOp : Sdy_CollectiveOp<"replicated_to_unreduced"> {
  let summary = "Makes replicated axes unreduced.";
  let description = [{
    Along `axes` the operand is replicated; the result is a sum over them that is not computed
    yet: `all_reduce(replicated_to_unreduced(x, axes), axes) = x`.

    ```mlir
    // %0 : [{"b"}, {} ], replicated={"a"}, unreduced={"c"}
    %1 = sdy.replicated_to_unreduced {"a"} %0
        out_sharding=<@mesh, [{"b"}, {} ], unreduced={"a", "c"}> : tensor<8x8xf32>
    ```

    **Constraints:**

    - Those of `CollectiveOpInterface`.
    - `axes` is not empty, satisfies the constraints of `#sdy.axis_ref_list`, and is sorted
      in the order of the mesh.
    - Dimensions are sharded in the same way before and after.
    - The operand is replicated along `axes`, explicitly or not.
    - The unreduced axes of the operand with `axes` added are those of `out_sharding`.
  }];
  let arguments = (ins
    AnyShaped:$tensor,
    Sdy_AxisRefList:$axes,
    Sdy_TensorSharding:$out_sharding);
  let assemblyFormat = [{
    $axes $tensor `out_sharding` `` `=` `` $out_sharding attr-dict `:` type($result)
  }];
}

def Sdy_ShardedToUnreducedOp : Sdy_CollectiveOp<"sharded_to_unreduced"> {
  let summary = "Makes axes that split dimensions unreduced.";
  let description = [{
    Axes that split a dimension of the operand become axes over which the sum is not
    computed yet: `all_reduce(sharded_to_unreduced(x, axes), axes) = all_gather(x, axes)`.

    ```mlir
    // %0 : [{"a", "b"}, {"c"} ]
    %1 = sdy.sharded_to_unreduced [{"b"}, {"c"} ] %0
        out_sharding=<@mesh, [{"a"}, {} ], unreduced={"b", "c"}> : tensor<8x8xf32>
    ```

    **Constraints:**

    - Those of `CollectiveOpInterface`.
    - Each list of axes satisfies the constraints of `#sdy.axis_ref_list`.
    - The operand's sharding with `axes` made unreduced is `out_sharding`.
  }];
  let arguments = (ins
    AnyShaped:$tensor,
    Sdy_ListOfAxisRefLists:$axes,
    Sdy_TensorSharding:$out_sharding);
  let assemblyFormat = [{
    $axes $tensor `out_sharding` `` `=` `` $out_sharding attr-dict `:` type($result)
  }];
}

#endif // SDYKIT_SDY_COLLECTIVE_OPS
