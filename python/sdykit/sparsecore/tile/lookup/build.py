"""The tile program of a lookup.

It is built as the chip runs it, with one phase over the SparseCores that have samples: see `partitions`,
and for raw ids `blocks`. Passes derive from it how a CPU runs it, `-sparsecore-cpu-pipeline`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from sdykit.core.sparsecore.names import HAS_INDEX
from sdykit.mlir import ir
from sdykit.sparsecore.tile.arguments import (
    ELEMENT_BYTES,
    STATUS,
    TileArgument,
    last_arguments,
    samples_passed,
    source_arguments,
)
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.entry_function import make_module
from sdykit.sparsecore.tile.lookup.blocks import add_blocks
from sdykit.sparsecore.tile.lookup.held import sizes_of
from sdykit.sparsecore.tile.lookup.index_phase import index_arguments, shared_index_arguments
from sdykit.sparsecore.tile.lookup.partitions import add_partitions
from sdykit.sparsecore.tile.shared_memory.indexed_lookup import add_shared_indexed_lookup
from sdykit.sparsecore.tile.shared_memory.lookup import add_shared_lookup
from sdykit.sparsecore.tile.spec import LookupSpec

_SERIAL_BYTES = 17 * 2**18
"""The memory traffic up to which a second thread does not pay: with cold caches it is slower up to 5 MiB,
with warm ones it is faster from 4.5 MiB of narrow rows on, and no faster at 4 MiB of wide ones."""


_LARGE_BYTES = 8 * 2**20
"""The size from which activations do not stay in caches until they are used."""


def _bypasses_caches(spec: LookupSpec) -> bool:
    """Return whether a CPU stores activations past the caches: they are large, in whole vectors."""
    is_large = 4 * spec.dim * spec.samples >= _LARGE_BYTES
    return is_large and spec.dim % spec.hardware.float32_lanes == 0


def lookup_arguments(spec: LookupSpec) -> tuple[TileArgument, ...]:
    """Return the arguments of the program of a lookup, in order."""
    table = TileArgument("table", spec.dtype, ("rows", spec.dim), quantization=spec.quantization)
    activations = TileArgument(
        "activations",
        "float32",
        (samples_passed(spec), spec.dim),
        "output",
        work=4,
        is_aligned=_bypasses_caches(spec),
    )
    work = ELEMENT_BYTES[spec.dtype] * spec.dim + 8
    source = source_arguments(spec, work)
    if spec.transport == "memory" and spec.layout != "ids":
        arrays = (*source, table, activations, *shared_index_arguments(spec))
        return (*arrays, *last_arguments(spec, arrays))
    if spec.layout == "ids" or spec.reading == "chip":
        arrays = (*source, table, activations)
        return (*arrays, *last_arguments(spec, arrays))
    index = index_arguments(spec, work if spec.has_index else None)
    if spec.has_index:
        return (*index, table, activations, STATUS)
    return (*source, table, activations, *index, STATUS)


def build_lookup(context: ir.Context, spec: LookupSpec) -> ir.Module:
    """Build the program of a lookup.

    Raises:
        SparseCoreError: there is no such chip.
    """
    if spec.transport == "memory":
        return _build_shared(context, spec)
    chip = dataclasses.replace(spec, reading="chip")

    def body(b: Builder, values: Mapping[str, ir.Value]) -> None:
        add = add_blocks if spec.layout == "ids" else add_partitions
        add(b, chip, values)

    module = make_module(
        context,
        "lookup",
        lookup_arguments(chip),
        chip,
        body,
        serial_bytes=_SERIAL_BYTES,
        sizes=sizes_of(chip),
    )
    if spec.has_index:
        module.body.operations[0].attributes[HAS_INDEX] = ir.UnitAttr.get(context)
    return module


def _build_shared(context: ir.Context, spec: LookupSpec) -> ir.Module:
    """Build the program of a lookup that runs once for all devices of a process."""
    arguments = lookup_arguments(spec)
    store = {}
    if _bypasses_caches(spec):
        bytes_ = 4 * spec.hardware.float32_lanes
        store = {"nontemporal": "true", "alignment": f"{bytes_} : i64"}

    def body(b: Builder, values: Mapping[str, ir.Value]) -> None:
        add = add_shared_lookup if spec.layout == "ids" else add_shared_indexed_lookup
        add(b, spec, arguments, values, store)

    return make_module(context, "lookup", arguments, spec, body, serial_bytes=_SERIAL_BYTES)
