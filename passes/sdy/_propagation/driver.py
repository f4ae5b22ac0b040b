"""The order in which ops are visited: that of MLIR's greedy driver, from the first op to the last.

The result can depend on it. An op is visited again after the sharding of one of its values changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from sdykit.core import FUNC
from sdykit.mlir import ir
from sdykit.passes.sdy._data_flow_edges import has_static_shape
from sdykit.passes.sdy._propagation.calls import CALL, FUNC_EDGE, Calls
from sdykit.passes.sdy._propagation.dead import may_be_erased
from sdykit.passes.sdy._propagation.edges import edge_owner_of_use, other_targets, sources_of
from sdykit.passes.sdy._propagation.factors import Direction
from sdykit.passes.sdy._propagation.groups import groups_of, initial
from sdykit.passes.sdy._propagation.manual import Boundary, boundary_of
from sdykit.passes.sdy._propagation.program import Node, Program
from sdykit.passes.sdy._propagation.records import Listener
from sdykit.passes.sdy._propagation.steps import Key, Rule, Steps, Strategy, identity_rule, rule_of
from sdykit.passes.sdy._sharding_rules import RULE, ShardingRules
from sdykit.passes.sdy._sharding_rules.elementwise import ELEMENTWISE
from sdykit.passes.sdy._shardings import RES_ATTRS
from sdykit.passes.sdy._value_shardings import (
    DATA_FLOW_EDGE,
    Place,
    data_flow_edge,
    parent_op,
    rank,
)

BARRIER = "sdy.propagation_barrier"

Directions = Callable[[Node, Rule], "tuple[Direction, ...] | Direction"]


@dataclass
class Driver:
    """Propagates shardings through a program.

    Attributes:
        program: the program.
        rules: finds the rules of ops.
        conservative: whether no factor may get a part of an axis.
        listener: is told of each visit; None: nobody is.
    """

    program: Program
    rules: ShardingRules
    conservative: bool = False
    listener: Listener | None = None
    _tensors: dict[Node, tuple[Rule, list[ir.Value]] | None] = field(default_factory=dict)
    _known_rules: dict[object, Rule] = field(default_factory=dict)
    _boundaries: dict[Node, Boundary] = field(default_factory=dict)
    _groups: dict[ir.Value, list[ir.Value]] = field(default_factory=dict)
    _dead: dict[Node, None] = field(default_factory=dict)
    _users: dict[ir.Value, list[Node]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._calls = Calls(self.program.module)
        self.steps = Steps(self.program.shardings)
        for values in groups_of(self.program.module).values():
            known = initial(self.program, values)
            for value in values:
                self._groups[value] = values
                if known:
                    self.program.set(value, known[0])

    def run(self, strategy: Strategy, directions: Directions) -> None:
        """Visit all ops until nothing changes."""
        self._visit_results(strategy)
        worklist = _Worklist(node for node in self.program.nodes if not self.is_gone(node))
        for node in worklist:
            if self.is_gone(node):
                continue
            if self._is_dead(node):
                self._erase(node, worklist)
                continue
            for value in self._visit(node, strategy, directions):
                for each in self._affected(value):
                    if each is not node:
                        worklist.push(each)
        self._visit_results(strategy)

    def write_rules(self) -> None:
        """Write the rule of each op that has one to it."""
        for node in self.program.nodes:
            rule = None if self.is_gone(node) else self.rules.of(node.op)
            if rule is not None:
                node.op.attributes[RULE] = rule.to_attr()

    def erase(self) -> None:
        """Erase the ops that turned out to be dead, in the module."""
        for node in self._dead:
            node.op.erase()

    def is_gone(self, node: Node) -> bool:
        """Return whether an op, or one around it, turned out to be dead."""
        around: Node | None = node
        while around is not None:
            if around in self._dead:
                return True
            around = around.parent
        return False

    def _is_dead(self, node: Node) -> bool:
        if any(map(self._user_nodes, node.results)):
            return False
        return node.name not in _TERMINATORS and may_be_erased(node.op)

    def _user_nodes(self, value: ir.Value) -> list[Node]:
        """Return the ops that use a value, without those that are dead."""
        by_op = self.program.by_op
        users = (by_op[use.owner.operation] for use in value.uses)
        return [user for user in users if not self.is_gone(user)]

    def count_uses(self, value: ir.Value) -> int:
        """Return how many operands a value is, without those of dead ops."""
        by_op = self.program.by_op
        return sum(not self.is_gone(by_op[use.owner.operation]) for use in value.uses)

    def _erase(self, node: Node, worklist: _Worklist) -> None:
        self._dead[node] = None
        for value in _operands_below(node):
            users = set(self._user_nodes(value))
            if len(users) <= 1 and isinstance(value, ir.OpResult):
                worklist.push(self.program.by_op[value.owner.operation])

    def _visit_results(self, strategy: Strategy) -> None:
        """Propagate between what the function returns and its results; no op is visited for it."""
        func = self.program.function
        for number, value in enumerate(self.program.returned()):
            if not has_static_shape(value.type):
                continue
            rule, _ = self._identity(value, [value])
            places = [self.program.place(value), Place(func, RES_ATTRS, number)]
            shardings = tuple(map(self.program.at, places))
            key = Key(rule, shardings, Direction.BOTH, strategy, False, False)
            outcome = self.steps.outcome(key)
            if self.listener is not None:
                self.listener.result_step(number, key, outcome)
            for changed, sharding in outcome.changes:
                self.program.put(places[changed], sharding)
                for other in () if changed else self.alike(value):
                    self.program.set(other, sharding)

    def _visit(self, node: Node, strategy: Strategy, directions: Directions) -> Iterator[ir.Value]:
        """Take a step at an op; yield the values whose shardings change."""
        if node not in self._tensors:
            self._tensors[node] = self._rule_and_values(node)
        found = self._tensors[node]
        if found is None:
            if self.listener is not None:
                self.listener.no_rule(node)
            return
        rule, values = found
        way = _barrier_direction(node) if node.name == BARRIER else directions(node, rule)
        boundary = self._boundaries.get(node)
        shardings = list(map(self.program.get, values))
        if boundary is not None:
            inner = boundary.inner
            shardings[inner] = boundary.to_outer(shardings[inner])
        # What only flows on is taken as it is, parts of axes too.
        conservative = self.conservative and not rule.is_identity
        key = Key(rule, tuple(shardings), way, strategy, conservative, is_elementwise(node))
        outcome = self.steps.outcome(key)
        if self.listener is not None:
            self.listener.step(node, values, boundary, key, outcome)
        for number, sharding in outcome.changes:
            is_inner = boundary is not None and number == boundary.inner
            new = boundary.to_inner(sharding) if boundary is not None and is_inner else sharding
            for value in (values[number], *self.alike(values[number])):
                self.program.set(value, new)
                yield value

    def alike(self, value: ir.Value) -> list[ir.Value]:
        """Return the other values of the group of a value."""
        return [other for other in self._groups.get(value, ()) if other != value]

    def _rule_and_values(self, node: Node) -> tuple[Rule, list[ir.Value]] | None:
        if node.name == DATA_FLOW_EDGE:
            return self._edge(node)
        if node.name == FUNC_EDGE:
            sources = self._calls.sources_of(node.operands[0])
            return self._identity(node.results[0], sources) if sources else None
        if node.name == BARRIER:
            return self._identity(node.results[0], node.operands)
        view = self.rules.of(node.op)
        if view is None:
            return None
        rule = self._known_rules.get(view)
        if rule is None:
            rule = self._known_rules[view] = rule_of(view)
        return rule, [*node.operands, *node.results]

    def _edge(self, node: Node) -> tuple[Rule, list[ir.Value]] | None:
        boundary = boundary_of(node.operands[0], self.program.shardings)
        if boundary is not None:
            self._boundaries[node] = boundary
        return self._identity(node.results[0], sources_of(node.operands[0]))

    def _identity(
        self, target: ir.Value, sources: Iterable[ir.Value]
    ) -> tuple[Rule, list[ir.Value]]:
        sources = list(sources)
        shape = tuple(ir.ShapedType(target.type).shape)
        key = (shape, len(sources))
        if key not in self._known_rules:
            self._known_rules[key] = identity_rule(shape, len(sources))
        return self._known_rules[key], [*sources, target]

    def _affected(self, value: ir.Value) -> Iterator[Node]:
        by_op = self.program.by_op
        if isinstance(value, ir.OpResult):
            owner = value.owner.operation
            if owner.name == DATA_FLOW_EDGE:
                for target in other_targets(owner.operands[0]):
                    yield from self._users_of(target)
            yield by_op[owner]
        elif parent_op(ir.BlockArgument(value)).name == FUNC:
            yield by_op[parent_op(ir.BlockArgument(value))]
        yield from self._users_of(value)

    def _users_of(self, value: ir.Value) -> list[Node]:
        """Return the ops to visit after the sharding of a value changed, those of its uses."""
        found = self._users.get(value)
        if found is None:
            found = self._users[value] = list(self._find_users(value))
        return found

    def _find_users(self, value: ir.Value) -> Iterator[Node]:
        by_op = self.program.by_op
        for use in value.uses:
            op = use.owner.operation
            owner = edge_owner_of_use(op, use.operand_number)
            edge = None if owner is None else data_flow_edge(owner)
            if edge is not None:
                yield by_op[edge]
            elif op.name in _TERMINATORS:
                parent = op.parent
                assert parent is not None
                yield from self._after_return(parent.operation, use.operand_number)
            elif op.name == CALL:
                argument = self._calls.argument_of(op, use.operand_number)
                yield from (by_op[op],) if argument is None else self._users_of(argument)
            else:
                yield by_op[op]

    def _after_return(self, parent: ir.Operation, number: int) -> Iterator[Node]:
        owner = None
        calls = self._calls.of(parent) if parent.name == FUNC else ()
        if calls:
            for call in calls:
                yield from self._users_of(call.results[number])
            return
        if parent.name != FUNC and number < len(parent.results):
            owner = data_flow_edge(parent.results[number])
        yield self.program.by_op[parent if owner is None else owner]


_TERMINATORS = frozenset(("func.return", "stablehlo.return", "sdy.return", "mpmd.return"))
_ALSO_ELEMENTWISE = frozenset(
    ("stablehlo.select", "stablehlo.clamp", "sdy.reshard", "sdy.sharding_constraint", BARRIER)
)


def _operands_below(node: Node) -> Iterator[ir.Value]:
    """Yield the operands of an op, and of those in its regions."""
    yield from node.operands
    for child in node.children:
        yield from _operands_below(child)


def _barrier_direction(node: Node) -> Direction:
    return Direction(ir.IntegerAttr(node.op.attributes["allowed_direction"]).value)


def is_elementwise(node: Node) -> bool:
    """Return whether each element of the results comes from the elements at its position."""
    if node.name == "stablehlo.bitcast_convert":
        return rank(node.operands[0].type) == rank(node.results[0].type)
    return node.name in ELEMENTWISE or node.name in _ALSO_ELEMENTWISE


class _Worklist:
    """A stack of ops without duplicates; iterating takes the top one each time."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        self._stack = list(nodes)[::-1]
        self._on = set(self._stack)

    def push(self, node: Node | None) -> None:
        """Put an op on the stack, and those around it."""
        while node is not None:
            if node not in self._on:
                self._on.add(node)
                self._stack.append(node)
            node = node.parent

    def __iter__(self) -> Iterator[Node]:
        while self._stack:
            node = self._stack.pop()
            self._on.discard(node)
            yield node
