"""Refusals of steps, in terms of the tensors of the program."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sdykit.explain.model import Refusal
from sdykit.explain.tables import Tables
from sdykit.explain.texts import Texts
from sdykit.passes.sdy._propagation import refusals
from sdykit.passes.sdy._propagation.causes import allows
from sdykit.passes.sdy._propagation.driver import Driver
from sdykit.passes.sdy._propagation.factors import Direction
from sdykit.passes.sdy._propagation.priorities import OP_PRIORITIES
from sdykit.passes.sdy._propagation.shardings import Mesh, Sharding
from sdykit.passes.sdy._propagation.steps import Key, Outcome, Rule
from sdykit.passes.sdy._value_shardings import DATA_FLOW_OPS

_WITHOUT = frozenset(("func.func", "func.call"))


class Refused:
    """Tells what the steps of a propagation refuse."""

    def __init__(self, driver: Driver, tables: Tables, texts: Texts) -> None:
        self._driver = driver
        self._program = driver.program
        self._dead = driver.dead
        self._tables = tables
        self._texts = texts
        self._refusals = refusals.Refusals(driver.steps)
        self._arrivals: dict[tuple[int, str], int] = {}

    def arrived(self, tensor: int, axis: str, step: int) -> None:
        """Take down the step in which a tensor got an axis."""
        self._arrivals.setdefault((tensor, axis), step)

    def of(
        self, node: int, tensors: Sequence[int], key: Key, outcome: Outcome, op_priority: int
    ) -> tuple[Refusal, ...]:
        """Return what a step at an op refuses."""
        found = self._refusals.of(key, outcome)
        return tuple(self._refusal(node, tensors, key, each, op_priority) for each in found)

    def without_rule(self, node: int) -> tuple[Refusal, ...]:
        """Return what an op without a rule refuses: all axes that not all of its tensors have."""
        program = self._program
        operands, results = program.operands[node], program.results[node]
        if not operands or not results or program.names[node] in (*_WITHOUT, *DATA_FLOW_OPS):
            return ()
        values = [each for each in (*operands, *results) if program.types[each].rank]
        return tuple(self._without_rule(values))

    def without_slot(
        self, tensors: Sequence[int], number: int, sharding: Sharding, outcome: Outcome
    ) -> tuple[Refusal, ...]:
        """Return the axes that a tensor gets in a step, which has no place to keep them."""
        return tuple(
            Refusal(
                tensors[number],
                _dimension(sharding, axis),
                self._texts.axis(sharding.mesh, axis),
                tensors[source],
                "no slot",
                tensors[number],
            )
            for axis, source, target in outcome.flows
            if target == number
        )

    def _without_rule(self, values: Sequence[int]) -> Iterator[Refusal]:
        had = {value: self._axes(value) for value in values}
        seen: set[tuple[int, str]] = set()
        for source, axes in had.items():
            for target, own in had.items():
                tensor = self._tables.of_value[target]
                for axis in axes:
                    if axis not in own and (tensor, axis) not in seen:
                        seen.add((tensor, axis))
                        yield Refusal(tensor, None, axis, self._tables.of_value[source], "no rule")

    def _axes(self, value: int) -> tuple[str, ...]:
        slots = self._driver.slots
        sharding = slots.get(slots.of[value])
        if sharding is None:
            return ()
        return tuple(
            self._texts.axis(sharding.mesh, axis) for dim in sharding.dims for axis in dim.axes
        )

    def _refusal(
        self,
        node: int,
        tensors: Sequence[int],
        key: Key,
        found: refusals.Refusal,
        op_priority: int,
    ) -> Refusal:
        cause = found.cause
        mesh = _mesh(key.shardings, found.source)
        by = tensors[cause.by]
        axis = None if cause.axis is None else self._texts.axis(mesh, cause.axis)
        refusal = Refusal(
            tensors[found.tensor],
            found.dimension,
            self._texts.axis(mesh, found.axis),
            tensors[found.source],
            cause.reason,
            by,
            cause.dimension,
            axis,
            None if axis is None else self._arrivals.get((by, axis)),
            cause.size,
            cause.divided,
            kind=_kind(key, found),
        )
        if cause.reason != "direction":
            return refusal
        return self._of_direction(node, key.rule, found, refusal, op_priority)

    def _of_direction(
        self,
        node: int,
        rule: Rule,
        found: refusals.Refusal,
        refusal: Refusal,
        op_priority: int,
    ) -> Refusal:
        """Return a refusal with the op priority that takes it back, and the operand with several uses."""
        from_operand = found.source < len(rule.operands)
        allowed = None
        for priority in OP_PRIORITIES[op_priority + 1 :]:
            way = self._driver.tables.directions(node, priority)
            way = way if isinstance(way, Direction) else way[found.factor]
            if allows(way, from_operand=from_operand):
                allowed = priority
                break
        return self._made(node, refusal, allowed, op_priority)

    def _made(self, node: int, refusal: Refusal, allowed: int | None, op_priority: int) -> Refusal:
        several = None
        if op_priority == 0 and allowed == 1:
            operands, types = self._program.operands[node], self._program.types
            tensors = (each for each in operands if types[each].rank)
            several = next((each for each in tensors if self._dead.count_uses(each) != 1), None)
        fields = (refusal.tensor, refusal.dimension, refusal.axis, refusal.source)
        if several is None:
            return Refusal(*fields, "direction", op_priority=allowed)
        by = self._tables.of_value[several]
        return Refusal(*fields, "several uses", by, op_priority=allowed)


def _kind(key: Key, found: refusals.Refusal) -> str | None:
    """Return `Refusal.kind`."""
    if found.cause.reason == "blocked":
        return key.rule.kind(found.factor)
    return "before" if found.cause.is_before else None


def _mesh(shardings: Sequence[Sharding | None], source: int) -> Mesh:
    sharding = shardings[source]
    assert sharding is not None
    return sharding.mesh


def _dimension(sharding: Sharding, axis: object) -> int | None:
    return next((at for at, dim in enumerate(sharding.dims) if axis in dim.axes), None)
