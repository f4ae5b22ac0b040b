"""The step `sort`: the entries of a block in the order of their rows, stably."""

from __future__ import annotations

from collections.abc import Callable

from sdykit.core.sparsecore.steps import SORT
from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.lanes import numbered_from
from sdykit.sparsecore.tile.builder.vector_sort import VectorSort
from sdykit.sparsecore.tile.lookup.block_steps.block import Block
from sdykit.sparsecore.tile.lookup.held import ENTRY_IDS, ENTRY_STARTS, WORDS

HALF = 32
"""The number of bits of a half of a word."""


def add_sort(block: Block) -> None:
    """Add the step; it sorts words of the row in the higher half, and the entry in the lower half."""
    core = block.core
    b = core.builder

    def tile(number: ir.Value) -> None:
        first, count = block.first(number), block.count(number)
        b.loop(0, count, lambda offset: _make_words(block, first, offset), step=core.lanes)
        VectorSort(b, core.buffers[WORDS], first, count, core.lanes, run).sort()

    def run(count: ir.Value, body: Callable[[ir.Value], None]) -> None:
        def each(which: ir.Value) -> tuple[()]:
            body(which)
            return ()

        b.loop(0, count, each)

    core.step(SORT, tile, reads=[ENTRY_IDS, ENTRY_STARTS, WORDS], writes=[WORDS])


def _make_words(block: Block, first: ir.Value, offset: ir.Value) -> tuple[()]:
    """Write a vector of words."""
    b, lanes, buffers = block.core.builder, block.core.lanes, block.core.buffers
    place, type_ = b.add(first, offset), b.type(f"vector<{lanes}xi64>")
    rows = b.convert("arith.extsi", b.load_vector(buffers[ENTRY_IDS], [place], lanes), type_)
    entries = b.convert("arith.extsi", numbered_from(b, place, lanes), type_)
    high = b.integers("arith.shli", rows, b.constant(f"dense<{HALF}>", type_))
    words = b.integers("arith.ori", high, entries)
    b.store_vector(words, buffers[WORDS], [place])
    return ()
