"""The buffers that a SparseCore holds for a lookup: their names, and their sizes by the limits.

Its tiles hold each buffer together. A lookup of preprocessed buffers holds a partition at a time, one
of raw ids a block of ids of each tile, which is in the tile's share.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sdykit.core.sparsecore.sizes import evaluate
from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.builder.steps import hold
from sdykit.sparsecore.tile.spec import LookupSpec
from sdykit.sparsecore.tile.spec.base import MAX_MINIBATCHES

ENTRY_IDS: Final = "entry_ids"
"""The local id of each entry, i32; of a partition they are sorted."""
ENTRY_SAMPLES: Final = "entry_samples"
"""The sample of each entry, counted within the SparseCore, i32."""
ENTRY_GAINS: Final = "entry_gains"
"""The gain of each entry, f32."""
UNIQUE_COUNTS: Final = "unique_counts"
"""For each tile, the number of ids that are new in its share of the entries, i32."""
UNIQUE_IDS: Final = "unique_ids"
"""The distinct ids, i32."""
ENTRY_ROWS: Final = "entry_rows"
"""For each entry, the number of its id among the distinct ones, i32."""
INBOX: Final = "inbox"
"""The distinct ids, at the SparseCore that owns their rows, i32."""
GATHERED: Final = "gathered"
"""The rows of the ids in the inbox, at the SparseCore that owns them."""
RECEIVED: Final = "received"
"""The rows of the distinct ids."""
OWN_ENTRIES: Final = "own_entries"
"""The numbers of the entries of each tile's samples, tile by tile, i32."""
CSR_STARTS: Final = "csr_starts"
"""For each tile and each of its samples, and one more, its first position in the CSR, i32."""
CSR_ROWS: Final = "csr_rows"
"""For each entry, ordered by sample, the number of its row among those received, i32."""
CSR_GAINS: Final = "csr_gains"
"""For each entry, ordered by sample, its gain, f32."""
BLOCK_IDS: Final = "block_ids"
"""The raw ids of each tile's block, i32."""
BLOCK_GAINS: Final = "block_gains"
"""The gains of these ids, f32."""
ENTRY_STARTS: Final = "entry_starts"
"""For each position of a tile's block, and one more, the number of entries before it, i32."""
WORDS: Final = "words"
"""The local id of each entry and its number, in the higher and the lower half, i64."""
SUMS: Final = "sums"
"""The activations of the SparseCore's samples, f32."""

_ENTRIES = "max_ids_per_partition / lanes * lanes"
_UNIQUE = "max_unique_ids_per_partition"
_STARTS = "(samples_per_core / tiles + 1) / lanes * lanes"
_SUMS = ("f32", "samples_per_core", "dim")
_BLOCKS = "ids_per_block * tiles"
_BLOCK_STARTS = "(ids_per_block + lanes) * tiles"
_ENTRY_BUFFERS: Final = {
    ENTRY_IDS: "i32",
    ENTRY_SAMPLES: "i32",
    ENTRY_GAINS: "f32",
    ENTRY_ROWS: "i32",
    OWN_ENTRIES: "i32",
    CSR_ROWS: "i32",
    CSR_GAINS: "f32",
}
"""The buffers that have an element of 4 bytes for each entry of a partition."""
IDS_PER_BLOCK: Final = 1024
"""The number of raw ids in a block."""


def sizes_of(spec: LookupSpec) -> dict[str, int]:
    """Return the values of the names in sizes."""
    hardware = spec.hardware
    sizes = {
        "dim": spec.dim,
        "samples_per_core": spec.samples_per_core,
        "sparse_cores": spec.sparse_cores,
        "num_devices": spec.num_devices,
        "tiles": hardware.tiles_per_sparse_core,
        "lanes": hardware.float32_lanes,
        "minibatch": MAX_MINIBATCHES if spec.minibatches else 1,
    }
    if spec.layout == "ids":
        return {**sizes, "ids_per_block": IDS_PER_BLOCK}
    # There are no more distinct ids than ids.
    unique = min(spec.limits)
    return {
        **sizes,
        "max_ids_per_partition": spec.max_ids_per_partition,
        "max_unique_ids_per_partition": unique,
    }


def entry_bytes(spec: LookupSpec) -> int:
    """Return the bytes that a tile holds of the entries of a partition, for a lookup of buffers."""
    sizes = sizes_of(spec)
    return 4 * len(_ENTRY_BUFFERS) * evaluate(_ENTRIES, sizes) // sizes["tiles"]


def hold_partition(b: Builder, spec: LookupSpec, table: ir.Value) -> dict[str, ir.Value]:
    """Allocate the buffers of a SparseCore for a partition; return them by name."""
    rows = _element(table)
    return _held(
        b,
        spec,
        {
            **{name: (of, _ENTRIES) for name, of in _ENTRY_BUFFERS.items()},
            UNIQUE_COUNTS: ("i32", "tiles / lanes * lanes"),
            UNIQUE_IDS: ("i32", _UNIQUE),
            INBOX: ("i32", _UNIQUE),
            GATHERED: (rows, _UNIQUE, "dim"),
            RECEIVED: (rows, _UNIQUE, "dim"),
            CSR_STARTS: ("i32", f"{_STARTS} * tiles"),
            SUMS: _SUMS,
        },
    )


def hold_blocks(b: Builder, spec: LookupSpec, table: ir.Value) -> dict[str, ir.Value]:
    """Allocate the buffers of a SparseCore for a block of each tile; return them by name."""
    entries = {BLOCK_IDS: "i32", ENTRY_IDS: "i32", WORDS: "i64", ENTRY_ROWS: "i32"}
    entries[UNIQUE_IDS] = "i32"
    if spec.gains:
        entries |= {BLOCK_GAINS: "f32", ENTRY_GAINS: "f32"}
    return _held(
        b,
        spec,
        {
            **{name: (of, _BLOCKS) for name, of in entries.items()},
            ENTRY_STARTS: ("i32", _BLOCK_STARTS),
            UNIQUE_COUNTS: ("i32", "tiles"),
            GATHERED: (_element(table), _BLOCKS, "dim"),
            SUMS: _SUMS,
        },
    )


def _held(
    b: Builder, spec: LookupSpec, buffers: Mapping[str, tuple[str, ...]]
) -> dict[str, ir.Value]:
    """Allocate buffers, each an element type and a size for each dimension; rows may be in HBM."""
    sizes, tiles = sizes_of(spec), spec.hardware.tiles_per_sparse_core
    return {
        name: hold(
            b, name, of, size, sizes, tiles=tiles, staging=spec.staging if len(size) > 1 else None
        )
        for name, (of, *size) in buffers.items()
    }


def _element(buffer: ir.Value) -> str:
    return str(ir.MemRefType(buffer.type).element_type)


def starts_per_tile(spec: LookupSpec) -> int:
    """Return the number of elements of `CSR_STARTS` that a tile has."""
    return evaluate(_STARTS, sizes_of(spec))
