"""Records of a propagation, for debugging: which axes flowed where in which step, and where they began."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sdykit.dialects import sdy
from sdykit.passes.sdy._propagation.manual import Boundary
from sdykit.passes.sdy._propagation.slots import Slots
from sdykit.passes.sdy._propagation.steps import Key, Outcome
from sdykit.passes.sdy._propagation_edges import (
    PROPAGATION_EDGES,
    Flow,
    PropagationEdges,
    StepNumbers,
    operand,
    result,
)
from sdykit.passes.sdy._sharding_origins import ShardingOrigins
from sdykit.passes.sdy._shardings import RES_ATTRS
from sdykit.passes.sdy._value_attrs import ValueAttrs

if TYPE_CHECKING:
    from sdykit.passes.sdy._propagation.driver import Driver


class Listener:
    """Is told what a propagation does; each method does nothing here.

    Attributes:
        hears_all: whether it is told of steps that change nothing, too.
    """

    hears_all = True

    def begin(self, slots: Slots) -> None:
        """Be told of the program and all shardings that were given."""

    def enter(self, driver: Driver, user_priority: int, op_priority: int, strategy: str) -> None:
        """Be told that all ops are about to be visited with some priorities and a strategy."""

    def no_rule(self, node: int) -> None:
        """Be told that an op was visited that has no rule."""

    def step(
        self,
        node: int,
        values: Sequence[int],
        boundary: Boundary | None,
        key: Key,
        outcome: Outcome,
    ) -> None:
        """Be told of a step at an op, before its changes are made.

        Args:
            node: the op.
            values: its operands and results; of an edge, its sources and itself.
            boundary: where the last of them is in a manual computation, if it is an edge of one.
            key: what the step depends on.
            outcome: what it does.
        """

    def result_step(self, number: int, key: Key, outcome: Outcome) -> None:
        """Be told of a step between what the function returns and one of its results, before its changes."""

    def end(self) -> None:
        """Be told that all shardings are known; none is written yet."""

    def write(self) -> None:
        """Write records into the module, after the shardings."""


class Records(Listener):
    """Records steps as they are taken; `write` puts the records into the module."""

    hears_all = False

    def __init__(self, slots: Slots, origins: ShardingOrigins | None, *, edges: bool) -> None:
        self._program = program = slots.program
        self._shardings = slots.shardings
        self._origins = origins
        self._steps = StepNumbers(program.root) if edges else None
        self._of_node: dict[int, PropagationEdges] = {}
        # As in C++, the first result of the function has the record of all.
        self._of_results = PropagationEdges()

    def step(
        self,
        node: int,
        values: Sequence[int],
        boundary: Boundary | None,
        key: Key,
        outcome: Outcome,
    ) -> None:
        if not outcome.changes:
            return
        if self._origins is not None:
            mesh = outcome.changes[0][1].mesh
            for axis, source, target in outcome.flows:
                ref = self._shardings.axis_ref(mesh, axis)
                of = self._program.values
                self._origins.hand_on(of[values[source]], of[values[target]], ref)
        if self._steps is not None:
            edges = self._of_node.setdefault(node, PropagationEdges())
            count = len(values) - len(self._program.results[node])
            edges.add(self._steps.next(), self._flows(outcome, count))

    def result_step(self, number: int, key: Key, outcome: Outcome) -> None:
        if outcome.changes and self._steps is not None:
            self._of_results.add(self._steps.next(), self._flows(outcome, 1))

    def _flows(self, outcome: Outcome, operands: int) -> list[Flow]:
        mesh = outcome.changes[0][1].mesh

        def tensor(at: int) -> sdy.EdgeValueRefAttr:
            return operand(at) if at < operands else result(at - operands)

        return [
            (self._shardings.axis_ref(mesh, axis), tensor(source), tensor(target))
            for axis, source, target in outcome.flows
        ]

    def write(self) -> None:
        """Write all records."""
        for node, edges in self._of_node.items():
            attribute = edges.to_attr()
            if attribute is not None:
                self._program.ops[node].attributes[PROPAGATION_EDGES] = attribute
        of_results = self._of_results.to_attr()
        if of_results is not None:
            attributes = ValueAttrs(self._program.ops[self._program.function()], RES_ATTRS)
            attributes.set(0, PROPAGATION_EDGES, of_results)
            attributes.flush()
        if self._origins is not None:
            self._origins.save()
