"""The second step of `reduce`: sums of `gain * row` by sample."""

from __future__ import annotations

from sdykit.core.sparsecore.steps import REDUCE
from sdykit.mlir import ir
from sdykit.sparsecore.tile.lookup.core import Core
from sdykit.sparsecore.tile.lookup.held import (
    CSR_GAINS,
    CSR_ROWS,
    CSR_STARTS,
    RECEIVED,
    SUMS,
    starts_per_tile,
)
from sdykit.sparsecore.tile.lookup.sums import Rows, add_to_sum


def add_reduce(core: Core) -> None:
    """Add the step that adds `gain * row` of the entries of a partition to the sums."""
    b, buffers = core.builder, core.buffers
    rows = Rows(buffers[RECEIVED], buffers[CSR_ROWS], buffers[CSR_GAINS])

    def tile(number: ir.Value) -> None:
        first, end = core.samples(number)
        start = b.sub(b.mul(number, starts_per_tile(core.spec)), first)

        def sample(which: ir.Value) -> tuple[()]:
            place = b.add(start, which)
            ends = (place, b.add(place, 1))
            begin, stop = (b.load_index(buffers[CSR_STARTS], each) for each in ends)
            add_to_sum(core, rows, (begin, stop), which)
            return ()

        b.loop(first, end, sample)

    reads = [CSR_STARTS, CSR_ROWS, CSR_GAINS, RECEIVED, SUMS]
    core.step(REDUCE, tile, reads=reads, writes=[SUMS])
