"""The phase of a lookup that makes an index of the entries by sample.

It is for buffers that come without one. Those of several devices always do: a device's index has
only the entries for its own rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sdykit.mlir import ir
from sdykit.sparsecore.tile.arguments import TileArgument
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.checks.buffers import EntryChecks, checks_of_device
from sdykit.sparsecore.tile.entries.segments import segments_of
from sdykit.sparsecore.tile.shared_memory.pieces import Pieces
from sdykit.sparsecore.tile.spec import BufferLayout

Each = Callable[[ir.Value, Callable[[ir.Value, ir.Value, ir.Value], None]], None]
"""Adds loops over the segments of a SparseCore; see `Segments.each`."""
Writer = Callable[[ir.Value], Callable[[ir.Value, ir.Value], None]]
"""Returns, for a partition, what writes where the row of an entry is: called with its id in the partition
and the entry's position."""


def index_arguments(layout: BufferLayout, work: int | None) -> tuple[TileArgument, ...]:
    """Return the arguments that hold an index of the entries by sample.

    Args:
        layout: what the layout of the buffers follows from.
        work: the number of bytes of memory traffic for an entry, if the caller passes the index;
            None: the program computes it.
    """
    role = "workspace" if work is None else "input"
    shape = (layout.all_cores, layout.samples_per_core + 1)
    index = (
        TileArgument("splits", "int32", shape, role),
        TileArgument("sample_rows", "int32", ("entries",), role, work=work or 0),
        TileArgument("sample_gains", "float32", ("entries",), role),
    )
    if work is None:
        return index
    return (*index, TileArgument("observed", "int32", (2 * layout.segments,)))


def shared_index_arguments(spec: BufferLayout) -> tuple[TileArgument, ...]:
    """Return the workspaces of `add_index_phase_of_all`."""
    return (
        TileArgument("splits", "int32", (spec.all_cores, spec.samples_per_core + 1), "workspace"),
        TileArgument("sample_owners", "int32", ("entries",), "workspace"),
        TileArgument("sample_places", "int64", ("entries",), "workspace"),
        TileArgument("sample_gains", "float32", ("entries",), "workspace"),
    )


def add_index_phase(b: Builder, spec: BufferLayout, arguments: Mapping[str, ir.Value]) -> None:
    """Add a phase over all SparseCores that fills `splits`, `sample_rows` and `sample_gains`.

    It is a stable counting sort: entries of a sample stay in the order of the buffers. Only entries
    for this device's partitions are read, and no padding.
    """

    def sequencer(core: ir.Value) -> None:
        segments = segments_of(b, spec, arguments)
        checks = EntryChecks(b, spec, arguments, segments)
        _sort(checks, core, segments.each, _rows_of(checks))

    b.phase({"core": spec.all_cores}, sequencer)


def add_index_phase_of_all(b: Builder, spec: BufferLayout, pieces: Pieces) -> None:
    """Add the same phase of a program for all devices: an entry has its owner, and the place of its row.

    It fills `splits`, `sample_owners`, `sample_places` and `sample_gains`. The entries of a sample are
    ordered by the device that owns their rows, then as in the buffers.
    """

    def sequencer(core: ir.Value) -> None:
        checks = checks_of_device(b, spec, pieces, b.div(core, spec.sparse_cores))
        _sort(checks, core, checks.segments.each_of_all, _places_of(checks, pieces))

    b.phase({"core": spec.all_cores}, sequencer)


def _sort(checks: EntryChecks, core: ir.Value, each: Each, writer: Writer) -> None:
    """Sort the entries of a SparseCore by sample."""

    def place() -> None:
        _place(checks, core, each, writer)
        _move_back(checks, core)

    _count(checks, core, each)
    checks.if_quiet(place)


def _count(checks: EntryChecks, core: ir.Value, each: Each) -> None:
    """Set `splits[core, s]` to the position of the first entry of sample `s`."""
    b, spec, segments = checks.builder, checks.spec, checks.segments
    splits, samples = checks.arguments["splits"], checks.arguments["sample_ids"]
    zero, one = b.constant("0", "i32"), b.constant("1", "i32")

    def clear(sample: ir.Value) -> tuple[()]:
        b.store(zero, splits, core, sample)
        return ()

    def count_segment(begin: ir.Value, end: ir.Value, partition: ir.Value) -> None:
        def count(position: ir.Value, highest: ir.Value) -> list[ir.Value]:
            sample = b.load_index(samples, position)
            # A wrong sample is counted as the last one; it is reported after the loop.
            known = b.integers("arith.minui", sample, b.at(spec.samples_per_core - 1))
            after = b.add(known, 1)
            b.store(b.integers("arith.addi", b.load(splits, core, after), one), splits, core, after)
            return [b.integers("arith.maxui", highest, sample)]

        (highest,) = b.loop(begin, end, count, [b.at(0)])
        place = (core, b.add(segments.first_partition, partition))
        checks.segment(place, (begin, end), (None, highest))

    def sum_up(sample: ir.Value, total: ir.Value) -> list[ir.Value]:
        total = b.integers("arith.addi", total, b.load(splits, core, sample))
        b.store(total, splits, core, sample)
        return [total]

    b.loop(0, spec.samples_per_core + 1, clear)
    each(core, count_segment)
    first = b.to_integer(segments.first(core), "i32")
    b.loop(0, spec.samples_per_core + 1, sum_up, [first])


def _rows_of(checks: EntryChecks) -> Writer:
    """Return what writes the rows of entries, in the device's part of the table."""
    b, arguments = checks.builder, checks.arguments
    rows_per_core = b.div(b.dim(arguments["table"], 0), checks.spec.sparse_cores)

    def writer(partition: ir.Value) -> Callable[[ir.Value, ir.Value], None]:
        first_row = b.to_integer(b.mul(partition, rows_per_core), "i32")

        def write(local_id: ir.Value, to: ir.Value) -> None:
            row = b.integers("arith.addi", first_row, local_id)
            b.store(row, arguments["sample_rows"], to)

        return write

    return writer


def _places_of(checks: EntryChecks, pieces: Pieces) -> Writer:
    """Return what writes the owners of the rows of entries, and the places of these rows."""
    b, cores = checks.builder, checks.spec.sparse_cores
    owners, places = (pieces.arguments[name] for name in ("sample_owners", "sample_places"))
    table = pieces.arguments["table"]
    rows_per_core = b.div(b.dim(table, 0), cores)
    width = ir.MemRefType(table.type).shape[1]

    def writer(partition: ir.Value) -> Callable[[ir.Value, ir.Value], None]:
        owner = b.div(partition, cores)
        first_row = b.mul(b.rem(partition, cores), rows_per_core)
        first, number = pieces.position("table", owner, first_row), b.to_integer(owner, "i32")

        def write(local_id: ir.Value, to: ir.Value) -> None:
            place = b.add(first, b.mul(b.to_index(local_id), width))
            b.store(number, owners, to)
            b.store(b.to_integer(place, "i64"), places, to)

        return write

    return writer


def _place(checks: EntryChecks, core: ir.Value, each: Each, writer: Writer) -> None:
    """Write rows and gains; `splits[core, s]` moves to the end of sample `s`."""
    b, arguments = checks.builder, checks.arguments
    splits, samples = arguments["splits"], arguments["sample_ids"]
    one = b.constant("1", "i32")

    def place_segment(begin: ir.Value, end: ir.Value, partition: ir.Value) -> None:
        write_row = writer(partition)

        def place(position: ir.Value, highest: ir.Value) -> list[ir.Value]:
            sample = b.load_index(samples, position)
            to = b.load(splits, core, sample)
            b.store(b.integers("arith.addi", to, one), splits, core, sample)
            local_id = b.load(arguments["embedding_ids"], position)
            write_row(local_id, b.to_index(to))
            b.store(b.load(arguments["gains"], position), arguments["sample_gains"], b.to_index(to))
            return [b.integers("arith.maxui", highest, b.to_index(local_id))]

        (highest,) = b.loop(begin, end, place, [b.at(0)])
        where = (core, b.add(checks.segments.first_partition, partition))
        checks.segment(where, (begin, end), (highest, None))

    each(core, place_segment)


def _move_back(checks: EntryChecks, core: ir.Value) -> None:
    """Turn the ends of samples back into their starts."""
    b, splits = checks.builder, checks.arguments["splits"]

    def shift(sample: ir.Value, start: ir.Value) -> list[ir.Value]:
        end = b.load(splits, core, sample)
        b.store(start, splits, core, sample)
        return [end]

    first = b.to_integer(checks.segments.first(core), "i32")
    b.loop(0, checks.spec.samples_per_core, shift, [first])
