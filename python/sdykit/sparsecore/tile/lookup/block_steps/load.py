"""The step `load`: a block of raw ids, filtered to those that name rows of this device."""

from __future__ import annotations

from sdykit.core.sparsecore.steps import LOAD
from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.lanes import (
    append,
    as_ones,
    both_masks,
    first_lanes,
    integers,
    prefix_sums,
    zeros,
)
from sdykit.sparsecore.tile.lookup.block_steps.block import Block
from sdykit.sparsecore.tile.lookup.held import (
    BLOCK_GAINS,
    BLOCK_IDS,
    ENTRY_GAINS,
    ENTRY_IDS,
    ENTRY_STARTS,
)

_BEYOND = 2**31
"""No row of a device that begins here, or after it, has an id of 32 bits."""


def add_load(block: Block) -> None:
    """Add the step."""
    gains = block.ids.gains is not None

    def tile(number: ir.Value) -> None:
        _copy(block, number)
        _filter(block, number)

    block.core.step(
        LOAD,
        tile,
        reads=["ids", BLOCK_IDS, *(["gains", BLOCK_GAINS] if gains else ())],
        writes=[BLOCK_IDS, ENTRY_IDS, ENTRY_STARTS, *([BLOCK_GAINS, ENTRY_GAINS] if gains else ())],
    )


def _copy(block: Block, tile: ir.Value) -> None:
    """Copy a tile's block of ids, and of gains, to SPMEM."""
    b, buffers = block.core.builder, block.core.buffers
    begin, end = block.positions(tile)
    count, copies = b.sub(end, begin), [(block.ids.ids, BLOCK_IDS)]
    if block.ids.gains is not None:
        copies.append((block.ids.gains, BLOCK_GAINS))
    for source, target in copies:
        held = b.part_of(buffers[target], block.first(tile), count)
        b.copy(b.part_of(source, begin, count), held)


def _filter(block: Block, tile: ir.Value) -> None:
    """Write the entries of a block one after another, and how many are before each position."""
    b, buffers, lanes = block.core.builder, block.core.buffers, block.core.lanes
    (begin, end), first, starts = block.positions(tile), block.first(tile), block.starts(tile)
    count = b.sub(end, begin)
    pairs = {BLOCK_IDS: ENTRY_IDS}
    if block.ids.gains is not None:
        pairs[BLOCK_GAINS] = ENTRY_GAINS

    def some(offset: ir.Value, found: ir.Value) -> list[ir.Value]:
        loaded = {
            name: b.load_vector(buffers[name], [b.add(first, offset)], lanes) for name in pairs
        }
        loaded[BLOCK_IDS], is_row = _rows(block, loaded[BLOCK_IDS])
        is_entry = both_masks(b, is_row, first_lanes(b, b.sub(count, offset), lanes))
        ones = as_ones(b, is_entry)
        before = b.integers("arith.subi", prefix_sums(b, ones), ones)
        before = b.integers("arith.addi", before, b.splat(b.to_integer(found, "i32"), ones.type))
        b.store_vector(before, buffers[ENTRY_STARTS], [b.add(starts, offset)])
        ends = [
            append(b, loaded[source], is_entry, buffers[target], b.add(first, found))
            for source, target in pairs.items()
        ]
        return [b.sub(ends[0], first)]

    (found,) = b.loop(0, count, some, [b.at(0)], step=lanes)
    b.store(b.to_integer(found, "i32"), buffers[ENTRY_STARTS], b.add(starts, count))


def _rows(block: Block, ids: ir.Value) -> tuple[ir.Value, ir.Value]:
    """Return the rows of ids in this device's part of the table, and the mask of those it has."""
    b, lanes = block.core.builder, block.core.lanes
    rows = b.splat(b.to_integer(block.ids.rows, "i32"), integers(b, lanes))
    if block.ids.first_row is None:
        # As an unsigned number, a negative id is larger than any row.
        return ids, b.compare("ult", ids, rows)
    first = b.to_integer(b.minimum(block.ids.first_row, _BEYOND), "i32")
    here = b.integers("arith.subi", ids, b.splat(first, ids.type))
    # A very negative id, less the first row, may be a row in 32 bits.
    is_id = b.compare("sle", zeros(b, lanes), ids)
    return here, both_masks(b, is_id, b.compare("ult", here, rows))
