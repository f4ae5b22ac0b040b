"""The vector operations of the sorts of an update: they follow from the number of entries alone.

A sort is the network of `sdykit.sparsecore.tile.builder.vector_sort`. In each of its stages the tiles take
even shares of the vectors, or of the pairs of vectors; a stage is a launch.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.cost.work import Floats

SORT_FIGURES: Final = ("vectors", "passes_of_vectors", "merged_pairs", "halved_pairs")
"""What a tile does in a sort: vectors that it sorts, those that it sorts again, once in each pass, and
pairs of vectors that it exchanges when two sorted parts are merged, and when a part is halved."""
Weights = tuple[float, ...]
"""The vector operations for 1 of each of `SORT_FIGURES`."""


def sort_figures(vectors: npt.NDArray[np.int64], tiles: int) -> Floats:
    """Return what each tile does in sorts of so many vectors, `[..., tiles, SORT_FIGURES]`."""
    passes = _passes(vectors)
    found = np.zeros((*vectors.shape, tiles, len(SORT_FIGURES)))
    share = _shares(vectors, tiles)
    found[..., 0], found[..., 1] = share, share * passes[..., None]
    for number in range(int(passes.max(initial=0))):
        half = 2**number
        pairs = vectors // (2 * half) * half + np.maximum(vectors % (2 * half) - half, 0)
        of_tiles = _shares(pairs, tiles)
        found[..., 2] += of_tiles * (number < passes)[..., None]
        found[..., 3] += of_tiles * np.maximum(passes - 1 - number, 0)[..., None]
    return found


def sort_launches(vectors: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the number of stages of sorts of so many vectors."""
    passes = _passes(vectors)
    return 1 + passes + passes * (passes + 1) // 2


def busiest_tile(vectors: npt.NDArray[np.int64], tiles: int, weights: Weights) -> Floats:
    """Return the vector operations of the busiest tile in sorts of so many vectors.

    What is computed once is kept for all later sorts of no more vectors.
    """
    size = 1 << int(vectors.max(initial=0)).bit_length()
    return _table(size, tiles, weights)[vectors]


@lru_cache(maxsize=16)
def _table(size: int, tiles: int, weights: Weights) -> Floats:
    """Return `busiest_tile` of all numbers below `size`."""
    parts = (np.arange(at, min(at + 2**14, size)) for at in range(0, size, 2**14))
    found = [(sort_figures(each, tiles) @ np.array(weights)).max(axis=-1) for each in parts]
    return np.concatenate(found)


def _passes(vectors: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return how often sorted parts are merged two and two, until there is one."""
    return np.frexp(np.maximum(vectors, 1) - 1.0)[1].astype(np.int64)


def _shares(count: npt.NDArray[np.int64], tiles: int) -> npt.NDArray[np.int64]:
    return np.diff(np.arange(tiles + 1) * count[..., None] // tiles, axis=-1)
