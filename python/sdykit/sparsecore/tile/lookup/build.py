"""The tile program of a lookup.

As the chip runs it, it has one phase, over the SparseCores that have samples; see `partitions`, and
for raw ids `blocks`. As a CPU runs it, its phases are:

1. over the SparseCores: row pointers and limits are checked;
2. over the SparseCores, if the buffers have no index: their sequencers sort entries by sample;
3. over the tiles: each owns a range of its SparseCore's samples. It copies its entries to SPMEM,
   block by block, gathers each row that they name once, and sums `gain * row` of a sample in
   registers, in the order of the buffers.
"""

from __future__ import annotations

from collections.abc import Mapping

from sdykit.mlir import ir
from sdykit.sparsecore.tile.arguments import STATUS, TileArgument, source_arguments
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.checks.buffers import add_buffer_checks
from sdykit.sparsecore.tile.checks.index import add_observed_checks
from sdykit.sparsecore.tile.entry_function import make_module
from sdykit.sparsecore.tile.lookup.blocks import add_blocks
from sdykit.sparsecore.tile.lookup.held import sizes_of
from sdykit.sparsecore.tile.lookup.index_phase import add_index_phase
from sdykit.sparsecore.tile.lookup.partitions import add_partitions
from sdykit.sparsecore.tile.lookup.tile_phase import add_tile_phase, bypasses_caches
from sdykit.sparsecore.tile.spec import LookupSpec

_ELEMENT_BYTES = {"float32": 4, "bfloat16": 2, "int8": 1, "int32": 4}
_SERIAL_BYTES = 3 * 2**20
"""The memory traffic of one thread in the time that it takes to wake a second one."""


def lookup_arguments(spec: LookupSpec) -> tuple[TileArgument, ...]:
    """Return the arguments of the program of a lookup, in order."""
    table = TileArgument("table", spec.dtype, ("rows", spec.dim), quantization=spec.quantization)
    activations = TileArgument(
        "activations",
        "float32",
        (spec.samples, spec.dim),
        "output",
        work=4,
        is_aligned=bypasses_caches(spec),
    )
    work = _ELEMENT_BYTES[spec.dtype] * spec.dim + 8
    source = source_arguments(spec, work)
    if spec.layout == "ids" or spec.reading == "chip":
        return (*source, table, activations, STATUS)
    role = "input" if spec.has_index else "workspace"
    index = (
        TileArgument("splits", "int32", (spec.all_cores, spec.samples_per_core + 1), role),
        TileArgument(
            "sample_rows", "int32", ("entries",), role, work=work if spec.has_index else 0
        ),
        TileArgument("sample_gains", "float32", ("entries",), role),
    )
    if spec.has_index:
        observed = TileArgument("observed", "int32", (2 * spec.segments,))
        return (*index, observed, table, activations, STATUS)
    return (*source, table, activations, *index, STATUS)


def build_lookup(context: ir.Context, spec: LookupSpec) -> ir.Module:
    """Build the program of a lookup.

    Raises:
        SparseCoreError: there is no such chip.
    """
    arguments = lookup_arguments(spec)
    if spec.reading == "chip":
        return _chip_program(context, spec, arguments)

    def body(b: Builder, values: Mapping[str, ir.Value]) -> None:
        if spec.has_index:
            add_observed_checks(b, spec, values)
        elif spec.layout != "ids":
            add_buffer_checks(b, spec, values)
            add_index_phase(b, spec, values)
        add_tile_phase(b, spec, values)

    return make_module(context, "lookup", arguments, spec, body, serial_bytes=_SERIAL_BYTES)


def _chip_program(
    context: ir.Context, spec: LookupSpec, arguments: tuple[TileArgument, ...]
) -> ir.Module:
    """Build the program as the chip runs it."""

    def body(b: Builder, values: Mapping[str, ir.Value]) -> None:
        add = add_blocks if spec.layout == "ids" else add_partitions
        add(b, spec, values)

    return make_module(context, "lookup", arguments, spec, body, sizes=sizes_of(spec))
