"""What HBM holds from moment to moment of a training step."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Final, get_args

from sdykit.sparsecore.memory.entries import TEMPORARY, Entry, Phase

PHASES: Final[tuple[Phase, ...]] = get_args(Phase)[1:]
"""The phases of a step, in order."""
_WHEN: Final = {
    "": "",
    "lookup": "lookups run",
    "TensorCore": "the TensorCore works",
    "update": "updates run",
}


@dataclasses.dataclass(frozen=True)
class Moment:
    """A part of a step, during which HBM holds the same.

    Attributes:
        phase: the phase that it is in; "": there are no phases.
        owner: whose lookup or update runs, if its table is serialized; "": those of all others, too.
        entries: what HBM holds, the largest first, without what only the simulator needs.
    """

    phase: Phase
    owner: str
    entries: tuple[Entry, ...]

    @cached_property
    def bytes(self) -> int:
        """Bytes of all entries."""
        return sum(each.bytes for each in self.entries)

    @property
    def when(self) -> str:
        """When it is, in words that follow "while"; "": always."""
        return f"the {self.phase} of {self.owner} runs" if self.owner else _WHEN[self.phase]

    @property
    def name(self) -> str:
        """A short name: `lookups`, `TensorCore`, `update of users`."""
        if self.owner:
            return f"{self.phase} of {self.owner}"
        return {"": "step", "TensorCore": "TensorCore"}.get(self.phase, f"{self.phase}s")


def moments_of(entries: Iterable[Entry], serialized_tables: int = 0) -> tuple[Moment, ...]:
    """Return the moments of a step: lookups, TensorCore, updates; of programs of one kind, only theirs.

    What all programs of a phase hold, they hold at once: from the first to the last. Of tables that are
    serialized, the next holds its own after the one before. They are those that hold most, in each
    phase, and the largest is first. That the others are there meanwhile is assumed.

    Args:
        entries: the entries of a ledger.
        serialized_tables: how many tables, or stacks of tables, are serialized.
    """
    held = [each for each in entries if each.kind != "simulator" and each.bytes]
    phases = {each.phase for each in held} - {""}
    if phases >= {"lookup", "update"}:
        phases.add("TensorCore")
    if not phases:
        return (Moment("", "", _sorted(held)),)
    return tuple(
        moment
        for phase in PHASES
        if phase in phases
        for moment in _of_phase(phase, held, serialized_tables)
    )


def _of_phase(phase: Phase, held: Sequence[Entry], serialized_tables: int) -> Iterator[Moment]:
    there = [each for each in held if _is_there(each, phase)]
    sizes: dict[str, int] = {}
    for each in there:
        if each.kind in TEMPORARY and each.phase:
            sizes[each.owner] = sizes.get(each.owner, 0) + each.bytes
    order = sorted(sizes, key=lambda owner: -sizes[owner])[:serialized_tables]
    if len(order) < 2:  # One alone waits for none.
        yield Moment(phase, "", _sorted(there))
        return
    waiting = {owner: set(order) - {owner} for owner in order}
    for owner, others in waiting.items():
        found = (
            each
            for each in there
            if each.kind not in TEMPORARY or not each.phase or each.owner not in others
        )
        yield Moment(phase, owner, _sorted(found))


def _is_there(entry: Entry, phase: Phase) -> bool:
    """Return whether an entry is in HBM in a phase."""
    return entry.phase in ("", phase) or (phase == "TensorCore" and entry.kind == "activations")


def _sorted(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    return tuple(sorted(entries, key=lambda each: -each.bytes))
