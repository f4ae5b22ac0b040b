"""What is published on the speed of SparseCores."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.chip import CHIPS
from sdykit.sparsecore.cost.model import dma_seconds
from sdykit.sparsecore.cost.work import Floats

Ranges = Mapping[str, tuple[float, float, float]]
"""The low, expected and high value of numbers, by name."""


@dataclass(frozen=True)
class Point:
    """A published time.

    Attributes:
        name: what was measured.
        chip: the chip.
        sparse_cores: the number of SparseCores that worked.
        dmas: the number of DMAs, of all tiles.
        moved: the bytes that they moved, in whole granules.
        seconds: the time.
        source: where it is published.
        assumed: what is not published of it.
        in_flight: the number of DMAs in flight; None: it is not published.
    """

    name: str
    chip: str
    sparse_cores: int
    dmas: float
    moved: float
    seconds: float
    source: str
    assumed: str = ""
    in_flight: float | None = None

    def predicted(self, constants: Mapping[str, npt.ArrayLike]) -> Floats:
        """Return the seconds that the model says, for values of the constants."""
        chip = CHIPS[self.chip]
        tiles = self.sparse_cores * chip.tiles_per_sparse_core
        in_flight = constants["in_flight"] if self.in_flight is None else self.in_flight
        numbers = {
            "dma_seconds": np.divide(constants["latency"], in_flight),
            "tile_bytes_per_second": np.multiply(constants["stream_bytes_per_second"], in_flight),
        }
        latency, streaming = dma_seconds(self.dmas / tiles, self.moved / tiles, numbers)
        return np.maximum(latency + streaming, self.bandwidth_seconds)

    @property
    def bandwidth_seconds(self) -> float:
        """The seconds that the bandwidth of HBM alone would take, of the SparseCores' share of a chip."""
        chip = CHIPS[self.chip]
        devices = max(1, self.sparse_cores // chip.sparse_cores_per_device)
        bandwidth = chip.hbm_bytes_per_second / chip.devices_per_chip * devices
        return self.moved / bandwidth


_ROWS: Final = 4_194_304
_WINDOW: Final = 128
_PROBES: Final = 120e6
_CHUNK: Final = 2**16
POINTS: Final = (
    Point(
        "gather of 4,194,304 rows of 512 bytes",
        "7x",
        2,
        dmas=_ROWS * (1 + 1 / _WINDOW),
        moved=2 * _ROWS * 512,
        seconds=4.05e-3,
        source="Pallas SparseCore guide",
        assumed=f"2 SparseCores; rows are written back in windows of {_WINDOW}",
    ),
    Point(
        "120,000,000 random probes",
        "v6e",
        2,
        dmas=_PROBES,
        moved=_PROBES * 32,
        seconds=57.9e-3,
        source="jax issue 39518",
        assumed="2 SparseCores; a probe is a DMA of a granule",
    ),
    Point(
        "1 GB at 562 GB/s, with 2 streams",
        "7x",
        2,
        dmas=1e9 / _CHUNK,
        moved=1e9,
        seconds=1e9 / 562e9,
        source="tpu-inference 3609",
        assumed="2 SparseCores; 2 streams are those of a tile; 64 KiB each",
        in_flight=2,
    ),
)
"""The points that the constants follow from."""


@dataclass(frozen=True)
class Check:
    """What is published, but says too little for a number to follow from it.

    Attributes:
        name: what was measured.
        published: the figure, as text.
        unit: its unit.
        reason: why no number follows from it.
        range_of: computes the lowest and highest figure that the model says, from its numbers.
    """

    name: str
    published: str
    unit: str
    reason: str
    range_of: Callable[[Ranges], tuple[float, float]]


_WORDS_OF_GRANULE: Final = 8
_V4_ROW_BYTES: Final = 128
_HOST_BYTES_PER_SECOND: Final = 204.8e9
_CHIPS_OF_HOST: Final = 4


def _grouped_probes(numbers: Ranges) -> tuple[float, float]:
    """Return the milliseconds of probes, of which a granule holds one, or as many as fit."""
    tiles = 2 * CHIPS["v6e"].tiles_per_sparse_core
    each = [
        latency + 32 / bandwidth
        for latency, bandwidth in zip(
            numbers["dma_seconds"][::2], numbers["tile_bytes_per_second"][::-2], strict=True
        )
    ]
    fewest = _PROBES / tiles / _WORDS_OF_GRANULE
    return 1e3 * fewest * each[0], 1e3 * fewest * _WORDS_OF_GRANULE * each[1]


def _gather_over_host(numbers: Ranges) -> tuple[float, float]:
    """Return how many times faster a v4 chip gathers rows than a host's memory could move them."""
    chip = CHIPS["v4"]
    tiles = chip.sparse_cores_per_chip * chip.tiles_per_sparse_core
    rates = []
    for latency, bandwidth in zip(
        numbers["dma_seconds"][::2], numbers["tile_bytes_per_second"][::-2], strict=True
    ):
        rate = tiles * _V4_ROW_BYTES / (latency + _V4_ROW_BYTES / bandwidth)
        rates.append(
            min(rate, chip.hbm_bytes_per_second) / (_HOST_BYTES_PER_SECOND / _CHIPS_OF_HOST)
        )
    return min(rates), max(rates)


CHECKS: Final = (
    Check(
        "120,000,000 probes, grouped, on v6e",
        "12.7",
        "ms",
        "how they are grouped is not known: a granule of 32 bytes may hold 1 to 8 of them "
        "(jax issue 39518)",
        _grouped_probes,
    ),
    Check(
        "Embedding models on v4, with SparseCores over without",
        "5 to 7",
        "times",
        "of whole models (paper on TPU v4). The model compares gathers of rows of 128 bytes with the "
        "memory of a host, 204.8 GB/s for 4 chips (assumed); a lookup must gain at least as much as the "
        "model that it is a part of",
        _gather_over_host,
    ),
)
"""What is checked only."""
