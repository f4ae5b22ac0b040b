"""The step `deduplicate`: the distinct rows of a block's entries, and the number of each one's."""

from __future__ import annotations

from sdykit.core.sparsecore.steps import DEDUPLICATE
from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.lanes import (
    append,
    as_ones,
    both_masks,
    first_lanes,
    integers,
    neighbours,
    prefix_sums,
    scatter,
)
from sdykit.sparsecore.tile.lookup.block_steps.block import Block
from sdykit.sparsecore.tile.lookup.block_steps.sort import HALF
from sdykit.sparsecore.tile.lookup.held import (
    ENTRY_ROWS,
    ENTRY_STARTS,
    UNIQUE_COUNTS,
    UNIQUE_IDS,
    WORDS,
)

_NO_ROW = -1
"""What is before the first row; rows are not negative."""


def add_deduplicate(block: Block) -> None:
    """Add the step; words are sorted, so that a row is new if it differs from the one before it."""
    core = block.core
    b, lanes = core.builder, core.lanes

    def tile(number: ir.Value) -> None:
        first = block.first(number)
        end = b.add(first, block.count(number))

        def add(place: ir.Value, before: ir.Value, found: ir.Value) -> list[ir.Value]:
            rows, entries = _halves(block, place)
            is_entry = first_lanes(b, b.sub(end, place), lanes)
            differs = b.compare("ne", rows, neighbours(b, before, rows))
            is_new = both_masks(b, differs, is_entry)
            last = b.splat(b.to_integer(b.sub(found, 1), "i32"), rows.type)
            numbers = b.integers("arith.addi", prefix_sums(b, as_ones(b, is_new)), last)
            scatter(b, numbers, is_entry, core.buffers[ENTRY_ROWS], entries)
            return [rows, append(b, rows, is_new, core.buffers[UNIQUE_IDS], found)]

        none = b.constant(f"dense<{_NO_ROW}>", integers(b, lanes))
        _, found = b.loop(first, end, add, [none, first], step=lanes)
        b.store(b.to_integer(found, "i32"), core.buffers[UNIQUE_COUNTS], number)

    core.step(
        DEDUPLICATE,
        tile,
        reads=[WORDS, ENTRY_STARTS],
        writes=[UNIQUE_IDS, ENTRY_ROWS, UNIQUE_COUNTS],
    )


def _halves(block: Block, place: ir.Value) -> tuple[ir.Value, ir.Value]:
    """Return the rows and the entries of a vector of words."""
    b, lanes = block.core.builder, block.core.lanes
    words = b.load_vector(block.core.buffers[WORDS], [place], lanes)
    high = b.integers("arith.shrui", words, b.constant(f"dense<{HALF}>", words.type))
    rows, entries = (b.convert("arith.trunci", each, integers(b, lanes)) for each in (high, words))
    return rows, entries
