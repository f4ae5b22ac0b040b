"""The buffers that a SparseCore holds for a lookup: their names, and their sizes by the limits."""

from __future__ import annotations

from typing import Final

from sdykit.core.sparsecore.sizes import evaluate
from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.builder.steps import hold
from sdykit.sparsecore.tile.spec import LookupSpec
from sdykit.sparsecore.tile.spec.base import MAX_MINIBATCHES

ENTRY_IDS: Final = "entry_ids"
"""The local id of each entry of a partition, sorted, i32."""
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
SUMS: Final = "sums"
"""The activations of the SparseCore's samples, f32."""

_ENTRIES = "max_ids_per_partition / lanes * lanes"
_UNIQUE = "max_unique_ids_per_partition"
_STARTS = "(samples_per_core / tiles + 1) / lanes * lanes"


def sizes_of(spec: LookupSpec) -> dict[str, int]:
    """Return the values of the names in sizes."""
    hardware = spec.hardware
    return {
        "dim": spec.dim,
        "samples_per_core": spec.samples_per_core,
        "max_ids_per_partition": spec.max_ids_per_partition,
        "max_unique_ids_per_partition": (
            spec.max_unique_ids_per_partition or spec.max_ids_per_partition
        ),
        "tiles": hardware.tiles_per_sparse_core,
        "lanes": hardware.float32_lanes,
        "minibatch": MAX_MINIBATCHES if spec.minibatches else 1,
    }


def hold_partition(b: Builder, spec: LookupSpec, table: ir.Value) -> dict[str, ir.Value]:
    """Allocate the buffers of a SparseCore, for one partition at a time.

    Its tiles hold each of them together. Those of entries have room for whole vectors.

    Returns:
        The buffers, by name.
    """
    sizes, element = sizes_of(spec), str(ir.MemRefType(table.type).element_type)
    tiles = spec.hardware.tiles_per_sparse_core

    def held(name: str, of: str, *size: str) -> tuple[str, ir.Value]:
        staging = spec.staging if len(size) > 1 else None
        return name, hold(b, name, of, size, sizes, tiles=tiles, staging=staging)

    return dict(
        (
            held(ENTRY_IDS, "i32", _ENTRIES),
            held(ENTRY_SAMPLES, "i32", _ENTRIES),
            held(ENTRY_GAINS, "f32", _ENTRIES),
            held(UNIQUE_COUNTS, "i32", "tiles / lanes * lanes"),
            held(UNIQUE_IDS, "i32", _UNIQUE),
            held(ENTRY_ROWS, "i32", _ENTRIES),
            held(INBOX, "i32", _UNIQUE),
            held(GATHERED, element, _UNIQUE, "dim"),
            held(RECEIVED, element, _UNIQUE, "dim"),
            held(OWN_ENTRIES, "i32", _ENTRIES),
            held(CSR_STARTS, "i32", f"{_STARTS} * tiles"),
            held(CSR_ROWS, "i32", _ENTRIES),
            held(CSR_GAINS, "f32", _ENTRIES),
            held(SUMS, "f32", "samples_per_core", "dim"),
        )
    )


def starts_per_tile(spec: LookupSpec) -> int:
    """Return the number of elements of `CSR_STARTS` that a tile has."""
    return evaluate(_STARTS, sizes_of(spec))
