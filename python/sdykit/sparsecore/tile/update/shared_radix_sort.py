"""The steps `sort` of an update of raw ids as a CPU takes them: phases that sort the entries by row.

All SparseCores share each pass of a radix sort, whatever the rows are: each has a part of the
entries, counts its digits in one phase, and moves its words in the next. Entries start in the
order device, SparseCore, sample, position, which is the order of the sums, and sorting is stable.

Each SparseCore stores the number of the pass for itself: so the phases of all passes after the
first are equal, and their code is generated once.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass

from sdykit.core.sparsecore.steps import SORT
from sdykit.mlir import ir
from sdykit.sparsecore.tile.arguments import OFFSETS, TileArgument
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.builder.steps import step_attributes
from sdykit.sparsecore.tile.checks.ids import each_checked_id
from sdykit.sparsecore.tile.entries.ids import Entry, Ids, ids_of, ids_of_device
from sdykit.sparsecore.tile.shared_memory.pieces import pieces_of
from sdykit.sparsecore.tile.spec import BufferLayout, TileSpec
from sdykit.sparsecore.tile.update.radix_sort import DIGIT_BITS, Digit, digits_of
from sdykit.sparsecore.tile.update.words import ROW_SHIFT, Words, words_of

_DIGITS = 2**DIGIT_BITS
_AT_ONCE = 8
"""Counters that are cleared or added at once."""
_NUMBER = _DIGITS + _AT_ONCE
"""The column of `counts` with the number of the pass; before it are the digits, and one column for
entries of other devices."""
_TOTAL = _NUMBER + 1
"""The column after it: in the first row, the number of all words."""
_MIN_PARTS = 16
"""The minimum number of parts that the entries of all devices of a process are sorted in."""
_MAX_PASSES = -(-31 // DIGIT_BITS)
"""The number of passes that the largest table takes."""


def shared_sort_workspaces(spec: TileSpec) -> tuple[TileArgument, ...]:
    """Return the workspace of the phases: how often each SparseCore has each digit."""
    # Entries of other devices are counted after the digits: so counting takes no branch.
    count = sorters_of_all(spec) if spec.transport == "memory" else spec.all_cores
    return (TileArgument("counts", "int32", (count, _NUMBER + _AT_ONCE), "workspace"),)


def add_shared_radix_sort_phases(
    b: Builder, layout: BufferLayout, arguments: Mapping[str, ir.Value]
) -> None:
    """Add the phases of all passes; the last ones do nothing if rows have few bits."""

    def part_of(core: ir.Value) -> Part:
        ids = ids_of(b, layout, arguments)
        first = b.mul(core, layout.samples_per_core)
        return Part(ids, first, b.add(first, layout.samples_per_core), b.at(0))

    def rows() -> ir.Value:
        return b.dim(arguments["table"], 0)

    _add_passes(b, arguments, part_of, sorters=layout.all_cores, axis="core", rows=rows)


def sorters_of_all(spec: BufferLayout) -> int:
    """Return the number of parts that the entries of all devices of a process are sorted in."""
    return spec.num_devices * _parts_of_a_device(spec)


def _parts_of_a_device(spec: BufferLayout) -> int:
    return max(_MIN_PARTS // spec.num_devices, 1)


def add_sort_phases_of_all(
    b: Builder,
    spec: TileSpec,
    described: Sequence[TileArgument],
    arguments: Mapping[str, ir.Value],
) -> None:
    """Add the phases that sort the entries of all devices of a process by id.

    After them, `parts` has the first entry for the rows of each device, and one past the last.
    """
    parts, samples = _parts_of_a_device(spec), spec.sparse_cores * spec.samples_per_core

    def part_of(number: ir.Value) -> Part:
        device, part = b.div(number, parts), b.rem(number, parts)
        ids = ids_of_device(b, spec, pieces_of(b, described, arguments), device)
        ends = (b.mul(each, samples) for each in (part, b.add(part, 1)))
        first, end = (b.div(each, parts) for each in ends)
        return Part(ids, first, end, b.mul(device, samples))

    def rows() -> ir.Value:
        return b.mul(b.dim(arguments["table"], 0), spec.num_devices)

    _add_passes(b, arguments, part_of, sorters=sorters_of_all(spec), axis="sorter", rows=rows)
    _add_ranges(b, spec, arguments)


def _add_ranges(b: Builder, spec: TileSpec, arguments: Mapping[str, ir.Value]) -> None:
    """Add the phase that finds the range of the words of each device."""
    words, parts = words_of(b, arguments), arguments["parts"]

    def device(number: ir.Value) -> None:
        total = b.load_index(arguments["counts"], 0, _TOTAL)
        for column in range(2):
            first_row = b.mul(b.add(number, column), b.dim(arguments["table"], 0))
            found = _first_word(b, words, total, first_row)
            b.store(b.to_integer(found, "i32"), parts, number, column)

    step = step_attributes(SORT, ["words", "counts"], ["parts"])
    b.phase({"device": spec.num_devices}, device, **step)


def _first_word(b: Builder, words: Words, total: ir.Value, row: ir.Value) -> ir.Value:
    """Return the position of the first of the sorted words with a row, or with one after it."""

    def is_open(low: ir.Value, high: ir.Value) -> ir.Value:
        return b.compare("slt", low, high)

    def halve(low: ir.Value, high: ir.Value) -> list[ir.Value]:
        middle = b.div(b.add(low, high), 2)
        is_before = b.compare("slt", words.row(words.word(middle)), row)
        return [b.select(is_before, b.add(middle, 1), low), b.select(is_before, high, middle)]

    return b.repeat([b.at(0), total], is_open, halve)[0]


def _add_passes(
    b: Builder,
    arguments: Mapping[str, ir.Value],
    part_of: Callable[[ir.Value], Part],
    *,
    sorters: int,
    axis: str,
    rows: Callable[[], ir.Value],
) -> None:
    """Add the phases of all passes.

    Args:
        b: the builder that ops are added with.
        arguments: the arguments of the program, by name.
        part_of: returns the part of the entries that one of the sorters has.
        sorters: the number of parts.
        axis: the name of the dimension of the phases.
        rows: returns the number of rows that entries are sorted by.
    """

    def phase(is_first: bool, work: Callable[[_Pass], None], step: Mapping[str, str]) -> None:
        def sorter(which: ir.Value) -> None:
            part, words = part_of(which), words_of(b, arguments)
            number = b.at(0) if is_first else b.load_index(arguments["counts"], which, _NUMBER)
            passes, digit = digits_of(b, rows(), number)

            def run() -> tuple[()]:
                work(
                    _Pass(
                        b, sorters, arguments, part, words, which, is_first, number, passes, digit
                    )
                )
                return ()

            b.choose(b.compare("slt", number, passes), run)

        b.phase({axis: sorters}, sorter, **step)

    count, move = _steps(arguments, is_first=True)
    phase(True, _Pass.count, count)
    phase(True, _Pass.move, move)
    count, move = _steps(arguments, is_first=False)
    for _ in range(1, _MAX_PASSES):
        phase(False, _Pass.count, count)
        phase(False, _Pass.move, move)


def _steps(names: Container[str], *, is_first: bool) -> tuple[dict[str, str], dict[str, str]]:
    """Return the attributes of the two steps of a pass: the one that counts, and the one that moves."""
    device = [name for name in ("device", OFFSETS) if name in names]
    if not is_first:
        reads = [*device, "words", "parts", "counts"]
        return step_attributes(SORT, reads, ["counts"]), step_attributes(
            SORT, reads, ["words", "counts"]
        )
    reads = [*device, "ids", "counts"]
    gains, pairs = (["gains"], ["pairs"]) if "gains" in names else ([], [])
    writes = ["words", *pairs, "parts", "counts"]
    return step_attributes(SORT, reads, ["counts"]), step_attributes(SORT, [*reads, *gains], writes)


@dataclass(frozen=True)
class Part:
    """Entries that are counted and moved by one of those that sort.

    Attributes:
        ids: the ids of a device.
        first: the first sample.
        end: one past the last sample.
        before: the number of samples of the devices before.
    """

    ids: Ids
    first: ir.Value
    end: ir.Value
    before: ir.Value


@dataclass(frozen=True)
class _Pass:
    """The part of a pass of one of those that sort: of a SparseCore, if the program is of one device.

    Attributes:
        builder: the builder that ops are added with.
        sorters: the number of those that sort.
        arguments: the arguments of the program, by name.
        part: the entries, which the first pass reads.
        words: the words, which the other passes read.
        core: the number of the one that sorts.
        is_first: whether the pass reads ids.
        number: the number of the pass.
        passes: the number of passes that the rows take.
        digit: the bits that the pass sorts by.
    """

    builder: Builder
    sorters: int
    arguments: Mapping[str, ir.Value]
    part: Part
    words: Words
    core: ir.Value
    is_first: bool
    number: ir.Value
    passes: ir.Value
    digit: Digit

    def count(self) -> None:
        """Count the digits of the SparseCore's part of the entries."""
        b, counts = self.builder, self.arguments["counts"]
        elsewhere = b.add(self.digit.mask, 1)
        one = b.constant("1", "i32")

        def clear(which: ir.Value) -> tuple[()]:
            b.store_vector(_zeros(b), counts, [self.core, which])
            return ()

        def add(which: ir.Value) -> tuple[()]:
            more = b.integers("arith.addi", b.load(counts, self.core, which), one)
            b.store(more, counts, self.core, which)
            return ()

        def of_id(_: ir.Value, entry: Entry) -> tuple[()]:
            return add(b.select(entry.is_here, self._digit_of(entry), elsewhere))

        b.loop(0, b.add(elsewhere, 1), clear, step=_AT_ONCE)
        if self.is_first:
            ids, valency = self.part.ids, self.part.ids.valency
            begin, end = b.mul(self.part.first, valency), b.mul(self.part.end, valency)
            each_checked_id(ids, begin, end, of_id, [])
        else:
            self._each_word(lambda word: add(self.digit.of(b, word)))

    def move(self) -> None:
        """Move the SparseCore's part of the entries to their places."""
        b = self.builder
        counters = self._places()
        if self.is_first:
            self._place(counters)
        else:
            self._move_words(counters)
        following = b.to_integer(b.add(self.number, 1), "i32")
        b.store(following, self.arguments["counts"], self.core, _NUMBER)

    def _move_words(self, counters: ir.Value) -> None:
        """Move words from the copy that they are in to the other one."""
        b, words = self.builder, self.arguments["words"]
        other = self._copy_after(self.number)

        def move(word: ir.Value) -> Sequence[ir.Value]:
            to = self._next(counters, self.digit.of(b, word))
            b.store(b.to_integer(word, "i64"), words, other, to)
            return ()

        self._each_word(move)

    def _places(self) -> ir.Value:
        """Return counters with the position that the next entry of each digit moves to."""
        b, counts = self.builder, self.arguments["counts"]
        counters, all_counts = (b.spmem([_DIGITS], "i32") for _ in range(2))

        def add_up(which: ir.Value) -> tuple[()]:
            def add(core: ir.Value, total: ir.Value) -> list[ir.Value]:
                more = b.load_vector(counts, [core, which], _AT_ONCE)
                return [b.integers("arith.addi", total, more)]

            before = b.loop(0, self.core, add, [_zeros(b)])
            b.store_vector(before[0], counters, [which])
            total = b.loop(self.core, self.sorters, add, before)[0]
            b.store_vector(total, all_counts, [which])
            return ()

        def of_digit(which: ir.Value, first: ir.Value) -> list[ir.Value]:
            start = b.integers("arith.addi", first, b.load(counters, which))
            b.store(start, counters, which)
            return [b.integers("arith.addi", first, b.load(all_counts, which))]

        digits = b.add(self.digit.mask, 1)
        b.loop(0, digits, add_up, step=_AT_ONCE)
        total = b.loop(0, digits, of_digit, [b.constant("0", "i32")])[0]
        if self.is_first:
            self._write_parts(b.to_index(total))
        return counters

    def _write_parts(self, total: ir.Value) -> None:
        """Write the range of all words to `parts`, and their number to `counts`."""
        b = self.builder

        def write() -> tuple[()]:
            for number, value in enumerate((b.at(0), total)):
                b.store(b.to_integer(value, "i32"), self.arguments["parts"], 0, number)
            b.store(b.to_integer(total, "i32"), self.arguments["counts"], 0, _TOTAL)
            return ()

        b.choose(b.compare("eq", self.core, 0), write)

    def _place(self, counters: ir.Value) -> None:
        """Write the words of the ids to their places."""
        b, ids = self.builder, self.part.ids
        copy, valency, before = self._copy_after(self.number), ids.valency, self.part.before
        entries_before = b.mul(before, valency)

        def sample(which: ir.Value) -> tuple[()]:
            def entry(position: ir.Value) -> tuple[()]:
                found = ids.read(position)

                def put() -> tuple[()]:
                    to = self._next(counters, self._digit_of(found))
                    row, gain = b.to_index(found.row), ids.gain(position)
                    number, sample = b.add(entries_before, position), b.add(before, which)
                    self.words.put(to, row, number, sample, gain, copy=copy)
                    return ()

                b.choose(found.is_here, put)
                return ()

            first = b.mul(which, valency)
            b.loop(first, b.add(first, valency), entry)
            return ()

        b.loop(self.part.first, self.part.end, sample)

    def _next(self, counters: ir.Value, which: ir.Value) -> ir.Value:
        """Return the position that an entry moves to, and advance the counter of its digit."""
        b = self.builder
        to = b.load(counters, which)
        b.store(b.integers("arith.addi", to, b.constant("1", "i32")), counters, which)
        return b.to_index(to)

    def _each_word(self, body: Callable[[ir.Value], Sequence[ir.Value]]) -> None:
        """Add a loop over the SparseCore's part of the words that the previous pass wrote."""
        b, cores = self.builder, self.sorters
        total = b.load_index(self.arguments["parts"], 0, 1)
        begin, end = (b.div(b.mul(core, total), cores) for core in (self.core, b.add(self.core, 1)))
        copy = self._copy_after(b.sub(self.number, 1))
        b.loop(begin, end, lambda position: body(self.words.word(position, copy)))

    def _copy_after(self, number: ir.Value) -> ir.Value:
        """Return the copy that a pass writes; the last one writes the first copy."""
        b = self.builder
        return b.bits("arith.andi", b.sub(b.sub(self.passes, 1), number), 1)

    def _digit_of(self, entry: Entry) -> ir.Value:
        b = self.builder
        return self.digit.of(b, b.bits("arith.shli", b.to_index(entry.row), ROW_SHIFT))


def _zeros(b: Builder) -> ir.Value:
    return b.constant("dense<0>", f"vector<{_AT_ONCE}xi32>")
