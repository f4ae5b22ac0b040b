"""`-sdy-sink-data-flow-edges`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from sdykit.core import FunctionPass, ops_named
from sdykit.dialects import sdy
from sdykit.mlir import FuncOp, ir
from sdykit.passes.sdy._data_flow_edges import edge_shardings
from sdykit.passes.sdy._propagation_edges import (
    BLOCK_ARGUMENT_EDGES,
    PROPAGATION_EDGES,
    RESULT_EDGES,
)
from sdykit.passes.sdy._sharding_origins import BLOCK_ARGUMENT_ORIGINS, ORIGINS, RESULT_ORIGINS
from sdykit.passes.sdy._shardings import IN_SHARDINGS, OUT_SHARDINGS, SHARDING
from sdykit.passes.sdy._value_shardings import (
    ARGUMENTS_OWN_EDGES,
    DATA_FLOW_EDGE,
    DATA_FLOW_OPS,
    MANUAL_COMPUTATION,
    data_flow_edge,
)


@dataclass(frozen=True)
class SinkDataFlowEdgesPass(FunctionPass):
    """Move the shardings of `sdy.data_flow_edge`s to the ops that they stand at, and erase them.

    It is the reverse of `-sdy-add-data-flow-edges`. If an edge of an op has a sharding, the op gets
    a sharding for each of its results, or block arguments: that of its edge, or a fully open one on
    the mesh of the first edge that has one. In the in shardings of a manual computation, the manual
    axes come before those of the edge in each dimension, and the replicated and unreduced axes stay.

    Before:

    ```mlir
    %0:2 = stablehlo.optimization_barrier %arg0, %arg1 : tensor<8xf32>, tensor<4xf32>
    %1 = sdy.data_flow_edge %0#0 sharding=<@mesh, [{"a"}]> : tensor<8xf32>
    %2 = sdy.data_flow_edge %0#1 : tensor<4xf32>
    return %1, %2 : tensor<8xf32>, tensor<4xf32>
    ```

    After:

    ```mlir
    %0:2 = stablehlo.optimization_barrier
        {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>, <@mesh, [{?}]>]>}
        %arg0, %arg1 : tensor<8xf32>, tensor<4xf32>
    return %0#0, %0#1 : tensor<8xf32>, tensor<4xf32>
    ```
    """

    name = "sdy-sink-data-flow-edges"

    sink_debug_sharding_origins: bool = False
    """Move the records of origins on edges, too: `sdy.block_arg_sharding_origins` and
    `sdy.result_sharding_origins` list those of the edges that have one."""

    sink_debug_propagation_edge_sharding: bool = False
    """Move the records of steps on edges, too: `sdy.block_arg_propagation_edges` and
    `sdy.result_propagation_edges` list those of the edges that have one."""

    def run(self, func: FuncOp) -> None:
        for op in ops_named(func, *DATA_FLOW_OPS):
            has_own_arguments = op.name in ARGUMENTS_OWN_EDGES
            arguments = op.regions[0].blocks[0].arguments if has_own_arguments else ()
            key = OUT_SHARDINGS if has_own_arguments else SHARDING
            self._sink(op, list(arguments), IN_SHARDINGS, *_ARGUMENT_RECORDS)
            self._sink(op, list(op.results), key, *_RESULT_RECORDS)
        for edge in ops_named(func, DATA_FLOW_EDGE):
            edge.result.replace_all_uses_with(edge.operands[0])
            edge.erase()

    def _sink(
        self, op: ir.Operation, owners: Sequence[ir.Value], key: str, origins: str, steps: str
    ) -> None:
        """Write to `op` what the edges of some of its values have."""
        edges = [data_flow_edge(owner) for owner in owners]
        shardings = edge_shardings(owners, edges)
        if shardings is not None:
            if op.name == MANUAL_COMPUTATION and key == IN_SHARDINGS:
                shardings = _outer(op, shardings)
            op.attributes[key] = sdy.TensorShardingPerValueAttr(tuple(shardings)).to_attr()
        if self.sink_debug_sharding_origins:
            op.attributes[origins] = _records(edges, ORIGINS)
        if self.sink_debug_propagation_edge_sharding:
            op.attributes[steps] = _records(edges, PROPAGATION_EDGES)


_ARGUMENT_RECORDS = (BLOCK_ARGUMENT_ORIGINS, BLOCK_ARGUMENT_EDGES)
_RESULT_RECORDS = (RESULT_ORIGINS, RESULT_EDGES)


def _outer(
    op: ir.Operation, inner: Iterable[sdy.TensorShardingAttr]
) -> list[sdy.TensorShardingAttr]:
    """Return the new in shardings of a manual computation for those that its body sees."""
    manual = frozenset(sdy.ManualAxesAttr.of(op.attributes["manual_axes"]).value)
    old = sdy.TensorShardingPerValueAttr.of(op.attributes[IN_SHARDINGS]).shardings
    return [_with_manual_axes(*each, manual) for each in zip(inner, old, strict=True)]


def _with_manual_axes(
    inner: sdy.TensorShardingAttr, old: sdy.TensorShardingAttr, manual: frozenset[str]
) -> sdy.TensorShardingAttr:
    dims = tuple(
        replace(
            dim,
            axes=(*(axis for axis in outside.axes if axis.name in manual), *dim.axes),
        )
        for dim, outside in zip(inner.dim_shardings, old.dim_shardings, strict=True)
    )
    # Without manual axes the edge may be on another mesh, as in C++.
    return replace(old, mesh_or_ref=inner.mesh_or_ref, dim_shardings=dims)


def _records(edges: Iterable[ir.Operation | None], name: str) -> ir.ArrayAttr:
    """Return the records of the edges that have one."""
    found = [edge.attributes[name] for edge in edges if edge and name in edge.attributes]
    return ir.ArrayAttr.get(found)
