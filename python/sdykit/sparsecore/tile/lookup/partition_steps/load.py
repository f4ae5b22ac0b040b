"""The step `load`: the entries of a partition, from the buffers in HBM to SPMEM."""

from __future__ import annotations

from sdykit.core.sparsecore.steps import LOAD
from sdykit.mlir import ir
from sdykit.sparsecore.tile.lookup.core import Core
from sdykit.sparsecore.tile.lookup.held import ENTRY_GAINS, ENTRY_IDS, ENTRY_SAMPLES

_COPIES = {"embedding_ids": ENTRY_IDS, "sample_ids": ENTRY_SAMPLES, "gains": ENTRY_GAINS}


def add_load(core: Core, begin: ir.Value, count: ir.Value) -> None:
    """Add the step.

    Args:
        core: the SparseCore.
        begin: the position of the partition's first entry in the buffers.
        count: the number of its entries.
    """
    b = core.builder

    def tile(number: ir.Value) -> None:
        first, end = core.share(number, count)
        size = b.sub(end, first)
        for source, target in _COPIES.items():
            part = b.part_of(core.buffers[source], b.add(begin, first), size)
            b.copy(part, b.part_of(core.buffers[target], first, size))

    core.step(LOAD, tile, reads=list(_COPIES), writes=list(_COPIES.values()))
