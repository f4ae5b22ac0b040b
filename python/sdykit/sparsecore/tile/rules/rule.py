"""What is done to a row: first what a rule reduces over it, then the row and its slots.

A rule gets a vector of the row at a time. It is a generator that yields what it wants reduced over
the row, is sent the result, and returns vectors of the row and of its slots.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sdykit.mlir import ir
from sdykit.sparsecore.optimizers.rounding import ROW_LANES
from sdykit.sparsecore.tile.builder.columns import Columns
from sdykit.sparsecore.tile.builder.numbers import Number
from sdykit.sparsecore.tile.builder.ops import Builder

Slots = dict[str, Number]
Scalars = Mapping[str, Number]
KINDS: Mapping[str, str] = {
    "arith.addf": "0.0",
    "arith.maximumf": "0xFF800000",
    "arith.minimumf": "0x7F800000",
    "arith.mulf": "1.0",
}
"""Ops that rows are reduced by, and the number that changes nothing."""


class Reduction(NamedTuple):
    """What a rule wants reduced over a row: by which op, and a vector of the row's elements."""

    kind: str
    value: Number


class Given(NamedTuple):
    """A vector of what a rule gets.

    Attributes:
        gradient: of the row.
        row: of the table.
        slots: by name; those with one number for each row are scalars.
        scalars: hyperparameters, by name.
    """

    gradient: Number
    row: Number
    slots: Slots
    scalars: Scalars


Result = tuple[Number, Slots]
Rule = Callable[[Given], Generator[Reduction, Number, Result]]


def reductions_of(
    context: ir.Context, rule: Rule, slots: Mapping[str, bool], scalars: Sequence[str]
) -> tuple[str, ...]:
    """Return the kinds of a rule's reductions, in its order.

    Args:
        context: of the program.
        rule: which is run once, outside of the program.
        slots: names, and whether there is one number for each row.
        scalars: names of the hyperparameters.
    """
    scratch = ir.Module.create()
    b = Builder(context, scratch.body)
    with ir.InsertionPoint(scratch.body):
        row = Number(b, b.constant("dense<0.0>", "vector<1xf32>"))
        one = Number(b, b.constant("0.0", "f32"))
        held = {name: one if is_single else row for name, is_single in slots.items()}
        steps = rule(Given(row, row, held, dict.fromkeys(scalars, one)))
        kinds: list[str] = []
        try:
            kinds.append(next(steps).kind)
            while True:
                kinds.append(steps.send(one).kind)
        except StopIteration:
            return tuple(kinds)


def next_reduction(steps: Generator[Reduction, Number, Result], known: Sequence[Number]) -> Number:
    """Return the vector that a rule wants reduced once it knows some results."""
    found = next(steps)
    for each in known:
        found = steps.send(each)
    steps.close()
    return found.value


def result_of(steps: Generator[Reduction, Number, Result], known: Sequence[Number]) -> Result:
    """Return what a rule gives once it knows all results."""
    try:
        next(steps)
        for each in known:
            steps.send(each)
    except StopIteration as end:
        return end.value
    raise AssertionError("a rule has another reduction")


@dataclass(frozen=True)
class RowTotal:
    """Reduces a row in the order of `sdykit.sparsecore.optimizers.rounding.row_sum`.

    Attributes:
        builder: where ops are added.
        kind: which op.
    """

    builder: Builder
    kind: str

    def start(self) -> ir.Value:
        """Return what vectors are added to."""
        return self.builder.constant(f"dense<{KINDS[self.kind]}>", f"vector<{ROW_LANES}xf32>")

    def add(self, total: ir.Value, columns: Columns, values: Sequence[ir.Value]) -> ir.Value:
        """Add the vectors of some columns, the first of which is a multiple of `ROW_LANES`."""
        b, block, filled = self.builder, self.start(), 0
        for width, value in zip(columns.widths, values, strict=True):
            for offset in range(0, width, ROW_LANES):
                size = min(width, ROW_LANES)
                piece = value if size == width else self._part(value, offset, size)
                if size < ROW_LANES:
                    piece = self._within(block, piece, filled)
                filled += size
                block = piece
                if filled == ROW_LANES:
                    total, block, filled = b.floats(self.kind, total, piece), self.start(), 0
        return b.floats(self.kind, total, block) if filled else total

    def end(self, total: ir.Value) -> Number:
        """Return the row's total, a scalar."""
        b, half = self.builder, ROW_LANES
        while half > 1:
            half //= 2
            parts = [self._part(total, offset, half) for offset in (0, half)]
            total = b.floats(self.kind, *parts)
        return Number(b, first_of(b, total))

    def _part(self, value: ir.Value, offset: int, size: int) -> ir.Value:
        return self.builder.op(
            "vector.extract_strided_slice",
            [value],
            [self.builder.type(f"vector<{size}xf32>")],
            offsets=f"[{offset}]",
            sizes=f"[{size}]",
            strides="[1]",
        ).result

    def _within(self, block: ir.Value, piece: ir.Value, offset: int) -> ir.Value:
        return self.builder.op(
            "vector.insert_strided_slice",
            [piece, block],
            [block.type],
            offsets=f"[{offset}]",
            strides="[1]",
        ).result


def first_of(b: Builder, value: ir.Value) -> ir.Value:
    """Return the first element of a vector, or the scalar itself."""
    if not isinstance(value.type, ir.VectorType):
        return value
    position = "array<i64: 0>"
    return b.op("vector.extract", [value], [b.type("f32")], static_position=position).result
