"""Propagation between what the function of the program returns, and the shardings of its results."""

from __future__ import annotations

from sdykit.passes.sdy._propagation.factors import Direction
from sdykit.passes.sdy._propagation.groups import Groups
from sdykit.passes.sdy._propagation.kinds import Flow, Kind
from sdykit.passes.sdy._propagation.records import Listener
from sdykit.passes.sdy._propagation.slots import Slots
from sdykit.passes.sdy._propagation.steps import Strategy, identity_rule
from sdykit.passes.sdy._propagation.tables import StepTables


class FunctionResults:
    """The results of `@main`, or of the only function, and the values that it returns."""

    def __init__(self, slots: Slots, tables: StepTables, groups: Groups) -> None:
        self._slots = slots
        self._groups = groups
        self._tables = tables
        program = slots.program
        function = program.function()
        kinds: dict[tuple[int, ...], Kind] = {}
        self._pairs: list[tuple[int, int, int, Kind]] = []
        returned = zip(program.returned(function), slots.results[function], strict=False)
        for number, (value, result) in enumerate(returned):
            shape = program.types[value].shape
            if shape is not None:
                if shape not in kinds:
                    kinds[shape] = Kind(identity_rule(shape, 1), Flow.PASSING)
                self._pairs.append((number, value, result, kinds[shape]))

    def visit(self, strategy: Strategy, listener: Listener | None) -> None:
        """Propagate between each result and its value; no op is visited for what changes."""
        slots = self._slots
        for number, value, result, kind in self._pairs:
            table = self._tables.of(kind, Direction.BOTH, strategy)
            places = slots.of[value], result
            state = slots.state[places[0]], slots.state[result]
            changes = table[state]
            if listener is not None and (changes or listener.hears_all):
                listener.result_step(number, *table.step(state))
            for changed, sharding in changes:
                slots.set(places[changed], sharding)
                for other in () if changed else self._groups.get(value, ()):
                    slots.set(slots.of[other], sharding)
