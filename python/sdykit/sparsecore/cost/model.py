"""Seconds of work: the formulas.

All numbers are of `sdykit.sparsecore.cost.numbers`, in seconds and bytes; nothing is in cycles, since no
clock of a SparseCore is published. The time of a step is that of its slowest SparseCore, and the steps
of a program follow each other, as do minibatches and programs:

    step = launch + max(tile, hbm, ici)

`tile_seconds`, `launch_seconds`, `hbm_seconds` and `ici_seconds` have the parts. Each part grows with
the work, and with each number that `FASTER_IF_LOWER` names; with all others it shrinks. So the ends of
the ranges of all numbers together bound the time.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.cost.work import Floats, Work

Constants = Mapping[str, float]
"""One value of each number, by name."""

BOTTLENECKS: Final = (
    "launch",
    "DMA latency",
    "DMA bandwidth",
    "vector",
    "HBM bandwidth",
    "ICI",
)
"""The parts of a step, one of which takes most of its time."""


def dma_seconds(
    dmas: npt.ArrayLike, moved: npt.ArrayLike, numbers: Mapping[str, npt.ArrayLike]
) -> tuple[Floats, Floats]:
    """Return the seconds that a tile's DMAs take: for their latency, and for their bytes.

    A tile has a number of DMAs in flight. Each takes its latency, then moves its bytes, in whole
    granules, at the rate of a stream. With `dma_seconds`, the latency over the number in flight, and
    `tile_bytes_per_second`, the rate of a stream times this number:

        dmas * dma_seconds + bytes / tile_bytes_per_second

    Source: none; that bandwidth alone misses the published points by several times, and this does
    not, is in `sdykit.sparsecore.cost.calibration`.
    """
    latency = np.multiply(dmas, numbers["dma_seconds"])
    return latency, np.multiply(moved, np.reciprocal(numbers["tile_bytes_per_second"]))


def tile_seconds(amounts: Mapping[str, Floats | float], numbers: Constants) -> Floats:
    """Return the seconds of tiles, of the shape of their amounts; one that is 0 may be the number 0.

        both = dmas * dma_seconds + bytes / tile_bytes_per_second,
               vectors * vector_seconds
        max(both) + (1 - overlap) * min(both)

    Tiles are dataflow units, which can move and compute at once; how well is assumed. Vector operations are
    counted as the program has them, those of its sorts too, on the chip's vectors, without scalar
    operations and accesses of SPMEM.
    """
    latency, streaming = dma_seconds(amounts["dmas"], amounts["bytes"], numbers)
    moving, computing = latency + streaming, amounts["vectors"] * numbers["vector_seconds"]
    if np.ndim(moving) == 0 or np.ndim(computing) == 0:  # One of them is 0, and nothing overlaps.
        return np.asarray(moving + computing)
    shorter = np.minimum(moving, computing)
    shorter *= 1 - numbers["overlap"]
    return np.maximum(moving, computing, out=moving) + shorter


def launch_seconds(launches: Floats | float, numbers: Constants) -> Floats:
    """Return the seconds of launches, of their shape.

        launches * exposed_launches * (launch_seconds + dma_latency_seconds)

    A step is launched for each partition, and begins with the latency of a first DMA. A chip may hide
    both after the partition before; `exposed_launches` is the part that it does not hide.
    """
    each = numbers["launch_seconds"] + numbers["dma_latency_seconds"]
    return np.multiply(launches, numbers["exposed_launches"] * each)


def hbm_seconds(work: Work, numbers: Constants) -> Floats:
    """Return the seconds that the HBM of each chip takes, `[rows, chips, steps]`.

        bytes of all tiles of the chip / (hbm_bytes_per_second * hbm_efficiency)

    All SparseCores of a chip share its HBM (OpenXLA's guide to the SparseCore).
    """
    return work.hbm_bytes / (numbers["hbm_bytes_per_second"] * numbers["hbm_efficiency"])


def ici_seconds(work: Work, numbers: Constants) -> Floats:
    """Return the seconds that the links of each chip take, `[rows, chips, steps]`.

        out = ici_bytes_per_second / 2 * ici_efficiency
        max(bytes of the chip, mean bytes of a chip * hops) / out
            + hops * ici_hop_seconds * (1 + exposed_launches * (launches - 1))

    In a torus of `d` dimensions and `n` chips, a byte passes `hops = d * n^(1/d) / 4` links on average,
    at least 1, and takes of the bandwidth of each. Half of the bandwidth, which counts both directions,
    is for what a chip sends.
    """
    chips, dimensions = work.ici_bytes.shape[1], numbers["ici_dimensions"]
    out = numbers["ici_bytes_per_second"] / 2 * numbers["ici_efficiency"]
    hops = max(1.0, dimensions * chips ** (1 / dimensions) / 4)
    found = np.zeros(work.ici_bytes.shape)
    for step in np.flatnonzero(work.ici_bytes.any(axis=(0, 1))).tolist():
        sent = work.ici_bytes[..., step]
        mean = sent.mean(axis=1, keepdims=True)
        launches = work.most_launches[..., step]
        times = 1 + numbers["exposed_launches"] * np.maximum(launches - 1, 0)
        latency = hops * numbers["ici_hop_seconds"] * times
        found[..., step] = (np.maximum(sent, mean * hops) / out + latency) * (mean > 0)
    return found


def core_seconds(work: Work, numbers: Constants) -> Floats:
    """Return the seconds of each SparseCore, `[rows, SparseCores, steps]`, as the module says."""
    shared = np.maximum(hbm_seconds(work, numbers), ici_seconds(work, numbers))
    found = np.maximum(tile_seconds(work.amounts, numbers), _of_cores(work, shared))
    return found + launch_seconds(work.amounts["launches"], numbers)


def step_seconds(work: Work, numbers: Constants) -> Floats:
    """Return the seconds of the slowest SparseCore in each step, `[rows, steps]`.

    They are the maximum of `core_seconds`. What the SparseCores of a chip share takes as long for each of
    them, so that the one with most launches is the slowest, unless the tiles of another take longer.
    """
    shared = np.maximum(hbm_seconds(work, numbers), ici_seconds(work, numbers))
    found = (launch_seconds(work.most_launches, numbers) + shared).max(axis=1)
    for step, amounts in enumerate(work.by_step):
        seconds = tile_seconds(amounts, numbers)
        seconds = seconds + launch_seconds(amounts["launches"], numbers)
        if seconds.ndim:
            np.maximum(found[:, step], seconds.max(axis=1), out=found[:, step])
    return found


def parts_at(work: Work, numbers: Constants, cores: npt.NDArray[np.int64]) -> Floats:
    """Return the parts of steps on one SparseCore for each, `[bottlenecks, rows, steps]`.

    Args:
        work: the work.
        numbers: the numbers.
        cores: the SparseCore of each row and step, `[rows, steps]`.
    """

    def at(values: Floats) -> Floats:
        return np.take_along_axis(values, cores[:, None], axis=1)[:, 0]

    amounts = {name: at(values) for name, values in work.amounts.items()}
    latency, streaming = dma_seconds(amounts["dmas"], amounts["bytes"], numbers)
    hbm, ici = (_of_cores(work, each(work, numbers)) for each in (hbm_seconds, ici_seconds))
    parts = (
        launch_seconds(amounts["launches"], numbers),
        latency,
        streaming,
        amounts["vectors"] * numbers["vector_seconds"],
        at(hbm),
        at(ici),
    )
    return np.stack(parts)


def _of_cores(work: Work, values: Floats) -> Floats:
    """Return values of chips for each of their SparseCores."""
    each = np.repeat(values, work.chip.sparse_cores_per_chip, axis=1)
    return each[:, : work.sparse_cores]
