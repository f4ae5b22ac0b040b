"""The steps that bring the rows of distinct ids: `exchange_ids`, `gather` and `all_to_all`.

SparseCores run the same program at the same time, so that each is at once one that asks for rows and
one that owns rows. The program of a SparseCore shows what is done for its own samples: the owner's
gather is in the program of the SparseCore that asks.

Each step has one of these forms, in which passes look for what a buffer is a copy of:

- one `memref.copy`, from a part of a buffer to the same part of another one;
- one `scf.for %k` over the tile's share. Its body computes a row, by loads and arithmetic, and ends
  with one `memref.copy`, from this row of a buffer to row `%k` of another one.
"""

from __future__ import annotations

from sdykit.core.sparsecore.steps import ALL_TO_ALL, EXCHANGE_IDS, GATHER
from sdykit.mlir import ir
from sdykit.sparsecore.tile.lookup.core import Core
from sdykit.sparsecore.tile.lookup.held import GATHERED, INBOX, RECEIVED, UNIQUE_IDS


def add_exchange_ids(core: Core, unique: ir.Value) -> None:
    """Add the step that sends the distinct ids, `unique` of them, to the owner of their rows."""
    b = core.builder

    def tile(number: ir.Value) -> None:
        first, end = core.share(number, unique)
        size = b.sub(end, first)
        source = b.part_of(core.buffers[UNIQUE_IDS], first, size)
        b.copy(source, b.part_of(core.buffers[INBOX], first, size))

    core.step(EXCHANGE_IDS, tile, reads=[UNIQUE_IDS], writes=[INBOX])


def add_gather(core: Core, unique: ir.Value, first_row: ir.Value) -> None:
    """Add the step in which the owner copies each row once.

    Args:
        core: the SparseCore that asks for the rows.
        unique: the number of rows.
        first_row: the first row of the partition in the table.
    """
    b = core.builder
    one = b.at(1)

    def tile(number: ir.Value) -> None:
        def each(position: ir.Value) -> tuple[()]:
            row = b.add(first_row, b.load_index(core.buffers[INBOX], position))
            source = b.rows_of(core.buffers["table"], row, one)
            b.copy(source, b.rows_of(core.buffers[GATHERED], position, one))
            return ()

        b.loop(*core.share(number, unique), each)

    core.step(GATHER, tile, reads=[INBOX, "table"], writes=[GATHERED])


def add_all_to_all(core: Core, unique: ir.Value) -> None:
    """Add the step that sends the rows, `unique` of them, back to the SparseCore that asked."""
    b = core.builder

    def tile(number: ir.Value) -> None:
        first, end = core.share(number, unique)
        size = b.sub(end, first)
        source = b.rows_of(core.buffers[GATHERED], first, size)
        b.copy(source, b.rows_of(core.buffers[RECEIVED], first, size))

    core.step(ALL_TO_ALL, tile, reads=[GATHERED], writes=[RECEIVED])
