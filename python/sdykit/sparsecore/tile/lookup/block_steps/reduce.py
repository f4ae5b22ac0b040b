"""The steps `gather`, which copies each row of a block once, and `reduce`, which sums them."""

from __future__ import annotations

from sdykit.core.sparsecore.steps import GATHER, REDUCE
from sdykit.mlir import ir
from sdykit.sparsecore.tile.lookup.block_steps.block import Block
from sdykit.sparsecore.tile.lookup.core import Range
from sdykit.sparsecore.tile.lookup.held import (
    ENTRY_GAINS,
    ENTRY_ROWS,
    ENTRY_STARTS,
    GATHERED,
    SUMS,
    UNIQUE_COUNTS,
    UNIQUE_IDS,
)
from sdykit.sparsecore.tile.lookup.sums import Rows, add_to_sum


def add_gather(block: Block) -> None:
    """Add the step `gather`, in the form that `partition_steps.rows` describes."""
    core = block.core
    b, one = core.builder, core.builder.at(1)

    def tile(number: ir.Value) -> None:
        def each(position: ir.Value) -> tuple[()]:
            row = b.load_index(core.buffers[UNIQUE_IDS], position)
            source = b.rows_of(core.buffers["table"], row, one)
            b.copy(source, b.rows_of(core.buffers[GATHERED], position, one))
            return ()

        end = b.load_index(core.buffers[UNIQUE_COUNTS], number)
        b.loop(block.first(number), end, each, total="tile_unique_ids")

    core.step(GATHER, tile, reads=[UNIQUE_IDS, UNIQUE_COUNTS, "table"], writes=[GATHERED])


def add_reduce(block: Block) -> None:
    """Add the step that adds `gain * row` of the entries of a block to the sums."""
    core = block.core
    b, buffers = core.builder, core.buffers
    gains = [] if block.ids.gains is None else [ENTRY_GAINS]
    rows = Rows(buffers[GATHERED], buffers[ENTRY_ROWS], buffers.get(ENTRY_GAINS))

    def tile(number: ir.Value) -> None:
        begin, end = block.positions(number)
        valency = block.ids.valency

        def sample(which: ir.Value) -> tuple[()]:
            inside = (
                b.maximum(b.mul(which, valency), begin),
                b.minimum(b.mul(b.add(which, 1), valency), end),
            )
            entries = _entries(block, number, inside)
            before = b.mul(core.number, core.spec.samples_per_core)
            add_to_sum(core, rows, entries, b.sub(which, before))
            return ()

        def samples() -> tuple[()]:
            last = b.div(b.add(end, b.sub(valency, 1)), valency)
            b.loop(b.div(begin, valency), last, sample)
            return ()

        b.choose(b.compare("slt", begin, end), samples)

    reads = [ENTRY_STARTS, ENTRY_ROWS, *gains, GATHERED, SUMS]
    core.step(REDUCE, tile, reads=reads, writes=[SUMS])


def _entries(block: Block, tile: ir.Value, positions: Range) -> Range:
    """Return the entries at some positions of a tile's block."""
    b, starts = block.core.builder, block.core.buffers[ENTRY_STARTS]
    begin, _ = block.positions(tile)

    def entry_at(position: ir.Value) -> ir.Value:
        place = b.add(block.starts(tile), b.sub(position, begin))
        return b.add(block.first(tile), b.load_index(starts, place))

    first, end = (entry_at(position) for position in positions)
    return first, end
