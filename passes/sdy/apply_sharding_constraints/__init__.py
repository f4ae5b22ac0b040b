"""`-sdy-apply-sharding-constraints`.

`_sharding_origins` and `_propagation_edges` record what the pass did, if its options ask for it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from sdykit.core import ModulePass, ops_named
from sdykit.dialects import sdy
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sdy._propagation_edges import (
    PROPAGATION_EDGES,
    PropagationEdges,
    StepNumbers,
    operand,
    result,
)
from sdykit.passes.sdy._sharding_origins import ShardingOrigins
from sdykit.passes.sdy._shardings import IN_SHARDINGS
from sdykit.passes.sdy._value_shardings import (
    DATA_FLOW_EDGE,
    MANUAL_COMPUTATION,
    Place,
    ValueShardings,
    dim_axes,
    fully_open,
    place_of,
    shaped_type,
)

CONSTRAINT = sdy.ShardingConstraintOp.OPERATION_NAME
SHARDING_RULE = "sdy.sharding_rule"


@dataclass(frozen=True)
class ApplyShardingConstraintsPass(ModulePass):
    """Copy the shardings of constraints to the values that they constrain.

    A `sdy.sharding_constraint` demands a sharding of its input, and a
    `sdy.manual_computation` demands its `in_shardings` of its operands. The demands are visited
    in the order of their ops, inner regions before outer ones. A demand is met if
    - the value has no sharding, but can have one;
    - all dimensions of the demanded sharding are closed;
    - no constraint or manual computation demands another sharding of the value.

    Then the value gets the sharding, and a constraint gets an identity as its sharding rule. But
    if the value is a target of a data-flow edge, or the result of the `sdy.data_flow_edge`, its
    sharding would be that of all targets, and is left to propagation. Instead, all uses of the
    value become uses of the constraint, which is moved directly after the definition of the value,
    for a block argument to the start of the block; a manual computation gets a new constraint
    there. Only unreduced axes are set on the edge.

    Two or more constraints in a row are a chain if each but the last has one use, and no
    constraint or manual computation uses the last. Before the first one of a chain is visited,
    the uses of the chain's input that come after the last one in the same block become uses of
    the last one, except by `func.return`. That is done if the input has no sharding, is not itself
    the result of a constraint, and is used by no other constraint or manual computation.

    Before:

    ```mlir
    %0 = stablehlo.add %arg0, %arg0 : tensor<8x8xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"a"}, {}]> : tensor<8x8xf32>
    %2 = sdy.sharding_constraint %1 <@mesh, [{}, {"b"}]> : tensor<8x8xf32>
    %3 = stablehlo.negate %0 : tensor<8x8xf32>
    ```

    After:

    ```mlir
    %0 = stablehlo.add %arg0, %arg0
        {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : tensor<8x8xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"a"}, {}]>
        {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8}>} : ...
    %2 = sdy.sharding_constraint %1 <@mesh, [{}, {"b"}]> : tensor<8x8xf32>
    %3 = stablehlo.negate %2 : tensor<8x8xf32>
    ```
    """

    name = "sdy-apply-sharding-constraints"

    debug_sharding_origins: bool = False
    """Record the input, output, constraint or manual computation that each axis comes from."""

    debug_propagation_edge_sharding: bool = False
    """Record the step in which each constraint was applied, and the axes that it propagated."""

    def run(self, module: ModuleOp) -> None:
        ops = ops_named(module, CONSTRAINT, MANUAL_COMPUTATION)
        origins = ShardingOrigins(module, ops) if self.debug_sharding_origins else None
        edges = StepNumbers(module) if self.debug_propagation_edge_sharding else None
        shardings = ValueShardings()
        demands = _Demands(shardings, ops)
        applier = _Applier(shardings, demands, origins, edges)
        for demand in demands.in_order:
            if demand.is_constraint:
                applier.use_end_of_chain(demand)
            applier.meet(demand)
        shardings.flush()
        if origins is not None:
            origins.save()


@dataclass(slots=True, eq=False)
class _Demand:
    """The sharding that an op demands of one of its operands."""

    op: ir.Operation
    value: ir.Value
    sharding: ir.Attribute
    is_constraint: bool


class _Demands:
    """All demands in the order of their ops, and the demands on each value."""

    def __init__(self, shardings: ValueShardings, ops: Iterable[ir.Operation]) -> None:
        self.in_order: list[_Demand] = []
        self.on_value: dict[ir.Value, list[_Demand]] = {}
        self._differ: dict[ir.Value, bool] = {}
        for op in ops:
            if op.name == CONSTRAINT:
                self._add(_Demand(op, op.operands[0], op.attributes["sharding"], True))
                continue
            demanded = shardings.elements(op.attributes[IN_SHARDINGS])
            for value, sharding in zip(op.operands, demanded, strict=True):
                self._add(_Demand(op, value, sharding, False))

    def _add(self, demand: _Demand) -> None:
        self.in_order.append(demand)
        on_value = self.on_value.get(demand.value)
        if on_value is None:
            self.on_value[demand.value] = [demand]
        else:
            on_value.append(demand)

    def differ(self, value: ir.Value) -> bool:
        """Return whether different shardings of a value are demanded."""
        # Computed once: there may be many demands on one value.
        if value not in self._differ:
            first, *others = self.on_value[value]
            self._differ[value] = any(other.sharding != first.sharding for other in others)
        return self._differ[value]

    def move(self, value: ir.Value, constraint: ir.Operation) -> None:
        """Update the demands on a value whose uses became uses of a constraint on it."""
        new = constraint.result
        on_new = self.on_value.setdefault(new, [])
        for demand in self.on_value.pop(value):
            if demand.op == constraint:
                self.on_value[value] = [demand]
            else:
                demand.value = new
                on_new.append(demand)
        self._differ.pop(new, None)


class _Applier:
    """Meets demands, one after the other."""

    def __init__(
        self,
        shardings: ValueShardings,
        demands: _Demands,
        origins: ShardingOrigins | None,
        edges: StepNumbers | None,
    ) -> None:
        self._shardings = shardings
        self._demands = demands
        self._on_value = demands.on_value
        self._origins = origins
        self._edges = edges
        self._debugs = origins is not None or edges is not None
        self._is_closed: dict[ir.Attribute, bool] = {}
        self._rules: dict[ir.Type, ir.Attribute | None] = {}

    def use_end_of_chain(self, first: _Demand) -> None:
        """If a constraint begins a chain, let later users of its input use the end of the chain."""
        value = first.value
        if first.op.result not in self._on_value or len(self._on_value[value]) > 1:
            return
        place = place_of(value)
        if place is not None and self._shardings.at(place) is not None:
            return  # The result of a constraint has one, too.
        last = self._end_of_chain(first.op)
        if last is None or last is first.op:
            return
        block, result = last.block, last.result
        for use in list(value.uses):
            user = use.owner.operation
            if user.block != block or user.name == "func.return":
                continue
            if last.is_before_in_block(user):
                user.operands[use.operand_number] = result

    def _end_of_chain(self, first: ir.Operation) -> ir.Operation | None:
        last = first
        while demands := self._on_value.get(last.result):
            has_other_uses = len(list(islice(last.result.uses, 2))) > 1
            if has_other_uses or not demands[0].is_constraint:
                return None
            last = demands[0].op
        return last

    def meet(self, demand: _Demand) -> None:
        """Meet a demand if the conditions hold; see the pass."""
        sharding, value = demand.sharding, demand.value
        if not self._closed(sharding):
            return
        if len(self._on_value[value]) > 1 and self._demands.differ(value):
            return
        place = place_of(value)
        if place is None or self._shardings.at(place) is not None:
            return
        if place.op.name == DATA_FLOW_EDGE:
            self._constrain_all_uses(demand, place)
            return
        self._shardings.set(place, sharding)
        if demand.is_constraint:
            self._set_rule(demand.op, value.type)
            if self._debugs:
                self._record(demand)

    def _closed(self, sharding: ir.Attribute) -> bool:
        closed = self._is_closed.get(sharding)
        if closed is None:
            dims = sdy.TensorShardingAttr.of(sharding).dim_shardings
            closed = self._is_closed[sharding] = all(dim.is_closed for dim in dims)
        return closed

    def _constrain_all_uses(self, demand: _Demand, place: Place) -> None:
        value = demand.value
        constraint = demand.op if demand.is_constraint else _new_constraint(demand)
        _move_after_definition(constraint, value)
        value.replace_all_uses_except(constraint.result, constraint)
        self._demands.move(value, constraint)
        view = sdy.TensorShardingAttr.of(demand.sharding)
        if view.unreduced_axes:
            rank = len(view.dim_shardings)
            unreduced = fully_open(view.mesh_or_ref, rank, view.unreduced_axes)
            self._shardings.set(place, unreduced.to_attr())

    def _set_rule(self, constraint: ir.Operation, kind: ir.Type) -> None:
        if kind not in self._rules:
            self._rules[kind] = _identity_rule(kind)
        rule = self._rules[kind]
        if rule is not None and SHARDING_RULE not in constraint.attributes:
            constraint.attributes[SHARDING_RULE] = rule

    @staticmethod
    def _record_step(op: ir.Operation, step: int, axes: Iterable[sdy.AxisRefAttr]) -> None:
        """Record that a constraint propagated axes from its result to its operand."""
        edges = PropagationEdges()
        edges.add(step, [(axis, result(0), operand(0)) for axis in axes])
        attribute = edges.to_attr()
        if attribute is not None:
            op.attributes[PROPAGATION_EDGES] = attribute

    def _record(self, demand: _Demand) -> None:
        view = sdy.TensorShardingAttr.of(demand.sharding)
        axes = dim_axes(view)
        if self._origins is not None:
            self._origins.follow(demand.op.result, demand.value, axes)
        # Not counted: a step that changes nothing, of a scalar whose sharding has no axes.
        if self._edges is not None and view != sdy.TensorShardingAttr(view.mesh_or_ref):
            self._record_step(demand.op, self._edges.next(), axes)


def _move_after_definition(op: ir.Operation, value: ir.Value) -> None:
    """Move an op directly after the definition of a value.

    After `move_after`, MLIR numbers all ops of the block again at the next `is_before_in_block`;
    after an op is detached and inserted, it does not.
    """
    if isinstance(value, ir.OpResult):
        place = ir.InsertionPoint.after(value.owner)
    else:
        place = ir.InsertionPoint.at_block_begin(ir.BlockArgument(value).owner)
    follower = place.ref_operation
    if follower is not None and follower == op:
        return  # It is there already.
    op.detach_from_parent()
    place.insert(op)


def _new_constraint(demand: _Demand) -> ir.Operation:
    return ir.Operation.create(
        CONSTRAINT,
        results=[demand.value.type],
        operands=[demand.value],
        attributes={"sharding": demand.sharding},
        loc=demand.op.location,
        ip=ir.InsertionPoint(demand.op),
    )


def _identity_rule(kind: ir.Type) -> ir.Attribute | None:
    """Return the sharding rule of a constraint, or None for a type without a shape."""
    shaped = shaped_type(kind)
    if shaped is None:
        return None
    # Dynamic sizes are negative; with any size instead of one the verifier rejects the rule.
    sizes = tuple(max(size, 0) for size in shaped.shape)
    dims = tuple(sdy.DimMappingAttr((factor,)) for factor in range(len(sizes)))
    mapping = sdy.TensorMappingAttr(dims)
    return sdy.OpShardingRuleAttr(sizes, (mapping,), (mapping,)).to_attr()
