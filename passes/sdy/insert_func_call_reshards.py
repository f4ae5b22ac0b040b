"""`-sdy-insert-func-call-reshards`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sdykit.core import ModulePass, functions_of, meshes_of, ops_named
from sdykit.dialects import sdy
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sdy._call_graph import CALL, callee_name, result_shardings
from sdykit.passes.sdy._shardings import SHARDING, common_mesh
from sdykit.passes.sdy._value_shardings import rank

_View = sdy.TensorShardingAttr


@dataclass(frozen=True)
class InsertFuncCallReshardsPass(ModulePass):
    """Set the shardings of the results of calls to those of their function, and reshard them after the call.

    A result that is sharded differently from what the function returns gets an `sdy.reshard` to the
    sharding that it had, which takes over its uses; one that had none is replicated. Shardings
    without axes are equal to none, and only the mesh and the axes of dimensions are compared.

    Before, where `@foo` returns `<@mesh, [{"y"}]>`:

    ```mlir
    %0 = call @foo(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : ...
    return %0 : tensor<8xf32>
    ```

    After:

    ```mlir
    %0 = call @foo(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : ...
    %1 = sdy.reshard %0 <@mesh, [{"x"}]> : tensor<8xf32>
    return %1 : tensor<8xf32>
    ```
    """

    name = "sdy-insert-func-call-reshards"

    def run(self, module: ModuleOp) -> None:
        functions, meshes = functions_of(module), meshes_of(module)
        returned: dict[str, list[_View] | None] = {}
        for call in ops_named(module, CALL):
            name = callee_name(call)
            if name not in functions:
                continue  # In a nested module.
            if name not in returned:
                returned[name] = _returned(functions[name], meshes)
            _insert(call, returned[name])


def _returned(func: ir.Operation, meshes: dict[str, sdy.MeshAttr]) -> list[_View] | None:
    """Return the sharding of each result of a function, open for those that have none.

    Return None if no result has one, other than on single devices.
    """
    views = [each and _View.of(each) for each in result_shardings(func)]
    mesh = common_mesh([view for view in views if view], meshes)
    if mesh is None:
        return None
    types = ir.FunctionType(ir.TypeAttr(func.attributes["function_type"]).value).results
    return [
        view or _View.fully_open(mesh, rank(kind)) for view, kind in zip(views, types, strict=True)
    ]


def _insert(call: ir.Operation, returned: list[_View] | None) -> None:
    attribute = call.attributes.get(SHARDING)
    if attribute is None and returned is None:
        return
    results: Sequence[ir.OpResult] = list(call.results)
    if attribute is not None:
        wanted = list(sdy.TensorShardingPerValueAttr.of(attribute).shardings)
    else:
        wanted = _replicated(returned or [])
    given = returned or _replicated(wanted)
    call.attributes[SHARDING] = sdy.TensorShardingPerValueAttr(tuple(given)).to_attr()
    for result, has, wants in zip(results, given, wanted, strict=True):
        if not _equivalent(has, wants):
            reshard = ir.Operation.create(
                sdy.ReshardOp.OPERATION_NAME,
                results=[result.type],
                operands=[result],
                attributes={"sharding": wants.to_attr()},
                loc=call.location,
                ip=ir.InsertionPoint.after(call),
            )
            result.replace_all_uses_except(reshard.result, reshard)


def _replicated(shardings: Sequence[_View]) -> list[_View]:
    return [_View.fully_closed(each.mesh_or_ref, each.rank) for each in shardings]


def _equivalent(one: _View, other: _View) -> bool:
    """Return whether two shardings divide a tensor in the same way."""
    if one.is_fully_replicated and other.is_fully_replicated:
        return True
    return one.mesh_or_ref == other.mesh_or_ref and all(
        a.axes == b.axes for a, b in zip(one.dim_shardings, other.dim_shardings, strict=True)
    )
