"""The entries of each partition in the order of their rows: what comes before an update."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sdykit.mlir import ir
from sdykit.sparsecore.tile._builder import Builder
from sdykit.sparsecore.tile._segments import Segments, segments_of
from sdykit.sparsecore.tile.spec import TileSpec

_DIGIT_BITS = 11
"""Most bits that a pass sorts by; the counters then stay in the fastest cache."""
ID_SHIFT = 32
"""A word is a local id, shifted by this, and a row of the gradients."""


@dataclass(frozen=True)
class _Digit:
    """What a pass sorts by: some bits of the local id."""

    shift: ir.Value
    mask: ir.Value


@dataclass(frozen=True)
class Sorter:
    """Sorts the entries of a partition, stably, by local id.

    Entries start in the order minibatch, SparseCore, position, which is the order of the sums.
    They move between two copies of the workspace, one pass for each digit.

    Attributes:
        builder: where ops are added.
        spec: of the update.
        arguments: of the program.
        segments: of the buffers.
        partition: whose entries.
    """

    builder: Builder
    spec: TileSpec
    arguments: Mapping[str, ir.Value]
    segments: Segments
    partition: ir.Value

    def sort(self) -> None:
        """Fill `words` and `weights`, and write begin, end and copy to `parts`."""
        b = self.builder
        begin = b.loop(0, self.partition, self._add_count, [b.at(0)])[0]
        end = self._collect(begin)
        bits = self._id_bits()
        passes = b.div(b.add(bits, _DIGIT_BITS - 1), _DIGIT_BITS)
        width = b.div(b.add(bits, b.sub(passes, 1)), b.most(passes, 1))
        mask = b.sub(b.bits("arith.shli", 1, width), 1)
        counters = b.spmem([2**_DIGIT_BITS], "i32")

        def one_pass(number: ir.Value) -> tuple[()]:
            digit = _Digit(b.add(b.mul(number, width), ID_SHIFT), mask)
            copy = b.bits("arith.andi", number, 1)
            self._count(counters, copy, digit, begin, end)
            self._scatter(counters, copy, digit, begin, end)
            return ()

        b.loop(0, passes, one_pass)
        last = b.bits("arith.andi", passes, 1)
        for number, value in enumerate((begin, end, last)):
            b.store(b.to_integer(value, "i32"), self.arguments["parts"], self.partition, number)

    def _id_bits(self) -> ir.Value:
        """Count the bits of the largest local id."""
        b = self.builder
        rows = b.div(b.dim(self.arguments["table"], 0), self.spec.sparse_cores)
        largest = b.to_integer(b.sub(rows, 1), "i64")
        zeros = b.op("math.ctlz", [largest], [largest.type]).result
        return b.sub(64, b.to_index(zeros))

    def _add_count(self, partition: ir.Value, total: ir.Value) -> list[ir.Value]:
        """Add the number of a partition's entries."""
        b = self.builder

        def of_minibatch(minibatch: ir.Value, total: ir.Value) -> list[ir.Value]:
            def of_core(core: ir.Value, total: ir.Value) -> list[ir.Value]:
                begin, end = self.segments.span(core, minibatch, partition)
                return [b.add(total, b.sub(end, begin))]

            return b.loop(0, self.spec.sparse_cores, of_core, [total])

        return b.loop(0, self.segments.minibatches, of_minibatch, [total])

    def _collect(self, begin: ir.Value) -> ir.Value:
        """Copy the entries to the workspace; give the position behind the last."""
        b, arguments = self.builder, self.arguments

        def of_minibatch(minibatch: ir.Value, to: ir.Value) -> list[ir.Value]:
            def of_core(core: ir.Value, to: ir.Value) -> list[ir.Value]:
                first, last = self.segments.span(core, minibatch, self.partition)
                start = b.mul(core, self.spec.samples_per_core)
                shift = b.sub(to, first)

                def entry(position: ir.Value) -> tuple[()]:
                    target = b.add(position, shift)
                    id_ = b.load_index(arguments["embedding_ids"], position)
                    sample = b.add(start, b.load_index(arguments["sample_ids"], position))
                    word = b.bits("arith.ori", b.bits("arith.shli", id_, ID_SHIFT), sample)
                    b.store(b.to_integer(word, "i64"), arguments["words"], 0, target)
                    b.store(b.load(arguments["gains"], position), arguments["weights"], 0, target)
                    return ()

                b.loop(first, last, entry)
                return [b.add(shift, last)]

            return b.loop(0, self.spec.sparse_cores, of_core, [to])

        return b.loop(0, self.segments.minibatches, of_minibatch, [begin])[0]

    def _digit(self, word: ir.Value, digit: _Digit) -> ir.Value:
        b = self.builder
        return b.bits(
            "arith.andi", b.bits("arith.shrui", b.to_index(word), digit.shift), digit.mask
        )

    def _count(
        self, counters: ir.Value, copy: ir.Value, digit: _Digit, begin: ir.Value, end: ir.Value
    ) -> None:
        """Set the counters to where each digit's entries go."""
        b = self.builder
        one = b.constant("1", "i32")

        def clear(number: ir.Value) -> tuple[()]:
            b.store(b.constant("0", "i32"), counters, number)
            return ()

        def count(position: ir.Value) -> tuple[()]:
            which = self._digit(b.load(self.arguments["words"], copy, position), digit)
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
        self, counters: ir.Value, copy: ir.Value, digit: _Digit, begin: ir.Value, end: ir.Value
    ) -> None:
        """Move the entries to the other copy."""
        b = self.builder
        words, weights = self.arguments["words"], self.arguments["weights"]
        other = b.sub(1, copy)
        one = b.constant("1", "i32")

        def move(position: ir.Value) -> tuple[()]:
            word = b.load(words, copy, position)
            which = self._digit(word, digit)
            to = b.load(counters, which)
            b.store(b.integers("arith.addi", to, one), counters, which)
            b.store(word, words, other, b.to_index(to))
            b.store(b.load(weights, copy, position), weights, other, b.to_index(to))
            return ()

        b.loop(begin, end, move)


def add_sort_phase(b: Builder, spec: TileSpec, arguments: Mapping[str, ir.Value]) -> None:
    """Add a phase over the partitions, whose sequencers sort the entries by row."""

    def sequencer(partition: ir.Value) -> None:
        segments = segments_of(b, spec, arguments)
        Sorter(b, spec, arguments, segments, partition).sort()

    b.phase([spec.sparse_cores], sequencer)
