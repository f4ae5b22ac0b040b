"""Priorities: which ops propagate first, and which shardings."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from sdykit.core import FUNC
from sdykit.passes.sdy._propagation.axes import Axes
from sdykit.passes.sdy._propagation.factors import Direction
from sdykit.passes.sdy._propagation.kinds import Flow, Kind
from sdykit.passes.sdy._propagation.numbered import NONE
from sdykit.passes.sdy._propagation.shardings import Sharding
from sdykit.passes.sdy._propagation.slots import NO_SLOT, Slots
from sdykit.passes.sdy._propagation.tables import Directions

OP_PRIORITIES: Final = range(5)

LATER: Final = (Flow.BROADCAST, Flow.OTHER)
"""The ops through which nothing goes at the priorities 0 and 1."""


def directions_of(kind: Kind, priority: int, uses_alone: bool) -> Directions:
    """Return the direction of each factor that ops of a priority, or of one before it, allow.

    Args:
        kind: the kind of the op.
        priority: one of `OP_PRIORITIES`.
        uses_alone: whether the op is the only user of each of its operands, scalars aside.
    """
    if kind.fixed is not None:
        return kind.fixed
    if priority == 4:
        return Direction.BOTH
    if priority == 3:
        return Direction.BACKWARD if kind.flow is Flow.BROADCAST else Direction.BOTH
    passing = _of_passing(kind.flow, priority > 0 or uses_alone)
    if priority < 2 or passing is Direction.BOTH:
        return passing
    if kind.flow is Flow.BROADCAST:
        return Direction.BACKWARD
    special = kind.rule.special
    return tuple(
        passing if factor in special else Direction.BOTH for factor in range(len(kind.rule.sizes))
    )


def _of_passing(flow: Flow, may_pass: bool) -> Direction:
    """Return the direction of ops that only pass shardings on."""
    if flow in LATER or not may_pass:
        return Direction.NONE
    return Direction.FORWARD if flow is Flow.SLICING else Direction.BOTH


@dataclass
class UserPriorities:
    """The shardings with priorities above 0, which are put back one priority after the other.

    Attributes:
        slots: the shardings; creating this takes those with priorities out.
    """

    slots: Slots
    _held: dict[int, dict[int, Sharding]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        state, shardings = self.slots.state, self.slots.shardings
        given = {
            number
            for number in set(state) - {NONE}
            if any(dim.priority is not None for dim in shardings.of(number).dims)
        }
        for slot in _slots_in_order(self.slots) if given else ():
            if state[slot] in given:
                self._take(slot, shardings.of(state[slot]))

    @property
    def priorities(self) -> list[int]:
        """The priorities above 0, in order."""
        return sorted(self._held)

    def put_back(self, priority: int) -> None:
        """Put back the shardings of a priority."""
        for slot, held in self._held[priority].items():
            self._put_back(slot, held, priority)

    def _take(self, slot: int, sharding: Sharding) -> None:
        dims, replicated = [], list(sharding.replicated)
        for dim in sharding.dims:
            if dim.priority:
                self._held.setdefault(dim.priority, {})[slot] = sharding
                replicated += dim.axes
                dims.append(dim._replace(axes=(), is_closed=True, priority=None))
            else:
                dims.append(dim._replace(priority=None))
        in_order = self._in_mesh_order(sharding, replicated)
        self._set(slot, sharding._replace(dims=tuple(dims), replicated=in_order))

    def _put_back(self, slot: int, held: Sharding, priority: int) -> None:
        sharding = self.slots.get(slot)
        assert sharding is not None
        dims, replicated = list(sharding.dims), list(sharding.replicated)
        for number, dim in enumerate(held.dims):
            if dim.priority == priority:
                dims[number] = dim._replace(priority=None)
                replicated = [axis for axis in replicated if axis not in dim.axes]
        self._set(slot, sharding._replace(dims=tuple(dims), replicated=tuple(replicated)))

    def _set(self, slot: int, sharding: Sharding) -> None:
        self.slots.set(slot, self.slots.shardings.number(sharding))

    def _in_mesh_order(self, sharding: Sharding, axes: list) -> Axes:
        mesh = self.slots.shardings.mesh(sharding.mesh)
        order = {axis.name: number for number, axis in enumerate(mesh.axes)}
        return tuple(sorted(axes, key=lambda axis: (order[axis.name], axis.pre, axis.size)))


def _slots_in_order(slots: Slots) -> dict[int, None]:
    """Return the slots in the order of the walk."""
    program = slots.program
    found: dict[int, None] = {}
    for node, results in enumerate(program.results):
        if program.names[node] == FUNC:
            blocks = program.bodies[node][0]
            found.update(dict.fromkeys(blocks[0].arguments if blocks else ()))
            found.update(dict.fromkeys(slots.results[node]))
        else:
            found.update(dict.fromkeys([slots.of[value] for value in results]))
    found.pop(NO_SLOT, None)
    return found
