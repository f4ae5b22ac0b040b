"""`-sdy-sink-func-data-flow-edges`."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.core import FunctionPass, ops_named
from sdykit.dialects import sdy
from sdykit.mlir import FuncOp, ir
from sdykit.passes.sdy._shardings import ARG_ATTRS, SHARDING
from sdykit.passes.sdy._value_attrs import ValueAttrs
from sdykit.passes.sdy._value_shardings import fully_open, rank


@dataclass(frozen=True)
class SinkFuncDataFlowEdgesPass(FunctionPass):
    """Move the shardings of `sdy.func_data_flow_edge`s to their operands, and erase them.

    It is the reverse of `-sdy-add-func-data-flow-edges`. Arguments of the function and results of
    calls take the sharding of their edge. One whose edge has none is opened fully if it is sharded.

    Before:

    ```mlir
    %0 = func.call @foo(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    %1 = sdy.func_data_flow_edge %0
        {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
    return %1 : tensor<8xf32>
    ```

    After:

    ```mlir
    %0 = func.call @foo(%arg0)
        {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
    ```
    """

    name = "sdy-sink-func-data-flow-edges"

    def run(self, func: FuncOp) -> None:
        arguments = ValueAttrs(func.operation, ARG_ATTRS)
        calls: dict[ir.Value, dict[int, sdy.TensorShardingAttr | None]] = {}
        for edge in ops_named(func, sdy.FuncDataFlowEdgeOp.OPERATION_NAME):
            value, sharding = edge.operands[0], _sharding(edge)
            if isinstance(value, ir.BlockArgument):
                _set_argument(arguments, value, sharding)
            else:
                result = ir.OpResult(value)
                # The first result stands for the call, whose hash changes with its attributes.
                first = result.owner.operation.results[0]
                calls.setdefault(first, {})[result.result_number] = sharding
            edge.result.replace_all_uses_with(value)
            edge.erase()
        arguments.flush()
        for first, shardings in calls.items():
            _set_results(ir.OpResult(first).owner.operation, shardings)


def _sharding(edge: ir.Operation) -> sdy.TensorShardingAttr | None:
    attribute = edge.attributes.get(SHARDING)
    if attribute is None:
        return None
    return sdy.TensorShardingPerValueAttr.of(attribute).shardings[0]


def _set_argument(
    arguments: ValueAttrs, value: ir.BlockArgument, sharding: sdy.TensorShardingAttr | None
) -> None:
    old = arguments.get(value.arg_number, SHARDING)
    if sharding is None and old is not None:
        sharding = _opened(sdy.TensorShardingAttr.of(old))
    if sharding is not None:
        arguments.set(value.arg_number, SHARDING, sharding.to_attr())


def _set_results(call: ir.Operation, shardings: dict[int, sdy.TensorShardingAttr | None]) -> None:
    """Set the shardings of the results of a call that have edges."""
    present = call.attributes.get(SHARDING)
    mesh = next((each.mesh_or_ref for each in shardings.values() if each), None)
    if present is not None:
        new = list(sdy.TensorShardingPerValueAttr.of(present).shardings)
    elif mesh is not None:
        new = [fully_open(mesh, rank(result.type)) for result in call.results]
    else:
        return
    for number, sharding in shardings.items():
        new[number] = sharding or _opened(new[number])
    call.attributes[SHARDING] = sdy.TensorShardingPerValueAttr(tuple(new)).to_attr()


def _opened(sharding: sdy.TensorShardingAttr) -> sdy.TensorShardingAttr:
    return fully_open(sharding.mesh_or_ref, len(sharding.dim_shardings))
