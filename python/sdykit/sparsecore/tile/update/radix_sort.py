"""The step `sort` of an update as a CPU takes it: a radix sort of the entries of each partition."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

from sdykit.core.sparsecore.steps import SORT
from sdykit.mlir import ir
from sdykit.sparsecore.tile.arguments import OFFSETS, TileArgument
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.builder.steps import step_attributes
from sdykit.sparsecore.tile.checks.buffers import EntryChecks
from sdykit.sparsecore.tile.entries.segments import buffers_of_device, segments_of
from sdykit.sparsecore.tile.shared_memory.pieces import Pieces
from sdykit.sparsecore.tile.spec import BufferLayout
from sdykit.sparsecore.tile.update.collecting import Collector
from sdykit.sparsecore.tile.update.words import ROW_SHIFT, Words, words_of

_ENTRIES = ("device", "row_pointers", "embedding_ids", "sample_ids", "gains", "num_minibatches")
"""The arguments of an update that hold the entries of a batch, as far as it has them."""
_SORTED = ("words", "pairs", "parts")
"""The buffers that the sorted entries are written to."""
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
        layout: the layout of the buffers.
        arguments: the arguments of the program, by name.
        words: the two copies of the words of the partition.
    """

    builder: Builder
    layout: BufferLayout
    arguments: Mapping[str, ir.Value]
    words: Words

    def first_copy(self) -> ir.Value:
        """Return the number of the copy that words are in before they are sorted to the first one."""
        passes, _ = digits_of(self.builder, self._rows, self.builder.at(0))
        return self.builder.bits("arith.andi", passes, 1)

    def sort(self, count: ir.Value) -> None:
        """Sort the first `count` words."""
        b = self.builder
        counters = b.spmem([2**DIGIT_BITS], "i32")
        passes, _ = digits_of(b, self._rows, b.at(0))

        def one_pass(number: ir.Value) -> tuple[()]:
            _, digit = digits_of(b, self._rows, number)
            copy = b.bits("arith.andi", b.sub(passes, number), 1)
            self._count(counters, copy, digit, count)
            self._scatter(counters, copy, digit, count)
            return ()

        b.loop(0, passes, one_pass)

    @property
    def _rows(self) -> ir.Value:
        """The number of rows of a partition."""
        b = self.builder
        return b.div(b.dim(self.arguments["table"], 0), self.layout.sparse_cores)

    def _count(self, counters: ir.Value, copy: ir.Value, digit: Digit, words: ir.Value) -> None:
        """Set the counters to the position of the first word of each digit."""
        b = self.builder
        one = b.constant("1", "i32")

        def clear(number: ir.Value) -> tuple[()]:
            b.store(b.constant("0", "i32"), counters, number)
            return ()

        def count(position: ir.Value) -> tuple[()]:
            which = digit.of(b, self.words.word(position, copy))
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


def add_radix_sort_phase(
    b: Builder, layout: BufferLayout, arguments: Mapping[str, ir.Value]
) -> None:
    """Add the step over this device's partitions, which sorts the entries of each by row.

    It checks ids and samples while it collects them.
    """

    def partition(number: ir.Value) -> None:
        segments = segments_of(b, layout, arguments)
        checks = EntryChecks(b, layout, arguments, segments)
        collector = Collector(b, layout, arguments, segments, number, checks)
        _sort(collector, collector.measure())

    reads = [name for name in _ENTRIES if name in arguments]
    step = step_attributes(SORT, [*reads, "words"], _SORTED)
    b.phase({"partition": layout.sparse_cores}, partition, **step)


def partition_counts(layout: BufferLayout) -> TileArgument:
    """Return the workspace of the phases of a program for all devices: the entries of each partition."""
    return TileArgument("counts", "int32", (layout.all_cores,), "workspace")


def add_radix_sort_phases_of_all(b: Builder, layout: BufferLayout, pieces: Pieces) -> None:
    """Add the steps of a program for all devices, over the partitions of all: one counts their entries."""
    arguments = pieces.arguments

    def collector(number: ir.Value) -> Collector:
        own, segments = buffers_of_device(b, layout, pieces, b.at(0))
        return Collector(b, layout, own, segments, number, pieces=pieces)

    def count(number: ir.Value) -> None:
        found = b.to_integer(collector(number).count(), "i32")
        b.store(found, arguments["counts"], number)

    def sort(number: ir.Value) -> None:
        def after(which: ir.Value, total: ir.Value) -> ir.Value:
            return b.add(total, b.load_index(arguments["counts"], which))

        (begin,) = b.loop(0, number, lambda *each: [after(*each)], [b.at(0)])
        _sort(collector(number), (begin, after(number, begin)))

    reads = [name for name in (*_ENTRIES, OFFSETS) if name in arguments]
    pointers = [name for name in reads if name in ("row_pointers", "num_minibatches", OFFSETS)]
    axes = {"partition": layout.all_cores}
    b.phase(axes, count, **step_attributes(SORT, pointers, ["counts"]))
    b.phase(axes, sort, **step_attributes(SORT, [*reads, "counts", "words"], _SORTED))


def _sort(collector: Collector, part: tuple[ir.Value, ir.Value]) -> None:
    """Collect and sort the words of a partition, at a part of all words, and write this to `parts`."""
    b, layout, arguments = collector.builder, collector.spec, collector.arguments
    begin, end = part
    count = b.sub(end, begin)
    both = b.columns_of(arguments["words"], begin, count)
    words = dataclasses.replace(words_of(b, arguments), words=both)
    sorter = Sorter(b, layout, arguments, words)
    collector.collect(words, begin, copy=sorter.first_copy())
    sorter.sort(count)
    for column, value in enumerate(part):
        b.store(b.to_integer(value, "i32"), arguments["parts"], collector.partition, column)
