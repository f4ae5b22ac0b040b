"""`-sdy-propagate-sharding-from-func-to-call`."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.core import ModulePass, functions_of, meshes_of, ops_named
from sdykit.dialects import sdy
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sdy._call_graph import CALL, callee_name
from sdykit.passes.sdy._shardings import SHARDING, common_mesh
from sdykit.passes.sdy._value_shardings import rank


@dataclass(frozen=True)
class PropagateShardingFromFuncToCallPass(ModulePass):
    """Copy the shardings of a function's results to the `func.call`s of it.

    A call that has shardings keeps them. If only some results of the function have a
    sharding, the others get a fully open one on the mesh of the first that has; maximal
    meshes (single devices) do not count for that, and if there are no others, the call
    gets no shardings.

    Before:

    ```mlir
    %0:2 = call @foo(%arg0) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<4x4xf32>)
    ...
    func.func private @foo(%arg0: tensor<8xf32>)
        -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, tensor<4x4xf32>) {...}
    ```

    After:

    ```mlir
    %0:2 = call @foo(%arg0)
        {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>, <@mesh, [{?}, {?}]>]>}
        : (tensor<8xf32>) -> (tensor<8xf32>, tensor<4x4xf32>)
    ```
    """

    name = "sdy-propagate-sharding-from-func-to-call"

    def run(self, module: ModuleOp) -> None:
        calls = [op for op in ops_named(module, CALL) if SHARDING not in op.attributes]
        if not calls:
            return
        functions, meshes = functions_of(module), meshes_of(module)
        shardings: dict[str, ir.Attribute | None] = {}
        for call in calls:
            name = callee_name(call)
            if name not in shardings:
                # Functions of nested modules are not found: their calls stay as they are.
                func = functions.get(name)
                shardings[name] = None if func is None else _result_shardings(func, meshes)
            found = shardings[name]
            if found is not None:
                call.attributes[SHARDING] = found


def _result_shardings(func: ir.Operation, meshes: dict[str, sdy.MeshAttr]) -> ir.Attribute | None:
    """Return the shardings of all results of a function, or None if its calls get none."""
    if "res_attrs" not in func.attributes:
        return None
    found = [
        sdy.TensorShardingAttr.of(attrs[SHARDING]) if SHARDING in attrs else None
        for attrs in map(ir.DictAttr, ir.ArrayAttr(func.attributes["res_attrs"]))
    ]
    mesh = common_mesh([sharding for sharding in found if sharding], meshes)
    if mesh is None:
        return None
    types = ir.FunctionType(ir.TypeAttr(func.attributes["function_type"]).value).results
    return sdy.TensorShardingPerValueAttr(
        tuple(
            sharding or sdy.TensorShardingAttr.fully_open(mesh, rank(result_type))
            for sharding, result_type in zip(found, types, strict=True)
        )
    ).to_attr()
