"""Records a propagation: every step, and what was refused in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from sdykit.explain.given import Givers
from sdykit.explain.model import Change, Explanation, Gain, Given, Refusal, Step
from sdykit.explain.refused import Refused
from sdykit.explain.source import ProgramText
from sdykit.explain.tables import Tables
from sdykit.explain.texts import Texts
from sdykit.passes.sdy._propagation.axes import Axis, contains, overlap
from sdykit.passes.sdy._propagation.driver import Driver
from sdykit.passes.sdy._propagation.manual import Boundary
from sdykit.passes.sdy._propagation.projection import Dim
from sdykit.passes.sdy._propagation.records import Listener
from sdykit.passes.sdy._propagation.shardings import Sharding
from sdykit.passes.sdy._propagation.slots import NO_SLOT, Slots
from sdykit.passes.sdy._propagation.steps import Key, Outcome


class Recording(Listener):
    """Records a propagation of a program."""

    def __init__(self, text: ProgramText, own: frozenset[object]) -> None:
        """Begin; see `Givers` for `own`."""
        self._text = text
        self._own = own
        self._steps: list[Step] = []
        self._number = 0
        self._last: dict[int, tuple[Refusal, ...]] = {}
        self._entered: tuple[int, int, str] = (0, 0, "")

    def begin(self, slots: Slots) -> None:
        self._slots = slots
        self._function = slots.program.function()
        self._texts = Texts(slots.shardings)
        self._tables = Tables(slots, self._text)
        self._givers = Givers(self._tables, self._texts, self._own)
        self._given = list(map(self._givers.given, range(len(self._tables.slots))))

    def enter(self, driver: Driver, user_priority: int, op_priority: int, strategy: str) -> None:
        if not self._entered[2]:
            self._driver = driver
            self._refused = Refused(driver, self._tables, self._texts)
            self._take_groups()
        self._entered = (user_priority, op_priority, strategy.removeprefix("propagate_"))

    def no_rule(self, node: int) -> None:
        self._add(node, None, (), self._refused.without_rule(node))

    def step(
        self,
        node: int,
        values: Sequence[int],
        boundary: Boundary | None,
        key: Key,
        outcome: Outcome,
    ) -> None:
        tensors = [self._tables.of_value[value] for value in values]
        refusals = self._refused.of(node, tensors, key, outcome, self._entered[1])
        changes: list[Change] = []
        for number, sharding in outcome.changes:
            is_inner = boundary is not None and number == boundary.inner
            new = boundary.to_inner(sharding) if boundary is not None and is_inner else sharding
            value = values[number]
            slot = self._slots.of[value]
            if slot == NO_SLOT:
                refusals += self._refused.without_slot(tensors, number, sharding, outcome)
                continue
            old = self._slots.get(slot)
            gained = _gained(outcome, number)
            changes += self._changes(tensors[number], old, new, gained, tensors)
            changes += self._alike(value, new, gained, tensors)
        self._add(node, None, changes, refusals, outcome)

    def result_step(self, number: int, key: Key, outcome: Outcome) -> None:
        func = self._function
        returned = self._slots.program.returned(func)[number]
        tensors = [self._tables.of_value[returned], self._tables.of_result[number]]
        changes: list[Change] = []
        for changed, sharding in outcome.changes:
            old = key.shardings[changed]
            gained = _gained(outcome, changed)
            changes += self._changes(tensors[changed], old, sharding, gained, tensors)
            if not changed:
                changes += self._alike(returned, sharding, gained, tensors)
        refusals = self._refused.of(func, tensors, key, outcome, self._entered[1])
        self._add(func, number, changes, refusals, outcome)

    def end(self) -> None:
        finals = [self._texts.sharding(self._slots.state[slot]) for slot in self._tables.slots]
        self._tensors = tuple(self._tables.tensors(self._given, finals))
        for node, is_gone in enumerate(self._driver.dead.is_gone):
            if is_gone:
                self._tables.ops[node] = replace(self._tables.ops[node], is_erased=True)

    def explanation(self, name: str, meshes: Mapping[str, Mapping[str, int]]) -> Explanation:
        """Return what was recorded."""
        return Explanation(
            name,
            meshes,
            self._text.lines,
            tuple(self._tables.ops),
            self._tensors,
            tuple(self._steps),
        )

    def _add(
        self,
        op: int,
        result: int | None,
        changes: Sequence[Change],
        refusals: tuple[Refusal, ...],
        outcome: Outcome | None = None,
    ) -> None:
        is_step = outcome is not None and bool(outcome.changes)
        at = op if result is None else -1 - result
        if is_step or refusals != self._last.get(at, ()):
            number = self._number if is_step else None
            # A tensor may be there twice: what is stored last stays.
            last = {(each.tensor, each.dimension): each for each in changes}
            kept = tuple(last.values())
            self._steps.append(Step(number, op, result, *self._entered, kept, refusals))
            self._last[at] = refusals
        for change in changes:
            for gain in change.gains:
                self._refused.arrived(change.tensor, gain.axis, self._number)
        self._number += is_step

    def _changes(
        self,
        tensor: int,
        old: Sharding | None,
        new: Sharding,
        gained: Sequence[tuple[Axis, int]],
        tensors: Sequence[int],
    ) -> Iterator[Change]:
        """Yield the dimensions of a tensor that change, with what each axis came from."""
        dims = old.dims if old is not None else (Dim(),) * len(new.dims)
        for at, (before, after) in enumerate(zip(dims, new.dims, strict=True)):
            if before.axes == after.axes:
                continue
            gains = tuple(
                Gain(self._texts.axis(new.mesh, axis), tensors[source])
                for axis, source in gained
                if any(contains(each, axis) for each in after.axes)
            )
            yield Change(
                tensor,
                at,
                self._texts.axes(new.mesh, before.axes),
                self._texts.axes(new.mesh, after.axes),
                gains,
            )

    def _alike(
        self,
        value: int,
        new: Sharding,
        gained: Sequence[tuple[Axis, int]],
        tensors: Sequence[int],
    ) -> Iterator[Change]:
        """Yield the changes of the other members of the group of a value.

        What they get comes from where the value has got it, so that each source had it before the step.
        """
        sources = [*tensors, self._tables.of_value[value]]
        for other in self._driver.groups.get(value, ()):
            old = self._slots.get(self._slots.of[other])
            had = {axis for dim in old.dims for axis in dim.axes} if old is not None else set()
            gains = [
                (axis, next((at for each, at in gained if overlap(each, axis)), len(tensors)))
                for dim in new.dims
                for axis in dim.axes
                if axis not in had
            ]
            yield from self._changes(self._tables.of_value[other], old, new, gains, sources)

    def _take_groups(self) -> None:
        """Take down what the members of groups were given as others have it."""
        for number, value in enumerate(self._tables.values):
            if value is None or value not in self._driver.groups:
                continue
            if self._slots.get(self._tables.slots[number]) is None:
                continue
            like = self._like(value)
            if like is not None and like != number and not _says_something(self._given[number]):
                # Its dimensions of later user priorities are taken out by now: like the other's.
                self._given[number] = self._givers.of_group(number, like, self._given[like])

    def _like(self, value: int) -> int | None:
        """Return the first tensor of the group of a value that was given a sharding."""
        numbers = [self._tables.of_value[each] for each in (value, *self._driver.groups[value])]
        return next((each for each in numbers if _says_something(self._given[each])), None)


def _says_something(given: Given | None) -> bool:
    return given is not None and any(dim.axes or dim.is_closed for dim in given.sharding.dims)


def _gained(outcome: Outcome, number: int) -> list[tuple[Axis, int]]:
    """Return the axes that a tensor of a step got, and the number of the tensor they came from."""
    return [(axis, source) for axis, source, target in outcome.flows if target == number]
