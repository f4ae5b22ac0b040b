"""`-sdy-apply-sharding-constraints`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sdykit.core import ModulePass, ops_named
from sdykit.dialects import sdy
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sdy._propagation_edges import PropagationEdges
from sdykit.passes.sdy._sharding_origins import ShardingOrigins, dim_axes
from sdykit.passes.sdy._value_shardings import (
    ValueShardings,
    data_flow_edge,
    defining_op,
    edge_owner,
    fully_open,
    shaped_type,
)

CONSTRAINT = sdy.ShardingConstraintOp.OPERATION_NAME
MANUAL_COMPUTATION = sdy.ManualComputationOp.OPERATION_NAME


@dataclass(frozen=True)
class ApplyShardingConstraintsPass(ModulePass):
    """TODO"""

    name = "sdy-apply-sharding-constraints"

    debug_sharding_origins: bool = False
    """Record where the axes of each sharding come from."""

    debug_propagation_edge_sharding: bool = False
    """Record by which operation and in which step each axis was propagated."""

    def run(self, module: ModuleOp) -> None:
        ops = ops_named(module, CONSTRAINT, MANUAL_COMPUTATION)
        origins = ShardingOrigins(module, ops) if self.debug_sharding_origins else None
        edges = PropagationEdges(module) if self.debug_propagation_edge_sharding else None
        applier = _Applier(ops, origins, edges)
        for demand in applier.demands:
            if demand.is_constraint:
                applier.use_end_of_chain(demand)
            applier.apply(demand)
        applier.shardings.flush()
        if origins is not None:
            origins.save()


@dataclass(slots=True)
class _Demand:
    """The sharding that an op wants one of its operands to have."""

    op: ir.Operation
    value: ir.Value
    sharding: ir.Attribute
    is_constraint: bool


class _Applier:
    def __init__(self, ops: Iterable[ir.Operation], origins: ShardingOrigins | None, edges: PropagationEdges | None) -> None:
        self.origins = origins
        self.edges = edges
        self.shardings = ValueShardings()
        self.demands: list[_Demand] = []
        self.on_value: dict[ir.Value, list[_Demand]] = {}
        self.is_closed: dict[ir.Attribute, bool] = {}
        self.rules: dict[ir.Type, ir.Attribute | None] = {}
        for op in ops:
            self.collect(op)

    def collect(self, op: ir.Operation) -> None:
        if op.name == CONSTRAINT:
            self.add(_Demand(op, op.operands[0], op.attributes["sharding"], True))
            return
        shardings = self.shardings.elements(op.attributes["in_shardings"])
        for value, sharding in zip(op.operands, shardings, strict=True):
            self.add(_Demand(op, value, sharding, False))

    def add(self, demand: _Demand) -> None:
        self.demands.append(demand)
        self.on_value.setdefault(demand.value, []).append(demand)

    def use_end_of_chain(self, first: _Demand) -> None:
        """If a chain of constraints begins here, let later users of its input use its end."""
        last = self.end_of_chain(first)
        if last is first or last is None or len(self.on_value[first.value]) > 1:
            return
        producer = defining_op(first.value)
        if producer is not None and producer.name == CONSTRAINT:
            return
        if self.shardings.get(first.value) is not None:
            return
        block, result = last.op.block, last.op.results[0]
        for use in list(first.value.uses):
            user = use.owner.operation
            if (
                user.block == block
                and user.name != "func.return"
                and last.op.is_before_in_block(user)
            ):
                user.operands[use.operand_number] = result

    def end_of_chain(self, first: _Demand) -> _Demand | None:
        last = first
        while demands := self.on_value.get(last.op.results[0]):
            if len(demands) > 1 or not demands[0].is_constraint:
                return None
            if len(list(last.op.results[0].uses)) > 1:
                return None
            last = demands[0]
        return last

    def apply(self, demand: _Demand) -> None:
        value, sharding = demand.value, demand.sharding
        if not self.closed(sharding):
            return
        for other in self.on_value[value]:
            if other.sharding != sharding:
                return
        if not self.shardings.can_have(value) or self.shardings.get(value) is not None:
            return
        producer = defining_op(value)
        owner = edge_owner(value)
        if (producer is not None and producer.name == sdy.DataFlowEdgeOp.OPERATION_NAME) or (
            owner is not None and data_flow_edge(owner) is not None
        ):
            self.constrain_all_uses(demand, producer)
            return
        self.shardings.set(value, sharding)
        if not demand.is_constraint:
            return
        self.set_rule(demand)
        view = sdy.TensorShardingAttr.of(sharding)
        axes = dim_axes(view)
        if self.origins is not None:
            self.origins.follow(demand.op.results[0], value, axes)
        if self.edges is not None and (view.dim_shardings or view.replicated_axes or view.unreduced_axes):
            self.edges.note(demand.op, axes)

    def constrain_all_uses(self, demand: _Demand, producer: ir.Operation | None) -> None:
        value = demand.value
        if demand.is_constraint:
            constraint = demand.op
        else:
            constraint = ir.Operation.create(
                CONSTRAINT,
                results=[value.type],
                operands=[value],
                attributes={"sharding": demand.sharding},
                loc=demand.op.location,
                ip=ir.InsertionPoint(demand.op),
            )
        if producer is not None:
            constraint.move_after(producer)
        else:
            constraint.move_before(value.owner.operations[0])
        result = constraint.results[0]
        value.replace_all_uses_except(result, constraint)
        moved = [d for d in self.on_value[value] if d.op != constraint]
        self.on_value[value] = [d for d in self.on_value[value] if d.op == constraint]
        for other in moved:
            other.value = result
        self.on_value.setdefault(result, []).extend(moved)
        unreduced = sdy.TensorShardingAttr.of(demand.sharding)
        if unreduced.unreduced_axes:
            self.shardings.set(
                value,
                fully_open(
                    unreduced.mesh_or_ref,
                    len(unreduced.dim_shardings),
                    unreduced.unreduced_axes,
                ).to_attr(),
            )

    def closed(self, sharding: ir.Attribute) -> bool:
        if sharding not in self.is_closed:
            dims = sdy.TensorShardingAttr.of(sharding).dim_shardings
            self.is_closed[sharding] = all(dim.is_closed for dim in dims)
        return self.is_closed[sharding]

    def set_rule(self, demand: _Demand) -> None:
        kind = demand.value.type
        if kind not in self.rules:
            self.rules[kind] = _identity_rule(kind)
        rule = self.rules[kind]
        if rule is not None and "sdy.sharding_rule" not in demand.op.attributes:
            demand.op.attributes["sdy.sharding_rule"] = rule


def _identity_rule(kind: ir.Type) -> ir.Attribute | None:
    shaped = shaped_type(kind)
    if shaped is None:
        return None
    sizes = tuple(shaped.shape)
    mapping = sdy.TensorMappingAttr(tuple(sdy.DimMappingAttr((i,)) for i in range(len(sizes))))
    return sdy.OpShardingRuleAttr(sizes, (mapping,), (mapping,)).to_attr()
