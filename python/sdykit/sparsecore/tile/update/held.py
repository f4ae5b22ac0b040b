"""The buffers that a SparseCore holds for an update: their names, and their sizes by the limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from sdykit.core.sparsecore.sizes import evaluate
from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.builder.steps import hold
from sdykit.sparsecore.tile.spec import CustomUpdateSpec, UpdateSpec
from sdykit.sparsecore.tile.spec.base import MAX_MINIBATCHES
from sdykit.sparsecore.tile.spec.update import AnyUpdateSpec

SORTED_WORDS: Final = "sorted_words"
"""The words of a partition, i64, sorted in the end."""
TILE_COUNTS: Final = "tile_counts"
"""For each tile, the number of its raw ids of partitions before, and of the partition, i32."""
BLOCK_WORDS: Final = "block_words"
"""The words of a block of a tile's raw ids, i64."""
UNIQUE_ROWS: Final = "unique_rows"
"""The row in the table of each distinct row of a tile, index."""
GRADIENT_SUMS: Final = "gradient_sums"
"""The sum of the gradients of each of these rows, f32."""
UNIQUE_SLOTS: Final = "unique_slots"
"""The slot of each distinct row of a tile in a minibatch, index."""
UPDATED_SLOTS: Final = "updated_slots"
"""The slot of each of the rows in `UNIQUE_ROWS`, after the last minibatch, index."""
SLOTS_OF_ROWS: Final = "slots_of_rows"
"""The slot of each row of the table, i32; undefined for a row that `ROWS_OF_SLOTS` does not have there."""
ROWS_OF_SLOTS: Final = "rows_of_slots"
"""The row of each slot, i32; -1: none."""
GRADIENT_PARTS: Final = "gradient_parts"
"""For each slot, the sum of the gradients of its row on each device so far, f32."""
_GATHERED: Final = "gathered_"
"""The prefix of the names of copies of these rows and their slots; the argument's name follows."""

_SEGMENTS = "sparse_cores * num_devices * minibatches"
_IDS = f"max_ids_per_partition * {_SEGMENTS}"
ROWS_OF_A_BLOCK = f"min({_IDS} / tiles, max_unique_ids_per_partition * {_SEGMENTS})"


def runs_minibatches(spec: AnyUpdateSpec) -> bool:
    """Return whether the program takes one minibatch after another, as a chip does."""
    return spec.minibatches and spec.reading == "chip"


def _minibatches_of(spec: AnyUpdateSpec) -> dict[str, int]:
    """Return the number of minibatches that are held at a time, and the most that a loop has."""
    if runs_minibatches(spec):
        return {"minibatches": 1, "minibatch": MAX_MINIBATCHES}
    return {"minibatches": MAX_MINIBATCHES if spec.minibatches else 1}


def sizes_of(spec: AnyUpdateSpec) -> dict[str, int]:
    """Return the values of the names in sizes."""
    return {
        "dim": spec.dim,
        "samples_per_core": spec.samples_per_core,
        "max_ids_per_partition": spec.max_ids_per_partition,
        "max_unique_ids_per_partition": spec.max_unique_ids_per_partition,
        **_minibatches_of(spec),
        "sparse_cores": spec.sparse_cores,
        "num_devices": spec.num_devices,
        "tiles": spec.hardware.tiles_per_sparse_core,
        "lanes": spec.hardware.float32_lanes,
    }


def rows_of_a_block(spec: AnyUpdateSpec) -> int:
    """Return the maximum number of rows that a tile holds at a time."""
    return evaluate(ROWS_OF_A_BLOCK, sizes_of(spec))


def hold_words(b: Builder, spec: AnyUpdateSpec) -> ir.Value:
    """Allocate `SORTED_WORDS`, which the tiles of a SparseCore hold together."""
    tiles = spec.hardware.tiles_per_sparse_core
    sizes = sizes_of(spec)
    return hold(b, SORTED_WORDS, "i64", (_IDS,), sizes, tiles=tiles, staging=spec.staging)


def slot_arguments(spec: UpdateSpec | CustomUpdateSpec) -> dict[str, str]:
    """Return the name of each slot's argument; it has a prefix, as hyperparameters are named freely."""
    return {name: f"slot_{name}" for name in spec.slots}


def gathered_name(argument: str) -> str:
    """Return the name of the buffer with copies of the rows of an argument."""
    return f"{_GATHERED}{argument}"


@dataclass(frozen=True)
class RowBlock:
    """The buffers of a tile for some rows, in SPMEM.

    Attributes:
        rows: the number of each row in the table, index.
        sums: the sum of the gradients of each row, `[rows, dim]`.
        gathered: copies of the rows and their slots, by the name of the argument.
    """

    rows: ir.Value
    sums: ir.Value
    gathered: Mapping[str, ir.Value]


def hold_block(b: Builder, spec: UpdateSpec | CustomUpdateSpec) -> RowBlock:
    """Allocate the buffers of a tile."""
    sizes = sizes_of(spec)

    def held(name: str, width: str) -> ir.Value:
        return hold(b, name, "f32", (ROWS_OF_A_BLOCK, width), sizes, staging=spec.staging)

    widths = {"table": "dim"}
    for name, argument in slot_arguments(spec).items():
        widths[argument] = "1" if name in spec.row_slots else "dim"
    return RowBlock(
        hold(b, UNIQUE_ROWS, "index", (ROWS_OF_A_BLOCK,), sizes),
        held(GRADIENT_SUMS, "dim"),
        {name: held(gathered_name(name), width) for name, width in widths.items()},
    )
