"""What HBM holds from moment to moment of a training step."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Final, get_args

from sdykit.sparsecore.memory.entries import TEMPORARY, Entry, Phase

PHASES: Final[tuple[Phase, ...]] = get_args(Phase)[1:]
"""The phases of a step, in order."""
_BESIDE: Final[tuple[Phase, ...]] = ("update", "lookup")
"""Those of a pipelined step, beside the TensorCore."""
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
        is_beside: whether the TensorCore works at the same time, on another batch.
    """

    phase: Phase
    owner: str
    entries: tuple[Entry, ...]
    is_beside: bool = False

    @cached_property
    def bytes(self) -> int:
        """Bytes of all entries."""
        return sum(each.bytes for each in self.entries)

    @property
    def when(self) -> str:
        """When it is, in words that follow "while"; "": always."""
        beside = " beside the TensorCore" if self.is_beside else ""
        runs = f"the {self.phase} of {self.owner} runs" if self.owner else _WHEN[self.phase]
        return f"{runs}{beside}"

    @property
    def name(self) -> str:
        """A short name: `lookups`, `TensorCore`, `update of users`."""
        if self.owner:
            return f"{self.phase} of {self.owner}"
        return {"": "step", "TensorCore": "TensorCore"}.get(self.phase, f"{self.phase}s")


def moments_of(
    entries: Iterable[Entry], serialized_tables: int = 0, *, is_pipelined: bool = False
) -> tuple[Moment, ...]:
    """Return the moments of a step: lookups, TensorCore, updates; of programs of one kind, only theirs.

    What all programs of a phase hold, they hold at once: from the first to the last. Of tables that are
    serialized, the next holds its own after the one before. They are those that hold most, in each
    phase, and the largest is first. That the others are there meanwhile is assumed.

    In a pipelined step SparseCores update tables with the gradients of a batch, then look up another,
    and the TensorCore works on the one in between. Then there are activations, or gradients, of two.

    Args:
        entries: the entries of a ledger.
        serialized_tables: how many tables, or stacks of tables, are serialized.
        is_pipelined: whether steps are pipelined.
    """
    held = [each for each in entries if each.kind != "simulator" and each.bytes]
    phases = {each.phase for each in held} - {""}
    if not phases:
        return (Moment("", "", _sorted(held)),)
    order, is_beside = PHASES, False
    if phases >= {"lookup", "update"}:
        phases.add("TensorCore")
        order, is_beside = (_BESIDE, True) if is_pipelined else (PHASES, False)
    return tuple(
        dataclasses.replace(moment, is_beside=is_beside)
        for phase in order
        if phase in phases
        for moment in _of_phase(phase, _there(phase, held, is_beside=is_beside), serialized_tables)
    )


def _of_phase(phase: Phase, there: Sequence[Entry], serialized_tables: int) -> Iterator[Moment]:
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


def _there(phase: Phase, held: Sequence[Entry], *, is_beside: bool) -> list[Entry]:
    """Return what is in HBM in a phase, of the TensorCore's batch, too, if it works beside."""
    found = [
        each
        for each in held
        if each.phase in ("", phase)
        or (each.kind == "activations" and (is_beside or phase == "TensorCore"))
    ]
    if not is_beside:
        return found
    again = (each for each in held if each.kind == "activations" and each.phase == phase)
    return [
        *found,
        *(dataclasses.replace(each, name=f"{each.name} of another batch") for each in again),
    ]


def _sorted(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    return tuple(sorted(entries, key=lambda each: -each.bytes))
