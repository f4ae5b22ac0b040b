"""Inserting `sdy.data_flow_edge`s."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from sdykit.dialects import sdy
from sdykit.mlir import ir
from sdykit.passes.sdy._value_shardings import ARGUMENTS_OWN_EDGES, ValueShardings, shaped_type


def has_static_shape(value_type: ir.Type) -> bool:
    """Tell whether a type has a shape without dynamic dimensions; tokens have none."""
    shaped = shaped_type(value_type)
    return shaped is not None and shaped.has_rank and shaped.has_static_shape


@dataclass(frozen=True, slots=True)
class EdgeInserter:
    """Inserts data-flow edges; its caches are for one run of a pass."""

    shardings: ValueShardings = field(default_factory=ValueShardings)
    _is_static: dict[ir.Type, bool] = field(default_factory=dict)

    def insert_for(self, op: ir.Operation) -> None:
        """Give an edge to every value of `op` that owns a data-flow edge."""
        if op.name in ARGUMENTS_OWN_EDGES:
            block = op.regions[0].blocks[0]
            self._insert(block.arguments, ir.InsertionPoint.at_block_begin(block))
        self._insert(op.results, ir.InsertionPoint.after(op))

    def _insert(self, owners: Iterable[ir.Value], place: ir.InsertionPoint) -> None:
        for owner in owners:
            if not self._has_static_shape(owner.type):
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

    def _has_static_shape(self, value_type: ir.Type) -> bool:
        if value_type not in self._is_static:
            self._is_static[value_type] = has_static_shape(value_type)
        return self._is_static[value_type]
