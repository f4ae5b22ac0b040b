"""Sums over collectives: by kind, and by the axes that they are along."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from sdykit.explain.costs.model import Collective
from sdykit.explain.questions.axes import name_of


@dataclass(frozen=True, slots=True)
class Total:
    """What some collectives are together.

    Attributes:
        count: how many there are in the program.
        runs: how often they run.
        bytes: what a device receives in a run of the program; of those in loops of unknown trip count in
            one iteration.
        operand_bytes: the size of all operands, likewise.
        seconds: the time, of those that have one.
    """

    count: int
    runs: int
    bytes: float
    operand_bytes: int
    seconds: float


def total(collectives: Iterable[Collective]) -> Total:
    """Return what collectives are together."""
    found = list(collectives)
    return Total(
        len(found),
        sum(each.runs for each in found),
        sum(each.total_bytes for each in found),
        sum(each.operand_bytes * each.runs for each in found),
        sum(each.seconds or 0.0 for each in found),
    )


def by_kind(collectives: Iterable[Collective]) -> dict[str, Total]:
    """Return the totals of each kind, those with most bytes first."""
    return _grouped((each.kind, each) for each in collectives)


def by_axes(collectives: Iterable[Collective]) -> dict[tuple[str, ...], Total]:
    """Return the totals of each set of mesh axes, those with most bytes first.

    A collective along two axes counts for the two together, and for neither alone.
    """
    return _grouped((axes_of(each), each) for each in collectives)


def axes_of(collective: Collective) -> tuple[str, ...]:
    """Return the mesh axes that a collective is along, sorted."""
    return tuple(sorted(set(map(name_of, collective.axes))))


K = TypeVar("K")


def _grouped(pairs: Iterable[tuple[K, Collective]]) -> dict[K, Total]:
    groups: dict[K, list[Collective]] = {}
    for key, each in pairs:
        groups.setdefault(key, []).append(each)
    totals = {key: total(members) for key, members in groups.items()}
    return dict(sorted(totals.items(), key=lambda item: -item[1].bytes))
