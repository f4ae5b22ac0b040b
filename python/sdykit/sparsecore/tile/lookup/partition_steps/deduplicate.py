"""The steps `deduplicate`: the distinct ids of a partition's entries, and the number of each one's.

Entries are sorted by id, so that an id is new if it differs from the one before it. Each tile has an
even share of the entries. The first step counts the new ids of each share; the second one numbers
them, from the number of those in the shares before.
"""

from __future__ import annotations

from sdykit.core.sparsecore.steps import DEDUPLICATE
from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.lanes import (
    append,
    as_ones,
    both_masks,
    first_lanes,
    neighbours,
    prefix_sums,
    total,
    zeros,
)
from sdykit.sparsecore.tile.lookup.core import Core
from sdykit.sparsecore.tile.lookup.held import ENTRY_IDS, ENTRY_ROWS, UNIQUE_COUNTS, UNIQUE_IDS

_NO_ID = -1
"""What is before the first id; ids are not negative."""


def add_deduplicate(core: Core, count: ir.Value) -> ir.Value:
    """Add the steps.

    Args:
        core: the SparseCore.
        count: the number of the partition's entries.

    Returns:
        The number of distinct ids.
    """
    core.step(
        DEDUPLICATE,
        lambda tile: _count(core, tile, count),
        reads=[ENTRY_IDS],
        writes=[UNIQUE_COUNTS],
    )
    core.step(
        DEDUPLICATE,
        lambda tile: _number(core, tile, count),
        reads=[ENTRY_IDS, UNIQUE_COUNTS],
        writes=[UNIQUE_IDS, ENTRY_ROWS],
    )
    found = _counted_before(core, core.builder.at(core.tiles))
    return core.builder.figure(found, "unique_ids")


def _count(core: Core, tile: ir.Value, count: ir.Value) -> None:
    """Count the new ids of a tile's share."""
    b = core.builder
    first, end = core.share(tile, count)

    def add(position: ir.Value, before: ir.Value, found: ir.Value) -> list[ir.Value]:
        ids, is_new = _new_ids(core, position, end, before)
        return [ids, b.integers("arith.addi", found, as_ones(b, is_new))]

    carried = [_ids_before(core, first), zeros(b, core.lanes)]
    _, found = b.loop(first, end, add, carried, step=core.lanes)
    b.store(total(b, found), core.buffers[UNIQUE_COUNTS], tile)


def _number(core: Core, tile: ir.Value, count: ir.Value) -> None:
    """Write the new ids of a tile's share, and the number of each entry's id."""
    b, unique = core.builder, core.buffers[UNIQUE_IDS]
    first, end = core.share(tile, count)

    def add(position: ir.Value, before: ir.Value, found: ir.Value) -> list[ir.Value]:
        ids, is_new = _new_ids(core, position, end, before)
        sums = prefix_sums(b, as_ones(b, is_new))
        last = b.splat(b.to_integer(b.sub(found, 1), "i32"), sums.type)
        b.store_vector(b.integers("arith.addi", sums, last), core.buffers[ENTRY_ROWS], [position])
        return [ids, append(b, ids, is_new, unique, found)]

    carried = [_ids_before(core, first), _counted_before(core, tile)]
    b.loop(first, end, add, carried, step=core.lanes)


def _ids_before(core: Core, first: ir.Value) -> ir.Value:
    """Return the vector of ids before a position, the first one of a share."""
    b, lanes = core.builder, core.lanes
    none = b.constant(f"dense<{_NO_ID}>", f"vector<{lanes}xi32>")
    start = b.maximum(b.sub(first, lanes), 0)
    before = b.load_vector(core.buffers[ENTRY_IDS], [start], lanes)
    return b.select(b.compare("eq", first, 0), none, before)


def _new_ids(
    core: Core, position: ir.Value, end: ir.Value, before: ir.Value
) -> tuple[ir.Value, ir.Value]:
    """Return the vector of ids at a position, and the mask of those that are new.

    Args:
        core: the SparseCore.
        position: the position.
        end: one past the last entry of the share.
        before: the vector of ids before.
    """
    b, lanes = core.builder, core.lanes
    ids = b.load_vector(core.buffers[ENTRY_IDS], [position], lanes)
    differs = b.compare("ne", ids, neighbours(b, before, ids))
    return ids, both_masks(b, differs, first_lanes(b, b.sub(end, position), lanes))


def _counted_before(core: Core, tile: ir.Value) -> ir.Value:
    """Return the number of new ids in the shares of the tiles before one."""
    b, lanes = core.builder, core.lanes

    def add(number: ir.Value, found: ir.Value) -> list[ir.Value]:
        counts = b.load_vector(core.buffers[UNIQUE_COUNTS], [number], lanes)
        before = first_lanes(b, b.sub(tile, number), lanes)
        return [b.integers("arith.addi", found, b.select(before, counts, zeros(b, lanes)))]

    (found,) = b.loop(0, tile, add, [zeros(b, lanes)], step=lanes)
    return b.to_index(total(b, found))
