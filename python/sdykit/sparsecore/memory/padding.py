"""What padding and limits that are not used up take of HBM, on each device."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal

from sdykit.sparsecore.memory.ledger import Ledger
from sdykit.sparsecore.stacking import Stack

WasteKind = Literal["row padding", "vocabulary padding", "entries", "limit"]
"""What bytes are wasted on:

- `row padding`: columns after the width of a table, since rows are aligned to 32 bytes;
- `vocabulary padding`: rows after the vocabulary of a table, since its SparseCores have equally many;
- `entries`: of the input, entries that hold no id: a partition has room for as many as its limit allows;
- `limit`: of an HBM stack, what the observed unique ids would not need.
"""
_ENTRIES: Final = ("embedding_ids", "sample_ids", "gains")
"""The arrays of the input that have an element for each entry."""
_ONE_SIZE: Final = re.compile(r"\w+\[(\d+)\]")
"""The shape of such an array in the note of its entry."""


@dataclasses.dataclass(frozen=True)
class StackShape:
    """The rows and columns of a stack of tables, with padding and without.

    Attributes:
        name: the name of the stack.
        rows: its rows on all devices, with padding.
        width: elements in a row, with padding.
        tables: the name, vocabulary and width of each of its tables.
    """

    name: str
    rows: int
    width: int
    tables: tuple[tuple[str, int, int], ...]

    @classmethod
    def of(cls, stack: Stack) -> StackShape:
        """Return the shape of a stack."""
        specs = (each.spec for each in stack.tables)
        tables = tuple((each.name, each.vocabulary_size, each.embedding_dim) for each in specs)
        return cls(stack.name, stack.vocabulary_size, stack.embedding_dim, tables)


@dataclasses.dataclass(frozen=True)
class LimitUse:
    """A limit of a stack, beside what was observed.

    Attributes:
        stack: the name of the stack.
        name: the name of the limit.
        compiled: its value.
        observed: the maximum that data needed; None: no data.
    """

    stack: str
    name: str
    compiled: int
    observed: int | None

    @property
    def share(self) -> float | None:
        """The part of the limit that data needed; None: no data."""
        return None if self.observed is None else self.observed / self.compiled


@dataclasses.dataclass(frozen=True)
class Waste:
    """Bytes of HBM on each device that hold nothing.

    Attributes:
        kind: what they are wasted on.
        owner: the name of the table, or of the stack of tables.
        bytes: how many.
        of: the bytes that they are a part of.
        note: what is padded to what.
    """

    kind: WasteKind
    owner: str
    bytes: int
    of: int
    note: str


def waste_of(
    ledger: Ledger,
    shapes: Sequence[StackShape],
    limits: Sequence[LimitUse] = (),
    ids: Mapping[str, float] | None = None,
) -> tuple[Waste, ...]:
    """Return what is wasted, the most first.

    Args:
        ledger: the ledger, whose entries have the names of stacks as owners.
        shapes: the stacks.
        limits: their limits; those that were observed.
        ids: how many ids a device has in a batch, on average, by the name of the stack; None: unknown.
    """
    found = [each for shape in shapes for each in _of_stack(ledger, shape)]
    by_stack = {each.stack: each for each in limits if each.name == "max_unique_ids_per_partition"}
    found += _of_limits(ledger, by_stack)
    found += _of_entries(ledger, ids or {})
    return tuple(sorted((each for each in found if each.bytes), key=lambda each: -each.bytes))


def _of_stack(ledger: Ledger, shape: StackShape) -> Iterator[Waste]:
    entries = [
        each
        for each in ledger.entries
        if each.owner == shape.name and each.kind in ("table", "slot")
    ]
    held = sum(each.bytes for each in entries)
    table = next((each for each in entries if each.kind == "table"), None)
    if table is None:
        return
    vocabulary = sum(rows for _, rows, _ in shape.tables)
    padded = shape.rows - vocabulary
    rows_note = f"{vocabulary:,} rows padded to {shape.rows:,}"
    by_rows = sum(each.bytes * padded // shape.rows for each in entries)
    yield Waste("vocabulary padding", shape.name, by_rows, held, rows_note)
    # A slot with one number for each row has no columns to pad.
    whole = [each for each in entries if each.bytes >= table.bytes or shape.width == 1]
    for name, rows, width in shape.tables:
        columns = (shape.width - width) * rows
        wasted = sum(each.bytes * columns // (shape.rows * shape.width) for each in whole)
        of = sum(each.bytes * rows // shape.rows for each in whole)
        note = f"{width} columns padded to {shape.width}"
        yield Waste("row padding", name, wasted, of, note)


def _of_entries(ledger: Ledger, ids: Mapping[str, float]) -> Iterator[Waste]:
    for stack, count in ids.items():
        held = [
            each
            for each in ledger.entries
            if each.kind == "input" and each.owner == stack and each.name in _ENTRIES
        ]
        size = _ONE_SIZE.match(held[0].note) if held else None
        if size is None:
            continue
        of, room = sum(each.bytes for each in held), int(size[1])
        empty = max(0.0, 1 - count / room)
        note = f"room for {room:,} entries, {count:,.0f} ids on average"
        yield Waste("entries", stack, round(of * empty), of, note)


def _of_limits(ledger: Ledger, by_stack: Mapping[str, LimitUse]) -> Iterator[Waste]:
    for each in ledger.entries:
        use = by_stack.get(each.owner) if each.kind == "stack" else None
        if use is None or use.observed is None or use.observed >= use.compiled:
            continue
        needed = each.bytes * max(use.observed, 1) // use.compiled
        note = f"{each.name}: {use.name} is {use.compiled:,}, observed {use.observed:,}"
        yield Waste("limit", each.owner, each.bytes - needed, each.bytes, note)
