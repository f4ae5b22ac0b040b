"""The numbers that hold on every chip, unless its file has others.

No clock of a SparseCore is published, and little of its inside: ranges are wide on purpose.
"""

from __future__ import annotations

from typing import Final

from sdykit.sparsecore.cost.number import Number

_FITTED: Final = "fitted to the points of `sdykit.sparsecore.cost.calibration`; on all chips alike"

DEFAULTS: Final[dict[str, Number]] = {
    "dma_seconds": Number(1.6e-8, 1.0e-8, 2.5e-8, "s", _FITTED),
    "dma_latency_seconds": Number(1.5e-7, 4.0e-8, 9.9e-7, "s", _FITTED),
    "tile_bytes_per_second": Number(8.5e10, 3.4e10, 4.8e11, "B/s", _FITTED),
    "hbm_efficiency": Number(
        0.84,
        0.6,
        1.0,
        "",
        "tpu-inference 3609: 3.1 of the 3.7 TB/s of half a 7x; its range, and the same on other chips, "
        "are assumed",
    ),
    "vector_seconds": Number(
        1.0e-9,
        0.3e-9,
        2.5e-9,
        "s",
        "assumed: TensorCores have clocks of 1 to 2 GHz; three operations issued at once, or one in "
        "two or three ticks",
    ),
    "overlap": Number(
        0.5, 0.0, 1.0, "", "assumed: of none to all of a tile's shorter part, DMAs or vectors"
    ),
    "launch_seconds": Number(
        2.0e-7, 5.0e-8, 1.0e-6, "s", "assumed: the sequencer starts 16 tiles and waits for them"
    ),
    "exposed_launches": Number(
        0.25,
        0.0,
        1.0,
        "",
        "assumed: of no launch, since partitions overlap, to all, as in the program",
    ),
    "call_seconds": Number(
        1.0e-5, 2.0e-6, 3.0e-5, "s", "assumed: XLA starts a SparseCore program and waits for it"
    ),
    "minibatch_seconds": Number(
        2.0e-6, 0.0, 1.0e-5, "s", "assumed: SparseCores agree on the next minibatch"
    ),
    "ici_efficiency": Number(
        0.7, 0.4, 0.95, "", "assumed: headers, uneven routes, slices without wrapped links"
    ),
    "ici_hop_seconds": Number(5.0e-7, 1.0e-7, 2.0e-6, "s", "assumed"),
    "ici_dimensions": Number(3, 3, 3, "", "Google Cloud's pages on TPUs: a 3D torus"),
}
"""The numbers by name."""

FASTER_IF_LOWER: Final = frozenset(
    {
        "dma_seconds",
        "dma_latency_seconds",
        "vector_seconds",
        "launch_seconds",
        "exposed_launches",
        "call_seconds",
        "minibatch_seconds",
        "ici_hop_seconds",
    }
)
"""The numbers with which times grow; with all others they shrink."""
