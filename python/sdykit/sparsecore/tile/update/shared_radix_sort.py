"""The steps `sort` of an update of raw ids as a CPU takes them: phases that group the entries by row.

Entries start in the order device, SparseCore, sample, position, which is the order of the sums, and
sorting is stable. No core writes lines that another one writes or has just written: moving them to and
fro would take longer than the sort itself.

- `collect`: each of some sorters has a part of the samples. It moves the words of its ids to a place of
  their own in `words`, sorted by the lowest bits of the row, and writes to `starts` where each digit
  begins there.
- `group`: each of some partitions has a range of these digits, so many that each gets the same number
  of words: low bits divide even rows that are hot and next to each other. It takes the words of its
  digits from all sorters, and sorts them by the bits above, again to a place of its own.
- the latter once more, if rows have more bits than two passes sort by.

So words are sorted by row within a partition, and those of partitions are one after another.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sdykit.core.sparsecore.steps import SORT
from sdykit.mlir import ir
from sdykit.sparsecore.tile.arguments import OFFSETS, TileArgument
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.builder.steps import step_attributes
from sdykit.sparsecore.tile.entries.ids import ids_of, ids_of_device
from sdykit.sparsecore.tile.shared_memory.pieces import pieces_of
from sdykit.sparsecore.tile.spec import BufferLayout, TileSpec
from sdykit.sparsecore.tile.update.collecting_ids import Part, collect
from sdykit.sparsecore.tile.update.grouping import Grouping
from sdykit.sparsecore.tile.update.row_digits import STARTS_COLUMNS, RowDigits
from sdykit.sparsecore.tile.update.words import Words, words_of

_MIN_ENTRIES = 8192
"""The minimum number of entries of a sorter; fewer take less time than meeting the others does."""
_MIN_SORTERS = 16
"""The minimum number of parts that the entries of all devices of a process are sorted in."""


def shared_sort_workspaces(spec: TileSpec) -> tuple[TileArgument, ...]:
    """Return the workspace of the phases: where each digit begins in the words of each sorter."""
    count = _sorters_of_all(spec) if spec.transport == "memory" else spec.sparse_cores
    return (TileArgument("starts", "int32", (count, STARTS_COLUMNS), "workspace"),)


@dataclass(frozen=True)
class _Work:
    """Who groups which entries.

    Attributes:
        sorters: the number of sorters that there may be.
        partitions: the number of partitions that there may be.
        shares: returns how many of both there are, the same in each phase.
        part_of: returns the part of the entries that one of the sorters has.
        rows: returns the number of rows that entries are sorted by.
        write_parts: adds the ops that write `parts`, when the words of a partition are sorted.
    """

    sorters: int
    partitions: int
    shares: Callable[[], tuple[ir.Value, ir.Value]]
    part_of: Callable[[ir.Value], Part]
    rows: Callable[[], ir.Value]
    write_parts: Callable[[Grouping], None]


def add_shared_radix_sort_phases(
    b: Builder, layout: BufferLayout, arguments: Mapping[str, ir.Value]
) -> None:
    """Add the phases that group the entries by row; `parts` has the range of all."""
    cores = layout.sparse_cores

    def shares() -> tuple[ir.Value, ir.Value]:
        entries = b.mul(b.dim(arguments["ids"], 1), layout.samples)
        count = b.minimum(b.maximum(b.div(entries, _MIN_ENTRIES), 1), cores)
        return count, count

    def part_of(number: ir.Value) -> Part:
        ends = (b.mul(each, layout.samples) for each in (number, b.add(number, 1)))
        first, end = (b.div(each, shares()[0]) for each in ends)
        return Part(ids_of(b, layout, arguments), first, end, b.at(0))

    def rows() -> ir.Value:
        return b.dim(arguments["table"], 0)

    def write_parts(grouping: Grouping) -> None:
        def write() -> tuple[()]:
            for column, value in enumerate((b.at(0), grouping.total)):
                b.store(b.to_integer(value, "i32"), arguments["parts"], 0, column)
            return ()

        b.choose(b.compare("eq", grouping.partition, 0), write)

    _add_phases(b, arguments, _Work(cores, cores, shares, part_of, rows, write_parts))


def add_sort_phases_of_all(
    b: Builder,
    spec: TileSpec,
    described: Sequence[TileArgument],
    arguments: Mapping[str, ir.Value],
) -> None:
    """Add the phases that group the entries of all devices of a process by id.

    After them, `parts` has the range of the words of each device and partition.
    """
    parts, samples = _sorters_of_a_device(spec), spec.sparse_cores * spec.samples_per_core

    def part_of(number: ir.Value) -> Part:
        device, part = b.div(number, parts), b.rem(number, parts)
        ids = ids_of_device(b, spec, pieces_of(b, described, arguments), device)
        ends = (b.mul(each, samples) for each in (part, b.add(part, 1)))
        first, end = (b.div(each, parts) for each in ends)
        return Part(ids, first, end, b.mul(device, samples))

    def rows() -> ir.Value:
        return b.mul(b.dim(arguments["table"], 0), spec.num_devices)

    def write_parts(grouping: Grouping) -> None:
        """Write the range of the words of each device in a partition, which are sorted by id."""
        words, own_rows = words_of(b, arguments), b.dim(arguments["table"], 0)

        def device(number: ir.Value) -> tuple[()]:
            for column in range(2):
                found = _first_word(b, words, grouping, b.mul(b.add(number, column), own_rows))
                at = b.add(b.mul(number, spec.sparse_cores), grouping.partition)
                b.store(b.to_integer(found, "i32"), arguments["parts"], at, column)
            return ()

        b.loop(0, spec.num_devices, device)

    sorters = _sorters_of_all(spec)

    def shares() -> tuple[ir.Value, ir.Value]:
        return b.at(sorters), b.at(spec.sparse_cores)

    work = _Work(sorters, spec.sparse_cores, shares, part_of, rows, write_parts)
    _add_phases(b, arguments, work)


def _sorters_of_all(spec: BufferLayout) -> int:
    return spec.num_devices * _sorters_of_a_device(spec)


def _sorters_of_a_device(spec: BufferLayout) -> int:
    return max(_MIN_SORTERS // spec.num_devices, 1)


def _first_word(b: Builder, words: Words, grouping: Grouping, row: ir.Value) -> ir.Value:
    """Return the position of a partition's first word with a row, or with one after it."""

    def is_open(low: ir.Value, high: ir.Value) -> ir.Value:
        return b.compare("slt", low, high)

    def halve(low: ir.Value, high: ir.Value) -> list[ir.Value]:
        middle = b.div(b.add(low, high), 2)
        is_before = b.compare("slt", words.row(words.word(middle)), row)
        return [b.select(is_before, b.add(middle, 1), low), b.select(is_before, high, middle)]

    return b.repeat([grouping.begin, grouping.end], is_open, halve)[0]


def _add_phases(b: Builder, arguments: Mapping[str, ir.Value], work: _Work) -> None:
    """Add the phases, of one that collects entries and two that group them."""
    device = [name for name in ("device", OFFSETS) if name in arguments]
    gains, pairs = (["gains"], ["pairs"]) if "gains" in arguments else ([], [])

    def sorter(number: ir.Value) -> None:
        def run() -> tuple[()]:
            collect(b, arguments, work.part_of(number), RowDigits.of(b, work.rows()), number)
            return ()

        b.choose(b.compare("slt", number, work.shares()[0]), run)

    step = step_attributes(SORT, [*device, "ids", *gains], ["words", *pairs, "starts"])
    b.phase({"sorter": work.sorters}, sorter, **step)

    def group(passes: int, sort: Callable[[Grouping], None]) -> None:
        """Add a phase, after which rows of so many digits are sorted."""

        def partition(number: ir.Value) -> None:
            digits = RowDigits.of(b, work.rows())

            def run() -> tuple[()]:
                grouping = Grouping.of(b, arguments, digits, number, work.shares())
                sort(grouping)

                def write() -> tuple[()]:
                    work.write_parts(grouping)
                    return ()

                b.choose(b.compare("eq", digits.passes, passes), write)
                return ()

            is_used = b.compare("slt", number, work.shares()[1])
            is_needed = b.compare("sge", digits.passes, passes)
            b.choose(b.integers("arith.andi", is_used, is_needed), run)

        step = step_attributes(SORT, ["words", "starts"], ["words", "parts"])
        b.phase({"partition": work.partitions}, partition, **step)

    group(2, Grouping.sort_collected)
    group(3, Grouping.sort_grouped)
