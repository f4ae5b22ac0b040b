"""Figures that no batch has, or none that a program accepts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sdykit.sparsecore.counts import Statistics, count
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.tile.spec import LookupSpec

IDS = np.full((4, 1, 4), 32)
TILE_IDS = np.full((4, 1, 4, 16), 2)
SPEC = LookupSpec(
    dim=8, samples_per_core=16, max_ids_per_partition=64, max_unique_ids_per_partition=32
)


def test_figures_of_a_batch_are_counted() -> None:
    counters = count(SPEC, Statistics(1, IDS, IDS // 2, TILE_IDS))
    assert np.array_equal(counters.by("gather: DMAs", "core", "partition"), IDS[:, 0] // 2)


@pytest.mark.parametrize(
    ("figures", "text"),
    [
        ((0, IDS, IDS, TILE_IDS), "minibatches is 0; expected a positive integer"),
        (
            (1, IDS / 2, IDS, TILE_IDS),
            "ids is float64[4, 1, 4] with the minimum 0.0; expected integers of rank 3, none negative",
        ),
        (
            (1, -IDS, IDS, TILE_IDS),
            "ids is int64[4, 1, 4] with the minimum -32; expected integers of rank 3, none negative",
        ),
        (
            (1, IDS, IDS, IDS),
            "tile_ids is int64[4, 1, 4] with the minimum 0; expected integers of rank 4, none negative",
        ),
        (
            (1, IDS, IDS[:1], TILE_IDS),
            "ids and unique_ids have the shapes [4, 1, 4] and [1, 1, 4]; expected the same, and no "
            "more unique ids than ids",
        ),
        (
            (1, IDS, 2 * IDS, TILE_IDS),
            "ids and unique_ids have the shapes [4, 1, 4] and [4, 1, 4]; expected the same, and no "
            "more unique ids than ids",
        ),
        (
            (1, IDS, IDS, 2 * TILE_IDS),
            "the sums of tile_ids over the tiles are not ids; expected that each id is of a sample of "
            "one tile",
        ),
    ],
)
def test_figures_that_no_batch_has_are_an_error(figures: Any, text: str) -> None:
    with pytest.raises(SparseCoreError) as raised:
        Statistics(*figures)
    assert str(raised.value) == f"statistics: {text}"


@pytest.mark.parametrize(
    ("statistics", "text"),
    [
        (
            Statistics(1, IDS[:1], IDS[:1], TILE_IDS[:1]),
            "1 minibatches, and tile_ids of the shape [1, 1, 4, 16]; the lookup expects at most 1, and "
            "[4, 1, 4, 16]: SparseCores that have samples, minibatches, partitions, tiles",
        ),
        (
            Statistics(2, IDS, IDS, TILE_IDS),
            "2 minibatches, and tile_ids of the shape [4, 1, 4, 16]; the lookup expects at most 1, and "
            "[4, 1, 4, 16]: SparseCores that have samples, minibatches, partitions, tiles",
        ),
        (
            Statistics(1, 3 * IDS, IDS, 3 * TILE_IDS),
            "a SparseCore sends 96 ids to a partition; the lookup is compiled for 64 "
            "(max_ids_per_partition)",
        ),
        (
            Statistics(1, 2 * IDS, 2 * IDS, 2 * TILE_IDS),
            "a SparseCore sends 64 unique ids to a partition; the lookup is compiled for 32 "
            "(max_unique_ids_per_partition)",
        ),
    ],
)
def test_figures_that_a_program_does_not_accept_are_an_error(
    statistics: Statistics, text: str
) -> None:
    with pytest.raises(SparseCoreError) as raised:
        count(SPEC, statistics)
    assert str(raised.value) == f"statistics: {text}"
