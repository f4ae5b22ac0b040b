"""The digits of a row that entries of raw ids are sorted by, two or three."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial, reduce

from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.update.radix_sort import DIGIT_BITS, Digit
from sdykit.sparsecore.tile.update.words import ROW_SHIFT

COUNTERS = 2**DIGIT_BITS
"""The number of counters that a digit takes at most."""
AT_ONCE = 8
"""Counters that are cleared at once."""
STARTS_COLUMNS = COUNTERS + AT_ONCE
"""The number of columns of `starts`: one for each digit, and the end of the last one."""


@dataclass(frozen=True)
class RowDigits:
    """The digits of rows, of as many bits each.

    Attributes:
        builder: the builder that ops are added with.
        passes: the number of digits: 2, or 3 of rows of more than `2 * DIGIT_BITS` bits.
        width: the number of bits of a digit.
        mask: as many ones.
    """

    builder: Builder
    passes: ir.Value
    width: ir.Value
    mask: ir.Value

    @staticmethod
    def of(b: Builder, rows: ir.Value) -> RowDigits:
        """Return the digits of rows, of which there are so many."""
        bits = b.bit_length(b.sub(rows, 1))
        passes = b.maximum(b.div(b.add(bits, DIGIT_BITS - 1), DIGIT_BITS), 2)
        width = b.div(b.add(bits, b.sub(passes, 1)), passes)
        return RowDigits(b, passes, width, b.sub(b.bits("arith.shli", 1, width), 1))

    @property
    def count(self) -> ir.Value:
        """The number of values of a digit."""
        return self.builder.add(self.mask, 1)

    def digit(self, number: int) -> Digit:
        """Return the digit of a pass; pass 0 sorts by the lowest bits."""
        b = self.builder
        return Digit(b.add(b.mul(self.width, number), ROW_SHIFT), self.mask)

    def copy(self, number: int) -> ir.Value:
        """Return the copy of the words that a pass writes; the last one writes the first copy."""
        b = self.builder
        return b.bits("arith.andi", b.sub(b.sub(self.passes, 1), number), 1)


@dataclass(frozen=True)
class Counters:
    """A counter for each value of a digit, first of words, then the next position of them.

    Words may be counted in several copies: a row that many words in succession have is then no chain
    of additions that wait for each other.

    Attributes:
        builder: the builder that ops are added with.
        counters: the counters, i32 `[copies, STARTS_COLUMNS]`, in the scratch memory of a thread.
        count: the number of values.
    """

    builder: Builder
    counters: ir.Value
    count: ir.Value

    @staticmethod
    def cleared(b: Builder, count: ir.Value, copies: int = 1) -> Counters:
        """Return counters that are 0, and one more."""
        counters = b.spmem([copies, STARTS_COLUMNS], "i32")
        zeros = b.constant("dense<0>", f"vector<{AT_ONCE}xi32>")

        def clear(which: ir.Value) -> tuple[()]:
            for copy in range(copies):
                b.store_vector(zeros, counters, [copy, which])
            return ()

        b.loop(0, b.add(count, 1), clear, step=AT_ONCE)
        return Counters(b, counters, count)

    def next(self, which: ir.Value, copy: int = 0) -> ir.Value:
        """Return a counter, and add 1 to it."""
        b = self.builder
        found = b.load(self.counters, copy, which)
        b.store(b.integers("arith.addi", found, b.constant("1", "i32")), self.counters, copy, which)
        return b.to_index(found)

    def become_positions(self, first: ir.Value) -> ir.Value:
        """Replace counts by the position of the first word of each value; return the end of the last.

        The positions are in the first copy.

        Args:
            first: the position of the first word of all.
        """
        b, copies = self.builder, ir.MemRefType(self.counters.type).shape[0]

        def add_up(which: ir.Value, total: ir.Value) -> list[ir.Value]:
            found = [b.load(self.counters, copy, which) for copy in range(copies)]
            b.store(total, self.counters, 0, which)
            return [reduce(partial(b.integers, "arith.addi"), found, total)]

        return b.loop(0, self.count, add_up, [b.to_integer(first, "i32")])[0]
