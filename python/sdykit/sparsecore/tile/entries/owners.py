"""The program that reads the buffers of one device for all partitions, and checks them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from sdykit.core.sparsecore.names import TILE_MEMORY
from sdykit.mlir import ir
from sdykit.sparsecore.tile.arguments import STATUS, TileArgument
from sdykit.sparsecore.tile.build import text_of
from sdykit.sparsecore.tile.builder.contexts import tile_context
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.checks.buffers import EntryChecks
from sdykit.sparsecore.tile.entries.segments import Segments
from sdykit.sparsecore.tile.entry_function import make_module
from sdykit.sparsecore.tile.spec import TileSpec


@lru_cache(maxsize=1024)
def own_entries_program(spec: TileSpec) -> str:
    """Return the text of a program that writes the row and the sample of each entry of a device.

    Its arguments are `row_pointers`, `embedding_ids` and `sample_ids` of the device, `table`, whose rows
    are counted and not read, and two outputs of the size of the buffers: `rows`, counted over all
    devices, and `samples`, counted over the device. What is no entry has row -1. It checks the
    buffers as lookups and updates do; in messages the device has number 0.

    Args:
        spec: the spec of a lookup or an update of buffers without minibatches, on several devices.
    """
    dtype = getattr(spec, "dtype", "float32")
    arguments = (
        TileArgument("row_pointers", "int32", ("pointers",)),
        TileArgument("embedding_ids", "int32", ("entries",), work=16),
        TileArgument("sample_ids", "int32", ("entries",)),
        TileArgument("table", dtype, ("rows", spec.dim)),
        TileArgument("rows", "int32", ("entries",), "output"),
        TileArgument("samples", "int32", ("entries",), "output"),
        STATUS,
    )

    def body(b: Builder, values: Mapping[str, ir.Value]) -> None:
        b.phase({"core": spec.sparse_cores}, lambda core: _add_core(b, spec, values, core))

    with tile_context() as context:
        module = make_module(context, "own_entries", arguments, spec, body)
        # It is not laid out for a chip.
        del module.body.operations[0].attributes[TILE_MEMORY]
        return text_of(module)


def _add_core(b: Builder, spec: TileSpec, values: Mapping[str, ir.Value], core: ir.Value) -> None:
    """Add the checks and the entries of a SparseCore of the device."""
    pointers, size = values["row_pointers"], b.dim(values["embedding_ids"], 0)
    # No partition counts as this device's, whose entries would be checked elsewhere.
    no_partition = b.at(spec.all_cores)
    segments = Segments(b, spec, pointers, b.dim(pointers, 0), size, b.at(1), no_partition)
    none = b.constant("-1", "i32")
    first = segments.base(core)

    def clear(position: ir.Value) -> tuple[()]:
        b.store(none, values["rows"], position)
        b.store(none, values["samples"], position)
        return ()

    b.loop(first, b.add(first, segments.room), clear)
    checks = EntryChecks(b, spec, values, segments)
    checks.core(core)
    checks.if_quiet(lambda: _add_entries(b, spec, values, segments, core=core))


def _add_entries(
    b: Builder,
    spec: TileSpec,
    values: Mapping[str, ir.Value],
    segments: Segments,
    *,
    core: ir.Value,
) -> None:
    """Add the loops that write rows and samples of a SparseCore."""
    of_partition = b.div(b.dim(values["table"], 0), spec.sparse_cores)
    first_sample = b.mul(core, spec.samples_per_core)

    def partition(number: ir.Value) -> tuple[()]:
        first_row = b.mul(number, of_partition)

        def entry(position: ir.Value) -> tuple[()]:
            id_, sample = (
                b.load_index(values[name], position) for name in ("embedding_ids", "sample_ids")
            )
            b.store(b.to_integer(b.add(first_row, id_), "i32"), values["rows"], position)
            own = b.to_integer(b.add(first_sample, sample), "i32")
            b.store(own, values["samples"], position)
            return ()

        b.loop(*segments.span(core, 0, number), entry)
        return ()

    b.loop(0, spec.all_cores, partition)
