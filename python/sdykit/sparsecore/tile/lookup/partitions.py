"""A lookup of buffers as the chip runs it: partition by partition, step by step."""

from __future__ import annotations

from collections.abc import Mapping

from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.checks.buffers import add_buffer_checks
from sdykit.sparsecore.tile.entries.segments import segments_of
from sdykit.sparsecore.tile.lookup.core import Core
from sdykit.sparsecore.tile.lookup.held import hold_partition
from sdykit.sparsecore.tile.lookup.partition_steps.csr import add_csr
from sdykit.sparsecore.tile.lookup.partition_steps.deduplicate import add_deduplicate
from sdykit.sparsecore.tile.lookup.partition_steps.load import add_load
from sdykit.sparsecore.tile.lookup.partition_steps.reduce import add_reduce
from sdykit.sparsecore.tile.lookup.partition_steps.rows import (
    add_all_to_all,
    add_exchange_ids,
    add_gather,
)
from sdykit.sparsecore.tile.lookup.sums import add_store, add_zeros
from sdykit.sparsecore.tile.spec import LookupSpec


def add_partitions(b: Builder, spec: LookupSpec, arguments: Mapping[str, ir.Value]) -> None:
    """Add the phase that checks the entries, and the phase of the SparseCores that have samples.

    A SparseCore's sequencer takes one minibatch after another, and in it one partition of this
    device after another. It launches the tiles for each step, and waits for all of them.
    """

    def sequencer(number: ir.Value) -> None:
        held = hold_partition(b, spec, arguments["table"])
        core = Core(b, spec, number, {**arguments, **held})
        segments = segments_of(b, spec, arguments)
        rows = b.div(b.dim(arguments["table"], 0), spec.sparse_cores)

        def partition(begin: ir.Value, end: ir.Value, partition: ir.Value) -> None:
            ids = b.named(b.figure(b.sub(end, begin), "ids"), "ids")
            first_row = b.named(b.mul(partition, rows), "first_row")
            _add_partition(core, b.named(begin, "begin"), ids, first_row)

        add_zeros(core)
        segments.each(number, partition, is_counted=True)
        add_store(core)

    add_buffer_checks(b, spec, arguments, entries=True)
    b.phase({"core": spec.all_cores}, sequencer)


def _add_partition(core: Core, begin: ir.Value, count: ir.Value, first_row: ir.Value) -> None:
    """Add the steps for a partition.

    Args:
        core: the SparseCore.
        begin: the position of the first entry in the buffers.
        count: the number of entries.
        first_row: the first row of the partition in the table.
    """
    add_load(core, begin, count)
    unique = core.builder.named(add_deduplicate(core, count), "unique")
    add_exchange_ids(core, unique)
    add_gather(core, unique, first_row)
    add_all_to_all(core, unique)
    add_csr(core, count)
    add_reduce(core)
