"""The sums of a SparseCore's samples: set to +0 before the first entries, and stored at the end."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.core.sparsecore.steps import REDUCE, STORE
from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.columns import Columns, add_scaled, for_columns
from sdykit.sparsecore.tile.lookup.core import Core, Range
from sdykit.sparsecore.tile.lookup.elements import load_float32
from sdykit.sparsecore.tile.lookup.held import SUMS


@dataclass(frozen=True)
class Rows:
    """The rows and gains of entries.

    Attributes:
        held: rows of the table, `[rows, dim]`.
        numbers: for each entry, the number of its row in `held`, i32.
        gains: the gain of each entry, f32; None: every gain is 1.
    """

    held: ir.Value
    numbers: ir.Value
    gains: ir.Value | None


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


def add_to_sum(core: Core, rows: Rows, entries: Range, sample: ir.Value) -> None:
    """Add `gain * row` of entries to a sum, one after another, each operation rounded.

    Args:
        core: the SparseCore.
        rows: the rows and gains of entries.
        entries: the first entry, and one past the last.
        sample: the sample, counted within the SparseCore.
    """
    b, spec = core.builder, core.spec

    def columns(these: Columns) -> tuple[()]:
        def entry(number: ir.Value, *sums: ir.Value) -> list[ir.Value]:
            row = b.load_index(rows.numbers, number)
            values = load_float32(b, spec, these, rows.held, row)
            gain = None if rows.gains is None else b.load(rows.gains, number)
            return add_scaled(b, sums, values, gain)

        sums = these.load(b, core.buffers[SUMS], sample)
        sums = b.loop(*entries, entry, sums, total="tile_ids")
        these.store(b, sums, core.buffers[SUMS], sample)
        return ()

    for_columns(b, spec.dim, core.lanes, columns)


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
