"""The entries of each partition in the order of their rows: what comes before an update."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.checks.buffers import EntryChecks
from sdykit.sparsecore.tile.entries.segments import segments_of
from sdykit.sparsecore.tile.spec import AnyUpdateSpec, TileSpec
from sdykit.sparsecore.tile.update.collecting import Collector
from sdykit.sparsecore.tile.update.words import ROW_SHIFT, Words, words_of

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
        words: of the partition.
        partition: whose entries; counted within the device.
    """

    builder: Builder
    spec: TileSpec
    arguments: Mapping[str, ir.Value]
    words: Words
    partition: ir.Value

    def sort(self, begin: ir.Value, end: ir.Value) -> None:
        """Sort all words; write begin, end and copy to `parts`.

        Args:
            begin: where the words are to be in the workspace.
            end: behind the last of them.
        """
        b, count = self.builder, self.builder.sub(end, begin)
        counters = b.spmem([2**DIGIT_BITS], "i32")
        rows = b.div(b.dim(self.arguments["table"], 0), self.spec.sparse_cores)
        passes, _ = digits_of(b, rows, b.at(0))

        def one_pass(number: ir.Value) -> tuple[()]:
            _, digit = digits_of(b, rows, number)
            copy = b.bits("arith.andi", number, 1)
            self._count(counters, copy, digit, count)
            self._scatter(counters, copy, digit, count)
            return ()

        b.loop(0, passes, one_pass)
        last = b.bits("arith.andi", passes, 1)
        for number, value in enumerate((begin, end, last)):
            b.store(b.to_integer(value, "i32"), self.arguments["parts"], self.partition, number)

    def _count(self, counters: ir.Value, copy: ir.Value, digit: Digit, words: ir.Value) -> None:
        """Set the counters to where each digit's words go."""
        b = self.builder
        one = b.constant("1", "i32")

        def clear(number: ir.Value) -> tuple[()]:
            b.store(b.constant("0", "i32"), counters, number)
            return ()

        def count(position: ir.Value) -> tuple[()]:
            which = digit.of(b, self.words.word(copy, position))
            b.store(b.integers("arith.addi", b.load(counters, which), one), counters, which)
            return ()

        def sum_up(number: ir.Value, total: ir.Value) -> list[ir.Value]:
            found = b.load(counters, number)
            b.store(total, counters, number)
            return [b.integers("arith.addi", total, found)]

        values = b.add(digit.mask, 1)
        b.loop(0, values, clear)
        b.loop(0, words, count)
        b.loop(0, values, sum_up, [b.constant("0", "i32")])

    def _scatter(self, counters: ir.Value, copy: ir.Value, digit: Digit, count: ir.Value) -> None:
        """Move the words to the other copy."""
        b = self.builder
        words, other = self.words.words, b.sub(1, copy)
        one = b.constant("1", "i32")

        def move(position: ir.Value) -> tuple[()]:
            word = b.load(words, copy, position)
            which = digit.of(b, b.to_index(word))
            to = b.load(counters, which)
            b.store(b.integers("arith.addi", to, one), counters, which)
            b.store(word, words, other, b.to_index(to))
            return ()

        b.loop(0, count, move)


def add_sort_phase(b: Builder, spec: AnyUpdateSpec, arguments: Mapping[str, ir.Value]) -> None:
    """Add a phase over this device's partitions, whose sequencers sort the entries by row.

    Buffers that do not fit are an error, and nothing is done with them.

    The tiles of a SparseCore hold two copies of the words together, each a share.
    """

    def sequencer(partition: ir.Value) -> None:
        segments = segments_of(b, spec, arguments)
        checks = EntryChecks(b, spec, arguments, segments)
        collector = Collector(b, spec, arguments, segments, checks, partition)

        def sort() -> None:
            begin, end = collector.measure()
            count = b.sub(end, begin)
            target = b.columns_of(arguments["words"], begin, count)
            held = b.spmem([2, spec.held_ids], "i64", **_marks_of(spec))
            words = dataclasses.replace(words_of(b, arguments), words=held)
            collector.collect(words, begin)
            Sorter(b, spec, arguments, words, partition).sort(begin, end)
            b.copy(b.columns_of(held, 0, count), target)

        checks.partition(partition)
        checks.if_right(sort)

    b.phase([spec.sparse_cores], sequencer)


def _marks_of(spec: AnyUpdateSpec) -> dict[str, str]:
    """Say where words are to be, and what an error says of them."""
    return {
        "sparsecore.gather_operand": f'"{spec.staging}"',
        "sparsecore.sizes": '"copies x ids of a partition"',
        "sparsecore.limit": '"max_ids_per_partition"',
        "sparsecore.tiles": f"{spec.hardware.tiles_per_sparse_core} : i64",
    }
