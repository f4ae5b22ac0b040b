//===- dialect.td - The `sdy` dialect ------------------------------------===//
//
// Every other file of this directory includes this one.
//
//===----------------------------------------------------------------------===//

#ifndef SDYKIT_SDY_DIALECT
#define SDYKIT_SDY_DIALECT

include "mlir/IR/DialectBase.td"

def Sdy_Dialect : Dialect {
  let name = "sdy";
  let cppNamespace = "::mlir::sdy";
  let summary = "Shardings of tensors over meshes of devices.";
  let description = [{
    The `sdy` dialect describes how the tensors of a program are laid out over a mesh of
    devices, and has the operations with which a compiler completes, refines and finally
    executes such a layout.

    A **mesh** (`#sdy.mesh`, named by `sdy.mesh`) is a grid of devices with a name for
    each axis. A **tensor sharding** (`#sdy.sharding`) lists, for each dimension of a
    tensor, the mesh axes that split it, from major to minor. An axis that splits no
    dimension leaves the tensor replicated along that axis.

    The dialect is used in three stages:

    1. *Input.* A user attaches shardings to function arguments and results, to
       intermediate tensors (`sdy.sharding_constraint`), to groups of tensors
       (`sdy.sharding_group`), and to regions that are written per device
       (`sdy.manual_computation`).
    2. *Propagation.* Every operation has a sharding rule (`#sdy.op_sharding_rule`) that
       relates the dimensions of its operands and results. Following these rules, the
       compiler extends the given shardings to the whole program. Operations with
       regions take part through `sdy.data_flow_edge`.
    3. *Partitioning.* Where a tensor is needed in another sharding, there is an
       `sdy.reshard`, which becomes collectives: `sdy.all_gather`, `sdy.all_slice`,
       `sdy.all_to_all`, `sdy.collective_permute`, `sdy.all_reduce`,
       `sdy.reduce_scatter`.

    Discardable attributes of the dialect:

    | Name | On | Value |
    |---|---|---|
    | `sdy.sharding` | function arguments and results | `#sdy.sharding` |
    | `sdy.sharding` | other operations | `#sdy.sharding_per_value`, one for each result |
    | `sdy.sharding_rule` | operations | `#sdy.op_sharding_rule` |
    | `sdy.propagation_edges` | operations | `#sdy.propagation_edges` |
    | `sdy.original_func_name` | functions | the name of the function a copy was made of |
  }];
}

#endif // SDYKIT_SDY_DIALECT
