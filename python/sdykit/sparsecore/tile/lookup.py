"""The tile program of a lookup.

Phases:

1. over the SparseCores, where the buffers have no index: their sequencers sort entries by sample;
2. over the tiles: each owns a range of its SparseCore's samples. It copies its entries to SPMEM,
   block by block, gathers rows ahead of their use, and sums `gain * row` of a sample in
   registers, in the order of the buffers.
"""

from __future__ import annotations

from collections.abc import Mapping

from sdykit.mlir import ir, make_context
from sdykit.sparsecore.tile._builder import Builder
from sdykit.sparsecore.tile._columns import Columns, for_columns
from sdykit.sparsecore.tile._entry import make_entry
from sdykit.sparsecore.tile._index import add_index_phase
from sdykit.sparsecore.tile._reading import to_float32
from sdykit.sparsecore.tile._staging import Staging, make_staging
from sdykit.sparsecore.tile.program import TileArgument, TileProgram, buffer_arguments
from sdykit.sparsecore.tile.spec import LookupSpec


def lookup_arguments(spec: LookupSpec) -> tuple[TileArgument, ...]:
    """Give the arguments of the program, in order."""
    has_index = spec.layout == "sdykit"
    role = "input" if has_index else "workspace"
    index = [
        TileArgument("splits", "int32", (spec.sparse_cores, spec.samples_per_core + 1), role),
        TileArgument("order", "int32", ("entries",), role),
    ]
    table = TileArgument("table", spec.dtype, ("rows", spec.dim))
    samples = spec.sparse_cores * spec.samples_per_core
    activations = TileArgument("activations", "float32", (samples, spec.dim), "output")
    buffers = buffer_arguments(minibatches=spec.minibatches)
    if has_index:
        return (*buffers, *index, table, activations)
    return (*buffers, table, activations, *index)


def build_lookup(spec: LookupSpec) -> TileProgram:
    """Build the program.

    Raises:
        SparseCoreError: there is no such chip.
    """
    arguments = lookup_arguments(spec)
    context = make_context()
    b = Builder(context)

    def body(values: Mapping[str, ir.Value]) -> None:
        if spec.layout != "sdykit":
            add_index_phase(b, spec, values)
        _add_tile_phase(b, spec, values)

    with context, ir.Location.unknown(context):
        types = {each.name: each.type for each in arguments}
        module = make_entry(b, "lookup", types, spec.hardware.tile_memory_bytes, body)
    return TileProgram(str(module), arguments)


def _add_tile_phase(b: Builder, spec: LookupSpec, arguments: Mapping[str, ir.Value]) -> None:
    tiles = spec.hardware.tiles_per_sparse_core
    most = -(-spec.samples_per_core // tiles)

    def tile(core: ir.Value, number: ir.Value) -> None:
        splits, activations = arguments["splits"], arguments["activations"]
        first = b.div(b.mul(number, spec.samples_per_core), tiles)
        end = b.div(b.mul(b.add(number, 1), spec.samples_per_core), tiles)
        row = b.add(b.mul(core, spec.samples_per_core), first)
        target = b.rows_of(activations, row, b.sub(end, first))
        staging = {"sparsecore.gather_operand": f'"{spec.staging}"'}
        sums = b.spmem([most, spec.dim], "f32", **staging)
        block = make_staging(b, spec, arguments, core, b.load_index(splits, core, end))

        def sample(which: ir.Value) -> tuple[()]:
            begin = b.load_index(splits, core, which)
            end = b.load_index(splits, core, b.add(which, 1))

            def columns(these: Columns) -> None:
                total = _sum_entries(block, these, begin, end)
                these.store(b, total, sums, b.sub(which, first))

            for_columns(b, spec.dim, spec.hardware.float32_lanes, columns)
            return ()

        b.loop(first, end, sample)
        b.copy(b.rows_of(sums, b.at(0), b.sub(end, first)), target)

    b.phase([spec.sparse_cores, tiles], tile)


def _sum_entries(
    staging: Staging, columns: Columns, begin: ir.Value, end: ir.Value
) -> list[ir.Value]:
    """Sum `gain * row` over entries, from +0 on, one after another, each operation rounded."""
    b, spec = staging.builder, staging.spec
    table = staging.arguments["table"]

    def piece(position: ir.Value, *sums: ir.Value) -> list[ir.Value]:
        """Go on to the end of the entries, or of the block."""
        staging.require(position)
        first, last = staging.bounds()
        count = b.sub(last, first)
        stop = b.least(end, last)

        def entry(number: ir.Value, *sums: ir.Value) -> list[ir.Value]:
            staging.prefetch(columns, number, count)
            row = b.load_index(staging.rows, number)
            gain = b.load(staging.gains, number)
            values = [
                to_float32(b, value, spec.dtype, spec.quantization)
                for value in columns.load(b, table, row)
            ]
            products = [
                b.floats("arith.mulf", b.splat(gain, value.type), value) for value in values
            ]
            return [
                b.floats("arith.addf", total, product)
                for total, product in zip(sums, products, strict=True)
            ]

        totals = b.loop(b.sub(position, first), b.sub(stop, first), entry, sums)
        return [stop, *totals]

    def is_left(position: ir.Value, *_: ir.Value) -> ir.Value:
        return b.compare("slt", position, end)

    return b.repeat([begin, *columns.zeros(b)], is_left, piece)[1:]
