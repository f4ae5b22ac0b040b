"""`-sdy-add-data-flow-edges`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from sdykit.core import ModulePass, ops_named
from sdykit.dialects import sdy
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sdy._value_shardings import (
    ARGUMENTS_OWN_EDGES,
    DATA_FLOW_OPS,
    ValueShardings,
    shaped_type,
)


@dataclass(frozen=True)
class AddDataFlowEdgesPass(ModulePass):
    """Insert a `sdy.data_flow_edge` for every value that owns a data-flow edge.

    Owners are the results of `stablehlo.while`, `stablehlo.case`,
    `stablehlo.optimization_barrier` and `mpmd.for`, and the results and block arguments of
    `sdy.manual_computation`, `sdy.named_computation` and `mpmd.fragment`. All uses of an
    owner become uses of its edge, which takes the sharding of the owner if there is one; for
    a block argument of a manual computation, without the manual axes. Values without a
    static shape get no edge.

    Edges stand in the order of their owners, right behind the operation or at the front of
    the block, and at their owner's location.

    Before:

    ```mlir
    %0:2 = stablehlo.optimization_barrier
        {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>, <@mesh, [{?}]>]>}
        %arg0, %arg1 : tensor<8xf32>, tensor<4xf32>
    return %0#0, %0#1 : tensor<8xf32>, tensor<4xf32>
    ```

    After:

    ```mlir
    %0:2 = stablehlo.optimization_barrier ...
    %1 = sdy.data_flow_edge %0#0 sharding=<@mesh, [{"a"}]> : tensor<8xf32>
    %2 = sdy.data_flow_edge %0#1 sharding=<@mesh, [{?}]> : tensor<4xf32>
    return %1, %2 : tensor<8xf32>, tensor<4xf32>
    ```
    """

    name = "sdy-add-data-flow-edges"

    def run(self, module: ModuleOp) -> None:
        inserter = _EdgeInserter()
        for op in ops_named(module, *DATA_FLOW_OPS):
            if op.name in ARGUMENTS_OWN_EDGES:
                block = op.regions[0].blocks[0]
                inserter.insert(block.arguments, ir.InsertionPoint.at_block_begin(block))
            inserter.insert(op.results, ir.InsertionPoint.after(op))


@dataclass(frozen=True, slots=True)
class _EdgeInserter:
    shardings: ValueShardings = field(default_factory=ValueShardings)
    is_static: dict[ir.Type, bool] = field(default_factory=dict)

    def insert(self, owners: Iterable[ir.Value], place: ir.InsertionPoint) -> None:
        """Insert the edges of the owners at a place."""
        for owner in owners:
            if not self.has_static_shape(owner.type):
                continue
            edge = ir.Operation.create(
                sdy.DataFlowEdgeOp.OPERATION_NAME,
                results=[owner.type],
                operands=[owner],
                loc=owner.location,
                ip=place,
            )
            sharding = self.shardings.owner_sharding(owner)
            if sharding is not None:
                edge.attributes["sharding"] = sharding
            owner.replace_all_uses_except(edge.result, edge)

    def has_static_shape(self, value_type: ir.Type) -> bool:
        if value_type not in self.is_static:
            shaped = shaped_type(value_type)
            self.is_static[value_type] = shaped is not None and shaped.has_static_shape
        return self.is_static[value_type]
