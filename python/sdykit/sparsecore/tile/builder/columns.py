"""The columns of a row as vectors: of the chip's width, and narrower ones for what is left."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sdykit.core.sparsecore.elements import element_bytes
from sdykit.core.sparsecore.names import COLUMNS
from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.ops import Builder

_MAX_VECTORS = 16
"""Vectors that a pass over a row keeps in registers."""
_LINE_BYTES = 64


@dataclass(frozen=True)
class Columns:
    """Adjacent columns of a row, as one vector for each width.

    Attributes:
        start: the first column.
        widths: the number of columns in each vector.
    """

    start: ir.Value
    widths: tuple[int, ...]

    def zeros(self, b: Builder) -> list[ir.Value]:
        """Return vectors of +0.0."""
        return [b.constant("dense<0.0>", f"vector<{width}xf32>") for width in self.widths]

    def starts(self, b: Builder) -> list[ir.Value]:
        """Return the first column of each vector."""
        offsets = [sum(self.widths[:k]) for k in range(len(self.widths))]
        return [b.add(self.start, offset) for offset in offsets]

    def load(self, b: Builder, buffer: ir.Value, row: ir.Value) -> list[ir.Value]:
        """Load these columns of a row."""
        return [
            b.load_vector(buffer, [row, start], width)
            for start, width in zip(self.starts(b), self.widths, strict=True)
        ]

    def store(
        self,
        b: Builder,
        values: Sequence[ir.Value],
        buffer: ir.Value,
        row: ir.Value,
        **attributes: str,
    ) -> None:
        """Store to these columns of a row."""
        for start, value in zip(self.starts(b), values, strict=True):
            b.store_vector(value, buffer, [row, start], **attributes)

    def prefetch(self, b: Builder, buffer: ir.Value, row: ir.Value) -> None:
        """Prefetch these columns of a row; the buffer begins at the start of a cache line."""
        type_ = ir.MemRefType(buffer.type)
        element = element_bytes(type_.element_type)
        line, row_bytes = _LINE_BYTES // element, type_.shape[-1] * element
        count = sum(self.widths)
        for offset in range(0, count, line):
            b.prefetch(buffer, row, b.add(self.start, offset))
        # A row that begins within a line may end in one more.
        starts_a_line = row_bytes % _LINE_BYTES == 0 or _LINE_BYTES % row_bytes == 0
        if not starts_a_line and count % line != 1:
            b.prefetch(buffer, row, b.add(self.start, count - 1))


def for_columns(
    b: Builder,
    dim: int,
    lanes: int,
    body: Callable[..., Sequence[ir.Value]],
    carried: Sequence[ir.Value] = (),
) -> Sequence[ir.Value]:
    """Add a pass over a row for each group of columns that registers can hold.

    Args:
        b: the builder that ops are added with.
        dim: the number of columns of a row.
        lanes: the number of columns in a vector of the chip.
        body: adds a pass; called with the columns and the carried values, it returns those that
            the next pass is called with.
        carried: the carried values that the first pass is called with.

    Returns:
        The carried values that the last pass returned.
    """
    group = lanes * _MAX_VECTORS
    whole = dim // group

    def full(number: ir.Value | int, *values: ir.Value) -> Sequence[ir.Value]:
        return body(Columns(b.mul(number, group), (lanes,) * _MAX_VECTORS), *values)

    def last(_: ir.Value | int, *values: ir.Value) -> Sequence[ir.Value]:
        return body(Columns(b.at(whole * group), rest), *values)

    rest = widths(dim - whole * group, lanes)
    if whole > 1:
        carried = b.loop(0, whole, full, carried, marks=[COLUMNS])
    elif whole:
        carried = full(0, *carried)
    if rest:
        carried = last(0, *carried)
    return carried


def add_scaled(
    b: Builder, sums: Sequence[ir.Value], values: Sequence[ir.Value], gain: ir.Value | None
) -> list[ir.Value]:
    """Return `sum + gain * value` for each vector, product and sum rounded each.

    Args:
        b: the builder that ops are added with.
        sums: vectors of float32.
        values: vectors of float32, as many.
        gain: a float32 scalar; None stands for 1, which changes no bit of a number.
    """
    if gain is not None:
        values = [b.floats("arith.mulf", b.splat(gain, value.type), value) for value in values]
    return [b.floats("arith.addf", *pair) for pair in zip(sums, values, strict=True)]


def all_columns(b: Builder, dim: int, lanes: int) -> Columns:
    """Return all columns of a row."""
    return Columns(b.at(0), widths(dim, lanes))


def first_columns(b: Builder, dim: int, lanes: int) -> Columns:
    """Return the columns of the first pass of `for_columns`."""
    return Columns(b.at(0), widths(min(dim, lanes * _MAX_VECTORS), lanes))


def widths(count: int, lanes: int) -> tuple[int, ...]:
    """Split columns into whole vectors, then into ever narrower ones: 13 is 8, 4 and 1."""
    found = [lanes] * (count // lanes)
    count %= lanes
    while lanes > 1:
        lanes //= 2
        if count >= lanes:
            found.append(lanes)
            count -= lanes
    return tuple(found)
