"""Kinds of ops: what the steps of an op depend on, but for the shardings of its tensors."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from sdykit.dialects import sdy
from sdykit.mlir import ir
from sdykit.passes.sdy._propagation.calls import FUNC_EDGE, Calls
from sdykit.passes.sdy._propagation.edges import sources_of
from sdykit.passes.sdy._propagation.factors import Direction
from sdykit.passes.sdy._propagation.manual import Boundary, boundary_of
from sdykit.passes.sdy._propagation.program import Program
from sdykit.passes.sdy._propagation.shardings import Shardings
from sdykit.passes.sdy._propagation.steps import Rule, identity_rule, rule_of
from sdykit.passes.sdy._sharding_rules import RULE, ShardingRules
from sdykit.passes.sdy._sharding_rules.elementwise import ELEMENTWISE
from sdykit.passes.sdy._value_shardings import DATA_FLOW_EDGE

BARRIER: Final = "sdy.propagation_barrier"
_BITCAST: Final = "stablehlo.bitcast_convert"
_CUSTOM_CALL: Final = "stablehlo.custom_call"
_ALSO_ELEMENTWISE: Final = frozenset(
    ("stablehlo.select", "stablehlo.clamp", "sdy.reshard", "sdy.sharding_constraint", BARRIER)
)
_PASSING: Final = frozenset(("stablehlo.reshape", "stablehlo.transpose", DATA_FLOW_EDGE, FUNC_EDGE))
_SLICING: Final = frozenset(("stablehlo.dynamic_slice", "stablehlo.dynamic_update_slice"))
_BROADCAST: Final = "stablehlo.broadcast_in_dim"
_MOVING: Final = ("MoveToDevice", "MoveToHost")


class Flow(Enum):
    """Which priority an op has."""

    PASSING = auto()
    """It only passes shardings on."""
    SLICING = auto()
    BROADCAST = auto()
    OTHER = auto()


@dataclass(frozen=True, eq=False)
class Kind:
    """What ops alike have in common; ops of one kind share one object.

    Attributes:
        rule: their rule.
        flow: which priority they have.
        is_elementwise: whether each element of the results comes from the elements at its position.
        boundary: where their value enters or leaves a manual computation, if they are edges of one.
        fixed: the direction of barriers, which have no priority.
        view: the rule as an attribute; None for edges and barriers.
    """

    rule: Rule
    flow: Flow
    is_elementwise: bool = False
    boundary: Boundary | None = None
    fixed: Direction | None = None
    view: sdy.OpShardingRuleAttr | None = None


class Kinds:
    """Finds the kinds of ops.

    Attributes:
        own_rules: the ops that came with rules of their own.
    """

    def __init__(
        self, program: Program, shardings: Shardings, rules: ShardingRules, calls: Calls
    ) -> None:
        self._program = program
        self._shardings = shardings
        self._rules = rules
        self._calls = calls
        self._known: dict[Hashable, Kind | None] = {}
        self._of_view: dict[tuple[sdy.OpShardingRuleAttr, Flow, bool], Kind] = {}
        self.own_rules: list[int] = []

    def of(self, node: int) -> tuple[Kind | None, tuple[int, ...]]:
        """Return the kind of an op, None if no shardings propagate through it, and its tensors."""
        program = self._program
        name, attributes = program.names[node], program.attributes[node]
        operands, results = program.operands[node], program.results[node]
        has_own = RULE in attributes
        if has_own:
            self.own_rules.append(node)
        if name in _EDGES:
            return self._edge(node, name)
        values = operands + results
        if not values:
            return None, values
        if name == BARRIER:
            direction = Direction(ir.IntegerAttr(attributes["allowed_direction"]).value)
            return self._identity(values, Flow.PASSING, fixed=direction), values
        types = [program.types[value] for value in values]
        key = None if has_own else self._rules.key(name, attributes, len(operands), types)
        if key is None:
            return self._of_rule(node, self._rules.of(program.ops[node])), values
        try:
            return self._known[key], values
        except KeyError:
            found = self._known[key] = self._of_rule(node, self._rules.of(program.ops[node]))
            return found, values

    def _of_rule(self, node: int, view: sdy.OpShardingRuleAttr | None) -> Kind | None:
        if view is None:
            return None
        flow, is_elementwise = self._flow(node), self._is_elementwise(node)
        key = (view, flow, is_elementwise)
        found = self._of_view.get(key)
        if found is None:
            found = self._of_view[key] = Kind(rule_of(view), flow, is_elementwise, view=view)
        return found

    def _flow(self, node: int) -> Flow:
        name = self._program.names[node]
        if name in _SLICING:
            return Flow.SLICING
        if name == _BROADCAST:
            return Flow.BROADCAST
        passes = name in _PASSING or self._is_elementwise(node) or self._moves(node)
        return Flow.PASSING if passes else Flow.OTHER

    def _moves(self, node: int) -> bool:
        if self._program.names[node] != _CUSTOM_CALL:
            return False
        target = self._program.ops[node].attributes["call_target_name"]
        return ir.StringAttr(target).value in _MOVING

    def _is_elementwise(self, node: int) -> bool:
        program = self._program
        name = program.names[node]
        if name == _BITCAST:
            operand, result = program.operands[node][0], program.results[node][0]
            return program.types[operand].rank == program.types[result].rank
        return name in ELEMENTWISE or name in _ALSO_ELEMENTWISE

    def _edge(self, node: int, name: str) -> tuple[Kind | None, tuple[int, ...]]:
        program = self._program
        owner, results = program.operands[node][0], program.results[node]
        if name == FUNC_EDGE:
            sources = self._calls.sources_of(owner)
            values = (*sources, *results)
            return (self._identity(values, Flow.PASSING) if sources else None), values
        values = (*sources_of(program, owner), *results)
        boundary = self._boundary(owner)
        return self._identity(values, Flow.PASSING, boundary), values

    def _boundary(self, owner: int) -> Boundary | None:
        """Return where the owner of an edge enters or leaves a manual computation, if it does."""
        program = self._program
        node, number = program.owners[owner], program.number_in_owner(owner)
        is_argument = not program.is_result(owner)
        return boundary_of(program.ops[node], number, self._shardings, is_argument=is_argument)

    def _identity(
        self,
        values: tuple[int, ...],
        flow: Flow,
        boundary: Boundary | None = None,
        fixed: Direction | None = None,
    ) -> Kind:
        """Return the kind of an op whose tensors, the last of them a result, have one sharding."""
        shape = self._program.types[values[-1]].shape or ()
        is_elementwise = fixed is not None
        key = (shape, len(values), flow, boundary, fixed)
        found = self._known.get(key)
        if found is None:
            rule = identity_rule(shape, len(values) - 1)
            found = self._known[key] = Kind(rule, flow, is_elementwise, boundary, fixed)
        return found


_EDGES: Final = (DATA_FLOW_EDGE, FUNC_EDGE)
