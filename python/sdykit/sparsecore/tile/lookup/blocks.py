"""A lookup of raw ids as the chip runs it: block by block, step by step."""

from __future__ import annotations

from collections.abc import Mapping

from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.checks.ids import add_id_checks
from sdykit.sparsecore.tile.entries.ids import ids_of
from sdykit.sparsecore.tile.lookup.block_steps.block import Block, blocks_of
from sdykit.sparsecore.tile.lookup.block_steps.deduplicate import add_deduplicate
from sdykit.sparsecore.tile.lookup.block_steps.load import add_load
from sdykit.sparsecore.tile.lookup.block_steps.reduce import add_gather, add_reduce
from sdykit.sparsecore.tile.lookup.block_steps.sort import add_sort
from sdykit.sparsecore.tile.lookup.core import Core
from sdykit.sparsecore.tile.lookup.held import hold_blocks
from sdykit.sparsecore.tile.lookup.sums import add_store, add_zeros
from sdykit.sparsecore.tile.spec import LookupSpec


def add_blocks(b: Builder, spec: LookupSpec, arguments: Mapping[str, ir.Value]) -> None:
    """Add the phase that checks the ids, and the phase of the SparseCores that have samples.

    Each tile takes the ids of its own samples in blocks. A SparseCore's sequencer launches the tiles
    for each step of a block, and waits for all of them.
    """

    def sequencer(number: ir.Value) -> None:
        held = hold_blocks(b, spec, arguments["table"])
        core = Core(b, spec, number, {**arguments, **held})
        ids = ids_of(b, spec, arguments)

        add_zeros(core)
        b.loop(0, blocks_of(core, ids), lambda block: _add_block(Block(core, ids, block)))
        add_store(core)

    add_id_checks(b, spec, arguments)
    b.phase({"core": spec.all_cores}, sequencer)


def _add_block(block: Block) -> tuple[()]:
    """Add the steps for a block."""
    add_load(block)
    add_sort(block)
    add_deduplicate(block)
    add_gather(block)
    add_reduce(block)
    return ()
