//===- dialect.td - The `mpmd` dialect -----------------------------------===//
//
// Every other file of this directory includes this one.
//
//===----------------------------------------------------------------------===//

#ifndef SDYKIT_MPMD_DIALECT
#define SDYKIT_MPMD_DIALECT

include "mlir/IR/DialectBase.td"

def Mpmd_Dialect : Dialect {
  let name = "mpmd";
  let cppNamespace = "::mlir::mpmd";
  let summary = "Programs that run on several meshes of devices.";
  let description = [{
    The `mpmd` dialect describes a program whose parts run on different meshes, each part
    a program of its own (*multiple programs, multiple data*), and what is sent between
    them.

    The meshes are named by the **topology** (`#mpmd.topology`) of a function. A **mesh
    tensor** (`!mpmd.mesh_tensor`) is a tensor that lives on one of them. A **fragment**
    (`mpmd.fragment`) holds the computation that runs on one mesh, and a **transfer**
    (`mpmd.transfer`) moves a tensor from mesh to mesh.

    The dialect is used in three stages:

    1. *Import.* A user names computations and tensors (`mpmd.named_computation`,
       `mpmd.named_tensor`), marks values that may be copied to where they are needed
       (`mpmd.broadcast`) or summed across meshes (`mpmd.reduce`), and assigns names to
       meshes. The compiler infers the meshes of everything else; meanwhile `mpmd.assign` and
       `mpmd.unassign` convert tensors to mesh tensors and back.
    2. *Optimization.* The program is a function of fragments and transfers. Fragments
       are merged and reordered; `sdy` shardings are propagated.
    3. *Export.* Each fragment becomes a function, and an `mpmd.fragment_call` of it.

    A fragment whose origin is empty is *inferred*: the compiler made it. Others are *user*
    fragments. A public function with a `topology` is an entry point.

    Discardable attributes of the dialect:

    | Name | On | Value |
    |---|---|---|
    | `topology` | functions over several meshes | `#mpmd.topology` |
    | `mesh_shape` | functions over a single mesh | `#sdy.mesh` |
    | `arg_attrs` | fragments | an array with a dictionary for each operand |
    | `res_attrs` | fragments | an array with a dictionary for each result |
    | `mpmd.inferred_by` | fragments | an array of the names of the passes that made it |
    | `call_counter` | fragments | the number of the call that it comes from, of type `ui32` |
    | `remat` | fragments and calls of them | unit, if the fragment recomputes values (rematerialization) |
  }];
}

#endif // SDYKIT_MPMD_DIALECT
