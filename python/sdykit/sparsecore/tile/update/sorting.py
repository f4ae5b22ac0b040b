"""The step `sort` of an update: a phase that sorts the entries of each partition by row."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

from sdykit.core.sparsecore.steps import SORT
from sdykit.mlir import ir
from sdykit.sparsecore.tile.arguments import source_arguments
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.builder.steps import step_attributes
from sdykit.sparsecore.tile.checks.buffers import EntryChecks
from sdykit.sparsecore.tile.entries.segments import segments_of
from sdykit.sparsecore.tile.spec import AnyUpdateSpec, TileSpec
from sdykit.sparsecore.tile.update.collecting import Collector
from sdykit.sparsecore.tile.update.held import hold_words
from sdykit.sparsecore.tile.update.words import ROW_SHIFT, Words, words_of

DIGIT_BITS = 11
"""The maximum number of bits that a pass sorts by, so that the counters stay in the first cache."""


@dataclass(frozen=True)
class Digit:
    """The bits of a row that a pass sorts by.

    Attributes:
        shift: the position of the lowest of these bits in a word.
        mask: as many ones as there are bits.
    """

    shift: ir.Value
    mask: ir.Value

    def of(self, b: Builder, word: ir.Value) -> ir.Value:
        """Return the digit of a word."""
        return b.bits("arith.andi", b.bits("arith.shrui", word, self.shift), self.mask)


def digits_of(b: Builder, rows: ir.Value, number: ir.Value) -> tuple[ir.Value, Digit]:
    """Return the number of passes that rows take, at least one, and the digit of one of them.

    Args:
        b: the builder that ops are added with.
        rows: the number of rows.
        number: the number of the pass; pass 0 sorts by the lowest bits.
    """
    bits = b.bit_length(b.sub(rows, 1))
    passes = b.maximum(b.div(b.add(bits, DIGIT_BITS - 1), DIGIT_BITS), 1)
    width = b.div(b.add(bits, b.sub(passes, 1)), passes)
    mask = b.sub(b.bits("arith.shli", 1, width), 1)
    return passes, Digit(b.add(b.mul(number, width), ROW_SHIFT), mask)


@dataclass(frozen=True)
class Sorter:
    """Sorts the words of a partition, stably, by row.

    They move between the two copies, one pass for each digit.

    Attributes:
        builder: the builder that ops are added with.
        spec: the spec of the update.
        arguments: the arguments of the program, by name.
        words: the words of the partition.
        partition: the partition, counted within the device.
    """

    builder: Builder
    spec: TileSpec
    arguments: Mapping[str, ir.Value]
    words: Words
    partition: ir.Value

    def sort(self, begin: ir.Value, end: ir.Value, count: ir.Value) -> None:
        """Sort all words; write `begin`, `end`, and which copy is sorted, to `parts`.

        Args:
            begin: the position of the first word in the workspace.
            end: one past the position of the last word.
            count: the number of words.
        """
        b = self.builder
        counters = b.spmem([2**DIGIT_BITS], "i32")
        last = self.passes(counters, count, None)
        for number, value in enumerate((begin, end, last)):
            b.store(b.to_integer(value, "i32"), self.arguments["parts"], self.partition, number)

    def passes(
        self, counters: ir.Value, count: ir.Value, attributes: Mapping[str, str] | None
    ) -> ir.Value:
        """Add the loop over the passes that sort the first `count` words.

        Args:
            counters: a counter for each digit, i32.
            count: the number of words.
            attributes: the texts of attributes of the loop, by name.

        Returns:
            The number of the copy that is sorted.
        """
        b = self.builder
        rows = b.div(b.dim(self.arguments["table"], 0), self.spec.sparse_cores)
        passes, _ = digits_of(b, rows, b.at(0))

        def one_pass(number: ir.Value) -> tuple[()]:
            _, digit = digits_of(b, rows, number)
            copy = b.bits("arith.andi", number, 1)
            self._count(counters, copy, digit, count)
            self._scatter(counters, copy, digit, count)
            return ()

        b.loop(0, passes, one_pass, attributes=attributes)
        return b.bits("arith.andi", passes, 1)

    def _count(self, counters: ir.Value, copy: ir.Value, digit: Digit, words: ir.Value) -> None:
        """Set the counters to the position of the first word of each digit."""
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
        """Move the words to their places in the other copy."""
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
    """Add the step over this device's partitions, whose sequencers sort the entries by row.

    The tiles of a SparseCore hold the two copies of the words together, each tile a share.
    """

    def sequencer(partition: ir.Value) -> None:
        segments = segments_of(b, spec, arguments)
        checks = EntryChecks(b, spec, arguments, segments)
        collector = Collector(b, spec, arguments, segments, checks, partition)

        begin, end = collector.measure()
        count = b.figure(b.sub(end, begin), "partition_ids")
        target = b.columns_of(arguments["words"], begin, count)
        held = hold_words(b, spec)
        words = dataclasses.replace(words_of(b, arguments), words=held)
        collector.collect(words, begin)
        Sorter(b, spec, arguments, words, partition).sort(begin, end, count)
        b.copy(b.columns_of(held, 0, count), target)

    reads = [argument.name for argument in source_arguments(spec)]
    step = step_attributes(SORT, reads, ["words", "pairs", "parts"])
    b.phase({"partition": spec.sparse_cores}, sequencer, **step)
