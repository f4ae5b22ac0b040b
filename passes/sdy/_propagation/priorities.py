"""Priorities: which ops propagate first, and which shardings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from sdykit.core import FUNC
from sdykit.mlir import ir
from sdykit.passes.sdy._propagation.axes import Axes
from sdykit.passes.sdy._propagation.calls import FUNC_EDGE
from sdykit.passes.sdy._propagation.driver import Directions, Driver, is_elementwise
from sdykit.passes.sdy._propagation.factors import Direction
from sdykit.passes.sdy._propagation.program import Node, Program
from sdykit.passes.sdy._propagation.shardings import Sharding
from sdykit.passes.sdy._propagation.steps import Rule
from sdykit.passes.sdy._shardings import RES_ATTRS
from sdykit.passes.sdy._value_shardings import DATA_FLOW_EDGE, Place, rank

OP_PRIORITIES: Final = range(5)

_PASSING: Final = frozenset(("stablehlo.reshape", "stablehlo.transpose", DATA_FLOW_EDGE, FUNC_EDGE))
_SLICING: Final = frozenset(("stablehlo.dynamic_slice", "stablehlo.dynamic_update_slice"))
_MOVING: Final = ("MoveToDevice", "MoveToHost")
_BROADCAST: Final = "stablehlo.broadcast_in_dim"


@dataclass
class OpPriority:
    """The directions that ops of a priority, or of one before it, allow."""

    driver: Driver
    priority: int

    def __call__(self, node: Node, rule: Rule) -> tuple[Direction, ...] | Direction:
        """Return the direction of each factor."""
        if self.priority == 4:
            return Direction.BOTH
        if self.priority == 3:
            return Direction.BACKWARD if node.name == _BROADCAST else Direction.BOTH
        passing = self._of_passing(node)
        if self.priority < 2 or passing is Direction.BOTH:
            return passing
        if node.name == _BROADCAST:
            return Direction.BACKWARD
        if rule.is_identity:
            return Direction.BOTH
        return tuple(
            passing if factor in rule.special else Direction.BOTH
            for factor in range(len(rule.sizes))
        )

    def _of_passing(self, node: Node) -> Direction:
        """Return the direction of ops that only pass shardings on, first those of values used once."""
        is_slicing = node.name in _SLICING
        if not (is_slicing or node.name in _PASSING or is_elementwise(node) or _moves(node)):
            return Direction.NONE
        if self.priority == 0 and not self._uses_operands_alone(node):
            return Direction.NONE
        return Direction.FORWARD if is_slicing else Direction.BOTH

    def _uses_operands_alone(self, node: Node) -> bool:
        return all(
            rank(value.type) == 0 or self.driver.count_uses(value) == 1 for value in node.operands
        )


def _moves(node: Node) -> bool:
    if node.name != "stablehlo.custom_call":
        return False
    return ir.StringAttr(node.op.attributes["call_target_name"]).value in _MOVING


@dataclass
class UserPriorities:
    """The shardings with priorities above 0, which are put back one priority after the other.

    Attributes:
        program: the program; creating this takes the shardings out.
    """

    program: Program
    _held: dict[int, dict[Place, Sharding]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for place in _places(self.program):
            sharding = self.program.at(place)
            if sharding is not None and any(dim.priority is not None for dim in sharding.dims):
                self._take(place, sharding)

    def __iter__(self) -> Iterator[int]:
        """Yield each priority after its shardings were put back."""
        for priority in sorted(self._held):
            for place, held in self._held[priority].items():
                self._put_back(place, held, priority)
            yield priority

    def _take(self, place: Place, sharding: Sharding) -> None:
        dims, replicated = [], list(sharding.replicated)
        for dim in sharding.dims:
            if dim.priority:
                self._held.setdefault(dim.priority, {})[place] = sharding
                replicated += dim.axes
                dims.append(dim._replace(axes=(), is_closed=True, priority=None))
            else:
                dims.append(dim._replace(priority=None))
        new = sharding._replace(
            dims=tuple(dims), replicated=self._in_mesh_order(sharding, replicated)
        )
        self.program.put(place, new)

    def _put_back(self, place: Place, held: Sharding, priority: int) -> None:
        sharding = self.program.at(place)
        assert sharding is not None
        dims, replicated = list(sharding.dims), list(sharding.replicated)
        for number, dim in enumerate(held.dims):
            if dim.priority == priority:
                dims[number] = dim._replace(priority=None)
                replicated = [axis for axis in replicated if axis not in dim.axes]
        self.program.put(place, sharding._replace(dims=tuple(dims), replicated=tuple(replicated)))

    def _in_mesh_order(self, sharding: Sharding, axes: list) -> Axes:
        mesh = self.program.shardings.mesh(sharding.mesh)
        order = {axis.name: number for number, axis in enumerate(mesh.axes)}
        return tuple(sorted(axes, key=lambda axis: (order[axis.name], axis.pre, axis.size)))


def _places(program: Program) -> dict[Place, None]:
    """Return the places of shardings in the order of the walk."""
    found: dict[Place, None] = {}
    for node in program.nodes:
        values = node.results
        if node.name == FUNC:
            blocks = node.op.regions[0].blocks
            values = list(blocks[0].arguments) if len(blocks) else []
        for value in values:
            place = program.place(value)
            if place is not None:
                found[place] = None
        if node.name == FUNC:
            function_type = ir.FunctionType(ir.TypeAttr(node.op.attributes["function_type"]).value)
            for number in range(len(function_type.results)):
                found[Place(node.op, RES_ATTRS, number)] = None
    return found


__all__ = ["OP_PRIORITIES", "Directions", "OpPriority", "UserPriorities"]
