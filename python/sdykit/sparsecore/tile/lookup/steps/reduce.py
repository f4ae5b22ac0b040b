"""The other steps of `reduce`, sums of `gain * row` by sample; and `store`, which writes them."""

from __future__ import annotations

from sdykit.core.sparsecore.steps import REDUCE, STORE
from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.columns import Columns, add_scaled, for_columns
from sdykit.sparsecore.tile.lookup.core import Core
from sdykit.sparsecore.tile.lookup.elements import load_float32
from sdykit.sparsecore.tile.lookup.held import (
    CSR_GAINS,
    CSR_ROWS,
    CSR_STARTS,
    RECEIVED,
    SUMS,
    starts_per_tile,
)


def add_zeros(core: Core) -> None:
    """Add the step that sets the sums of all samples to +0."""
    b = core.builder

    def tile(number: ir.Value) -> None:
        def sample(which: ir.Value) -> tuple[()]:
            def columns(these: Columns) -> tuple[()]:
                these.store(b, these.zeros(b), core.buffers[SUMS], which)
                return ()

            for_columns(b, core.spec.dim, core.lanes, columns)
            return ()

        b.loop(*core.samples(number), sample)

    core.step(REDUCE, tile, reads=[], writes=[SUMS])


def add_reduce(core: Core) -> None:
    """Add the step that adds `gain * row` of the entries of a partition to the sums."""
    b = core.builder

    def tile(number: ir.Value) -> None:
        first, end = core.samples(number)
        start = b.sub(b.mul(number, starts_per_tile(core.spec)), first)

        def sample(which: ir.Value) -> tuple[()]:
            place = b.add(start, which)
            ends = (place, b.add(place, 1))
            begin, stop = (b.load_index(core.buffers[CSR_STARTS], each) for each in ends)

            def columns(these: Columns) -> tuple[()]:
                sums = these.load(b, core.buffers[SUMS], which)
                sums = _sum_entries(core, these, (begin, stop), sums)
                these.store(b, sums, core.buffers[SUMS], which)
                return ()

            for_columns(b, core.spec.dim, core.lanes, columns)
            return ()

        b.loop(first, end, sample)

    reads = [CSR_STARTS, CSR_ROWS, CSR_GAINS, RECEIVED, SUMS]
    core.step(REDUCE, tile, reads=reads, writes=[SUMS])


def _sum_entries(
    core: Core, columns: Columns, entries: tuple[ir.Value, ir.Value], sums: list[ir.Value]
) -> list[ir.Value]:
    """Add `gain * row` of each entry to the sums, one after another, each operation rounded."""
    b, buffers = core.builder, core.buffers

    def entry(position: ir.Value, *sums: ir.Value) -> list[ir.Value]:
        row = b.load_index(buffers[CSR_ROWS], position)
        values = load_float32(b, core.spec, columns, buffers[RECEIVED], row)
        return add_scaled(b, sums, values, b.load(buffers[CSR_GAINS], position))

    return b.loop(*entries, entry, sums)


def add_store(core: Core) -> None:
    """Add the step that copies the sums to the activations in HBM."""
    b = core.builder
    first_row = b.mul(core.number, core.spec.samples_per_core)

    def tile(number: ir.Value) -> None:
        first, end = core.samples(number)
        size = b.sub(end, first)
        target = b.rows_of(core.buffers["activations"], b.add(first_row, first), size)
        b.copy(b.rows_of(core.buffers[SUMS], first, size), target)

    core.step(STORE, tile, reads=[SUMS], writes=["activations"])
