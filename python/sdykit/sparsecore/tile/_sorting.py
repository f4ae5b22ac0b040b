"""The entries of each partition in the order of their rows: what comes before an update."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sdykit.mlir import ir
from sdykit.sparsecore.tile._builder import Builder
from sdykit.sparsecore.tile._collecting import make_collector
from sdykit.sparsecore.tile._words import ROW_SHIFT
from sdykit.sparsecore.tile.spec import TileSpec

DIGIT_BITS = 11
"""Most bits that a pass sorts by; the counters then stay in the fastest cache."""


@dataclass(frozen=True)
class Digit:
    """What a pass sorts by: some bits of the row.

    Attributes:
        shift: where they are in a word.
        mask: as many ones.
    """

    shift: ir.Value
    mask: ir.Value

    def of(self, b: Builder, word: ir.Value) -> ir.Value:
        """Give the digit of a word."""
        return b.bits("arith.andi", b.bits("arith.shrui", word, self.shift), self.mask)


def digits_of(b: Builder, rows: ir.Value, number: ir.Value) -> tuple[ir.Value, Digit]:
    """Give how many passes rows take, at least one, and what one of them sorts by.

    Args:
        b: where ops are added.
        rows: how many there are.
        number: of the pass; the first sorts by the lowest bits.
    """
    bits = b.bit_length(b.sub(rows, 1))
    passes = b.most(b.div(b.add(bits, DIGIT_BITS - 1), DIGIT_BITS), 1)
    width = b.div(b.add(bits, b.sub(passes, 1)), passes)
    mask = b.sub(b.bits("arith.shli", 1, width), 1)
    return passes, Digit(b.add(b.mul(number, width), ROW_SHIFT), mask)


@dataclass(frozen=True)
class Sorter:
    """Sorts the words of a partition, stably, by row.

    They move between the two copies, one pass for each digit.

    Attributes:
        builder: where ops are added.
        spec: of the update.
        arguments: of the program.
        partition: whose entries; counted within the device.
    """

    builder: Builder
    spec: TileSpec
    arguments: Mapping[str, ir.Value]
    partition: ir.Value

    def sort(self, begin: ir.Value, end: ir.Value) -> None:
        """Sort a range of `words`; write begin, end and copy to `parts`."""
        b = self.builder
        counters = b.spmem([2**DIGIT_BITS], "i32")
        rows = b.div(b.dim(self.arguments["table"], 0), self.spec.sparse_cores)
        passes, _ = digits_of(b, rows, b.at(0))

        def one_pass(number: ir.Value) -> tuple[()]:
            _, digit = digits_of(b, rows, number)
            copy = b.bits("arith.andi", number, 1)
            self._count(counters, copy, digit, begin, end)
            self._scatter(counters, copy, digit, begin, end)
            return ()

        b.loop(0, passes, one_pass)
        last = b.bits("arith.andi", passes, 1)
        for number, value in enumerate((begin, end, last)):
            b.store(b.to_integer(value, "i32"), self.arguments["parts"], self.partition, number)

    def _count(
        self, counters: ir.Value, copy: ir.Value, digit: Digit, begin: ir.Value, end: ir.Value
    ) -> None:
        """Set the counters to where each digit's words go."""
        b = self.builder
        one = b.constant("1", "i32")

        def clear(number: ir.Value) -> tuple[()]:
            b.store(b.constant("0", "i32"), counters, number)
            return ()

        def count(position: ir.Value) -> tuple[()]:
            word = b.load_index(self.arguments["words"], copy, position)
            which = digit.of(b, word)
            b.store(b.integers("arith.addi", b.load(counters, which), one), counters, which)
            return ()

        def sum_up(number: ir.Value, total: ir.Value) -> list[ir.Value]:
            found = b.load(counters, number)
            b.store(total, counters, number)
            return [b.integers("arith.addi", total, found)]

        values = b.add(digit.mask, 1)
        b.loop(0, values, clear)
        b.loop(begin, end, count)
        b.loop(0, values, sum_up, [b.to_integer(begin, "i32")])

    def _scatter(
        self, counters: ir.Value, copy: ir.Value, digit: Digit, begin: ir.Value, end: ir.Value
    ) -> None:
        """Move the words to the other copy."""
        b = self.builder
        words = self.arguments["words"]
        other = b.sub(1, copy)
        one = b.constant("1", "i32")

        def move(position: ir.Value) -> tuple[()]:
            word = b.load(words, copy, position)
            which = digit.of(b, b.to_index(word))
            to = b.load(counters, which)
            b.store(b.integers("arith.addi", to, one), counters, which)
            b.store(word, words, other, b.to_index(to))
            return ()

        b.loop(begin, end, move)


def add_sort_phase(b: Builder, spec: TileSpec, arguments: Mapping[str, ir.Value]) -> None:
    """Add a phase over this device's partitions, whose sequencers sort the entries by row."""

    def sequencer(partition: ir.Value) -> None:
        begin, end = make_collector(b, spec, arguments, partition).collect()
        Sorter(b, spec, arguments, partition).sort(begin, end)

    b.phase([spec.sparse_cores], sequencer)
