"""What is shown together: programs and limits that are alike, and all that an owner has."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence

from sdykit.sparsecore.memory.ledger import Ledger
from sdykit.sparsecore.memory.padding import LimitUse
from sdykit.sparsecore.memory.spmem import Spmem
from sdykit.viz.memory_view.sizes import BYTES


@dataclasses.dataclass(frozen=True)
class Programs:
    """Programs of one kind with the same layout.

    Attributes:
        layout: that of the first.
        names: their names.
    """

    layout: Spmem
    names: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name of the first, and how many more there are."""
        return and_more(self.names)


def alike_programs(programs: Sequence[Spmem]) -> list[Programs]:
    """Return programs by layout, those that take most first."""
    found: dict[object, list[Spmem]] = {}
    for each in sorted(programs, key=lambda each: -each.bytes):
        found.setdefault((each.kind, each.capacity, each.phases), []).append(each)
    return [Programs(same[0], tuple(each.name for each in same)) for same in found.values()]


def alike_limits(limits: Sequence[LimitUse]) -> list[tuple[str, LimitUse]]:
    """Return limits with the names of the stacks that have them, those that are used least first."""
    found: dict[object, list[LimitUse]] = {}
    for each in limits:
        found.setdefault((each.name, each.compiled, each.observed), []).append(each)
    ordered = sorted(found.values(), key=lambda same: _used(same[0]))
    return [(and_more([each.stack for each in same]), same[0]) for same in ordered]


def _used(limit: LimitUse) -> float:
    return 2.0 if limit.share is None else limit.share


def and_more(names: Sequence[str]) -> str:
    """Return the first name, and how many more there are."""
    return f"{names[0]} and {len(names) - 1} more" if len(names) > 1 else names[0]


@dataclasses.dataclass(frozen=True)
class Owner:
    """What a table, or a stack of tables, has of HBM at the peak.

    Attributes:
        name: its name.
        bytes: the bytes of all of its entries.
        kinds: the kinds of its entries with their bytes, the largest first.
    """

    name: str
    bytes: int
    kinds: str


def owners_of(ledger: Ledger) -> list[Owner]:
    """Return the owners at the peak, the largest first."""
    found: dict[str, Counter[str]] = {}
    for each in ledger.peak_moment.entries:
        found.setdefault(each.owner, Counter())[each.kind] += each.bytes
    owners = (
        Owner(
            name or "no table",
            sum(kinds.values()),
            ", ".join(f"{kind} {BYTES.text(size)}" for kind, size in kinds.most_common()),
        )
        for name, kinds in found.items()
    )
    return sorted(owners, key=lambda each: -each.bytes)
