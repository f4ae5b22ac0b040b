"""Rules: what an update does to a row and its slots.

A rule is a generator function that is called with one vector of the row at a time. It yields each
reduction over the row that it needs, is sent the result, and returns the new vectors of the row and
of its slots.
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
"""Ops that rows are reduced by, and the neutral element of each."""


class Reduction(NamedTuple):
    """A reduction over a row that a rule asks for: the op, and a vector of the values to reduce."""

    kind: str
    value: Number


class RuleInputs(NamedTuple):
    """The vectors that a rule is called with.

    Attributes:
        gradient: a vector of the gradient of the row.
        row: a vector of the row.
        slots: a vector of each slot, by name; a scalar if it has one number for each row.
        scalars: the hyperparameters, by name.
    """

    gradient: Number
    row: Number
    slots: Slots
    scalars: Scalars


Result = tuple[Number, Slots]
Rule = Callable[[RuleInputs], Generator[Reduction, Number, Result]]


def reductions_of(
    context: ir.Context, rule: Rule, slots: Mapping[str, bool], scalars: Sequence[str]
) -> tuple[str, ...]:
    """Return the op of each reduction that a rule asks for, in order.

    Args:
        context: the MLIR context of the program.
        rule: the rule, which is run once outside of the program.
        slots: for each slot, by name, whether it has one number for each row.
        scalars: the names of the hyperparameters.
    """
    scratch = ir.Module.create()
    b = Builder(context, scratch.body)
    with ir.InsertionPoint(scratch.body):
        row = Number(b, b.constant("dense<0.0>", "vector<1xf32>"))
        one = Number(b, b.constant("0.0", "f32"))
        inputs = {name: one if is_single else row for name, is_single in slots.items()}
        steps = rule(RuleInputs(row, row, inputs, dict.fromkeys(scalars, one)))
        kinds: list[str] = []
        try:
            kinds.append(next(steps).kind)
            while True:
                kinds.append(steps.send(one).kind)
        except StopIteration:
            return tuple(kinds)


def next_reduction(steps: Generator[Reduction, Number, Result], known: Sequence[Number]) -> Number:
    """Return the vector that a rule wants reduced next, after some known results."""
    found = next(steps)
    for each in known:
        found = steps.send(each)
    steps.close()
    return found.value


def result_of(steps: Generator[Reduction, Number, Result], known: Sequence[Number]) -> Result:
    """Return the new row and slots of a rule, after the results of all its reductions."""
    try:
        next(steps)
        for each in known:
            steps.send(each)
    except StopIteration as end:
        return end.value
    raise AssertionError("a rule asks for more reductions than when it was run first")


@dataclass(frozen=True)
class RowTotal:
    """Reduces a row in the order of `sdykit.sparsecore.optimizers.rounding.row_sum`.

    Attributes:
        builder: the builder that ops are added with.
        kind: the op, one of `KINDS`.
    """

    builder: Builder
    kind: str

    def start(self) -> ir.Value:
        """Return the value that vectors are added to first."""
        return self.builder.constant(f"dense<{KINDS[self.kind]}>", f"vector<{ROW_LANES}xf32>")

    def add(self, total: ir.Value, columns: Columns, values: Sequence[ir.Value]) -> ir.Value:
        """Add the vectors of some columns; the first column is a multiple of `ROW_LANES`."""
        b, block, filled = self.builder, self.start(), 0
        for width, value in zip(columns.widths, values, strict=True):
            for offset in range(0, width, ROW_LANES):
                size = min(width, ROW_LANES)
                piece = value if size == width else b.slice_vector(value, offset, size)
                if size < ROW_LANES:
                    piece = self._within(block, piece, filled)
                filled += size
                block = piece
                if filled == ROW_LANES:
                    total, block, filled = b.floats(self.kind, total, piece), self.start(), 0
        return b.floats(self.kind, total, block) if filled else total

    def end(self, total: ir.Value) -> Number:
        """Return the total of the row, a scalar."""
        b, half = self.builder, ROW_LANES
        while half > 1:
            half //= 2
            parts = [b.slice_vector(total, offset, half) for offset in (0, half)]
            total = b.floats(self.kind, *parts)
        return Number(b, first_of(b, total))

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
