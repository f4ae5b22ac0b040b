"""The columns of rows, in vectors of the chip's width and narrower ones for the rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.ops import Builder

_VECTORS = 16
"""What a pass over a row keeps in registers, at most."""
_LINE_BYTES = 64


@dataclass(frozen=True)
class Columns:
    """Some columns of a row: a vector for each width, side by side.

    Attributes:
        start: the first column.
        widths: of the vectors.
    """

    start: ir.Value
    widths: tuple[int, ...]

    def zeros(self, b: Builder) -> list[ir.Value]:
        """Give vectors of +0."""
        return [b.constant("dense<0.0>", f"vector<{width}xf32>") for width in self.widths]

    def starts(self, b: Builder) -> list[ir.Value]:
        """Give the first column of each vector."""
        offsets = [sum(self.widths[:k]) for k in range(len(self.widths))]
        return [b.add(self.start, offset) for offset in offsets]

    def load(self, b: Builder, buffer: ir.Value, row: ir.Value) -> list[ir.Value]:
        """Load from a row."""
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
        """Store to a row."""
        for start, value in zip(self.starts(b), values, strict=True):
            b.store_vector(value, buffer, [row, start], **attributes)

    def prefetch(
        self,
        b: Builder,
        buffer: ir.Value,
        row: ir.Value,
        *,
        locality: int = 3,
    ) -> None:
        """Ask for the cache lines of these columns of a row; the buffer begins with a line."""
        type_ = ir.MemRefType(buffer.type)
        element = _bits(type_.element_type) // 8
        line, row_bytes = _LINE_BYTES // element, type_.shape[-1] * element
        count = sum(self.widths)
        for offset in range(0, count, line):
            b.prefetch(buffer, row, b.add(self.start, offset), locality=locality)
        # Other rows may begin within a line, and then end in one more.
        begins_with_line = row_bytes % _LINE_BYTES == 0 or _LINE_BYTES % row_bytes == 0
        if not begins_with_line and count % line != 1:
            b.prefetch(buffer, row, b.add(self.start, count - 1), locality=locality)


def _bits(element: ir.Type) -> int:
    return element.width if isinstance(element, (ir.IntegerType, ir.FloatType)) else 64


def for_columns(
    b: Builder,
    dim: int,
    lanes: int,
    body: Callable[..., Sequence[ir.Value]],
    carried: Sequence[ir.Value] = (),
    *,
    apart: bool = False,
) -> Sequence[ir.Value]:
    """Add a pass over a row for each group of columns that registers can hold.

    Args:
        b: where to.
        dim: columns of a row.
        lanes: of the chip.
        body: gets the columns and what the last pass gave; gives what the next one gets.
        carried: what the first one gets.
        apart: whether each of several groups has a loop, that of a single round as well.

    Returns:
        What the last one gave.
    """
    group = lanes * _VECTORS
    whole = dim // group

    def full(number: ir.Value | int, *values: ir.Value) -> Sequence[ir.Value]:
        return body(Columns(b.mul(number, group), (lanes,) * _VECTORS), *values)

    def last(_: ir.Value | int, *values: ir.Value) -> Sequence[ir.Value]:
        return body(Columns(b.at(whole * group), rest), *values)

    rest = widths(dim - whole * group, lanes)
    has_loops = apart and dim > group
    if whole > 1 or (whole and has_loops):
        carried = b.loop(0, whole, full, carried)
    elif whole:
        carried = full(0, *carried)
    if rest:
        carried = b.loop(0, 1, last, carried) if has_loops else last(0, *carried)
    return carried


def add_scaled(
    b: Builder, sums: Sequence[ir.Value], values: Sequence[ir.Value], gain: ir.Value | None
) -> list[ir.Value]:
    """Add `gain * value` to sums, product and sum rounded each.

    Args:
        b: where ops are added.
        sums: vectors of float32.
        values: the same.
        gain: a scalar; None: 1, which changes no bit of a number.
    """
    if gain is not None:
        values = [b.floats("arith.mulf", b.splat(gain, value.type), value) for value in values]
    return [b.floats("arith.addf", *pair) for pair in zip(sums, values, strict=True)]


def all_columns(b: Builder, dim: int, lanes: int) -> Columns:
    """Give the columns of a row, however many."""
    return Columns(b.at(0), widths(dim, lanes))


def first_columns(b: Builder, dim: int, lanes: int) -> Columns:
    """Give the columns of the first of these passes."""
    return Columns(b.at(0), widths(min(dim, lanes * _VECTORS), lanes))


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
