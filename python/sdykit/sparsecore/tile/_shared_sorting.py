"""Entries in the order of their rows, from ids as they are: what comes before an update.

All SparseCores share each pass of a radix sort, whatever the rows are: each has a part of the
entries, counts its digits in one phase, and moves its words in the next. Entries start in the
order device, SparseCore, sample, position, which is the order of the sums, and sorting is stable.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sdykit.mlir import ir
from sdykit.sparsecore.tile._builder import Builder
from sdykit.sparsecore.tile._ids import Entry, Ids, ids_of
from sdykit.sparsecore.tile._sorting import DIGIT_BITS, Digit, digits_of
from sdykit.sparsecore.tile._words import ROW_SHIFT, Words, words_of
from sdykit.sparsecore.tile.program import TileArgument
from sdykit.sparsecore.tile.spec import TileSpec

_DIGITS = 2**DIGIT_BITS
_PASSES = -(-31 // DIGIT_BITS)
"""As many as the largest table takes."""


def shared_sort_workspaces(spec: TileSpec) -> tuple[TileArgument, ...]:
    """Give what the phases need: how often each SparseCore has each digit."""
    # What is elsewhere is counted, too, behind the digits: without a branch.
    return (TileArgument("counts", "int32", (spec.all_cores, _DIGITS + 1), "workspace"),)


def add_shared_sort_phases(b: Builder, spec: TileSpec, arguments: Mapping[str, ir.Value]) -> None:
    """Add the phases; later passes do nothing if rows have few bits."""

    def phase(number: int, work: Callable[[_Pass], None]) -> None:
        def sequencer(core: ir.Value) -> None:
            ids, words = ids_of(b, spec, arguments), words_of(b, arguments)
            passes, digit = digits_of(b, b.dim(arguments["table"], 0), b.at(number))

            def run() -> tuple[()]:
                work(_Pass(b, spec, arguments, ids, words, core, number, passes, digit))
                return ()

            b.choose(b.compare("slt", number, passes), run)

        b.phase([spec.all_cores], sequencer)

    for number in range(_PASSES):
        phase(number, _Pass.count)
        phase(number, _Pass.move)


@dataclass(frozen=True)
class _Pass:
    """A SparseCore's part of a pass.

    Attributes:
        builder: where ops are added.
        spec: of the update.
        arguments: of the program.
        ids: what the first pass reads.
        words: what the others read.
        core: of all devices'.
        number: of the pass.
        passes: how many there are.
        digit: what it sorts by.
    """

    builder: Builder
    spec: TileSpec
    arguments: Mapping[str, ir.Value]
    ids: Ids
    words: Words
    core: ir.Value
    number: int
    passes: ir.Value
    digit: Digit

    def count(self) -> None:
        """Count the digits of the part."""
        b, counts = self.builder, self.arguments["counts"]
        elsewhere = b.add(self.digit.mask, 1)
        zero, one = b.constant("0", "i32"), b.constant("1", "i32")

        def clear(which: ir.Value) -> tuple[()]:
            b.store(zero, counts, self.core, which)
            return ()

        def add(which: ir.Value) -> tuple[()]:
            more = b.integers("arith.addi", b.load(counts, self.core, which), one)
            b.store(more, counts, self.core, which)
            return ()

        def of_id(_: ir.Value, entry: Entry) -> tuple[()]:
            return add(b.select(entry.is_here, self._digit_of(entry), elsewhere))

        b.loop(0, b.add(elsewhere, 1), clear)
        if self.number == 0:
            first, behind = self._samples()
            valency = self.ids.valency
            self.ids.each(b.mul(first, valency), b.mul(behind, valency), of_id, [])
        else:
            self._each_word(lambda word: add(self.digit.of(b, word)))

    def move(self) -> None:
        """Move the part to where its digits go."""
        b = self.builder
        counters = self._places()
        if self.number == 0:
            self._place(counters)
            return
        words, other = self.arguments["words"], self.number % 2

        def move(word: ir.Value) -> Sequence[ir.Value]:
            to = self._next(counters, self.digit.of(b, word))
            b.store(b.to_integer(word, "i64"), words, other, to)
            return ()

        self._each_word(move)

    def _places(self) -> ir.Value:
        """Give where the next entry of each digit goes."""
        b, counts = self.builder, self.arguments["counts"]
        counters = b.spmem([_DIGITS], "i32")

        def of_digit(which: ir.Value, total: ir.Value) -> list[ir.Value]:
            def of_core(core: ir.Value, total: ir.Value, start: ir.Value) -> list[ir.Value]:
                total = b.add(total, b.load_index(counts, core, which))
                is_before = b.compare("slt", core, self.core)
                return [total, b.select(is_before, total, start)]

            total, start = b.loop(0, self.spec.all_cores, of_core, [total, total])
            b.store(b.to_integer(start, "i32"), counters, which)
            return [total]

        total = b.loop(0, b.add(self.digit.mask, 1), of_digit, [b.at(0)])[0]
        if self.number == 0:
            self._tell(total)
        return counters

    def _tell(self, total: ir.Value) -> None:
        """Write begin, end and copy to `parts`."""
        b = self.builder

        def write() -> tuple[()]:
            copy = b.bits("arith.andi", b.sub(self.passes, 1), 1)
            for number, value in enumerate((b.at(0), total, copy)):
                b.store(b.to_integer(value, "i32"), self.arguments["parts"], 0, number)
            return ()

        b.choose(b.compare("eq", self.core, 0), write)

    def _place(self, counters: ir.Value) -> None:
        """Make words of ids, each in its place."""
        b, valency = self.builder, self.ids.valency

        def sample(which: ir.Value) -> tuple[()]:
            def entry(position: ir.Value) -> tuple[()]:
                found = self.ids.read(position)

                def put() -> tuple[()]:
                    to = self._next(counters, self._digit_of(found))
                    row, gain = b.to_index(found.row), self.ids.gain(position)
                    self.words.put(to, row, position, which, gain)
                    return ()

                b.choose(found.is_here, put)
                return ()

            first = b.mul(which, valency)
            b.loop(first, b.add(first, valency), entry)
            return ()

        b.loop(*self._samples(), sample)

    def _next(self, counters: ir.Value, which: ir.Value) -> ir.Value:
        """Give where an entry goes, and count it."""
        b = self.builder
        to = b.load(counters, which)
        b.store(b.integers("arith.addi", to, b.constant("1", "i32")), counters, which)
        return b.to_index(to)

    def _each_word(self, body: Callable[[ir.Value], Sequence[ir.Value]]) -> None:
        """Go over the words of the part, which the pass before has left."""
        b, cores = self.builder, self.spec.all_cores
        total = b.load_index(self.arguments["parts"], 0, 1)
        first, behind = (
            b.div(b.mul(core, total), cores) for core in (self.core, b.add(self.core, 1))
        )
        copy = b.at(1 - self.number % 2)
        b.loop(first, behind, lambda position: body(self.words.word(copy, position)))

    def _digit_of(self, entry: Entry) -> ir.Value:
        b = self.builder
        return self.digit.of(b, b.bits("arith.shli", b.to_index(entry.row), ROW_SHIFT))

    def _samples(self) -> tuple[ir.Value, ir.Value]:
        """Give the first sample of the part, and that behind its last."""
        b = self.builder
        first = b.mul(self.core, self.spec.samples_per_core)
        return first, b.add(first, self.spec.samples_per_core)
