"""How the work of a lookup follows from the figures of a batch.

It is linear in them, with coefficients that are whole numbers. They are found by counting the program for
random figures, once for each program, and checked to say exactly what was counted.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeVar

import numpy as np

from sdykit.sparsecore.chip import Chip
from sdykit.sparsecore.cost.cells import Cells, cells_of
from sdykit.sparsecore.cost.figures import PAIR_FIGURES, pair_figures
from sdykit.sparsecore.cost.work import AMOUNTS, OF_OWNER, STEPS, Floats
from sdykit.sparsecore.counts import Statistics, count
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.tile.spec import MAX_MINIBATCHES, LookupSpec, TileSpec

HBM: Final = "hbm_bytes"
NAMES: Final = (*AMOUNTS, HBM)
"""The names of what coefficients are of."""
_MAX_IDS: Final = 2**14
_NO_LIMIT: Final = 2**20
_NO_MEMORY_LIMIT: Final = 2**40
_CELLS: Final = 96
_INDEPENDENT: Final = 1e-9
"""The share of a column that others must leave of it."""
AnySpec = TypeVar("AnySpec", bound=TileSpec)


@dataclass(frozen=True, eq=False)
class LookupCoefficients:
    """The work of a lookup.

    Attributes:
        of_figures: for 1 of each figure of the pairs in which a SparseCore has samples, of those in which
            it has the partition, and once, `[NAMES, 2 * PAIR_FIGURES + 1, steps]`.
        sent: the bytes that are sent for a distinct id, `[steps]`.
    """

    of_figures: Floats
    sent: Floats


@lru_cache(maxsize=4096)
def lookup_coefficients(spec: LookupSpec, chip: Chip) -> LookupCoefficients:
    """Return the coefficients of a lookup of buffers; they do not depend on limits.

    Args:
        spec: the spec of the lookup.
        chip: its chip, which a file may describe that changes.
    """
    return _of_lookup(plain(spec, min(spec.num_devices, 2)), chip)


def plain(spec: AnySpec, num_devices: int) -> AnySpec:
    """Return a spec for some devices, without all that counts do not depend on."""
    limits = {
        "max_ids_per_partition": _NO_LIMIT,
        "max_unique_ids_per_partition": _NO_LIMIT,
        "max_ids_of_partitions": None,
        "max_unique_ids_of_partitions": None,
    }
    return dataclasses.replace(
        spec,
        num_devices=num_devices,
        label="",
        reading="chip",
        counters=False,
        check_bounds=False,
        check_nan=False,
        tile_memory_bytes=_NO_MEMORY_LIMIT,
        staging="auto",
        **limits,
    )


@lru_cache(maxsize=1024)
def _of_lookup(spec: LookupSpec, chip: Chip) -> LookupCoefficients:
    rng, steps = np.random.default_rng(0), STEPS[spec.kind]
    room = MAX_MINIBATCHES if spec.minibatches else 1
    shape = (spec.all_cores, room, spec.sparse_cores)
    samples = [_random(rng, shape, chip) for _ in range(-(-_CELLS // int(np.prod(shape))))]
    figures = np.concatenate([_figures(chip, each) for each in samples])
    unique_ids = figures[:, [PAIR_FIGURES.index("unique_ids")]]
    count = len(PAIR_FIGURES)
    found, sent = np.zeros((len(NAMES), 2 * count + 1, len(steps))), np.zeros(len(steps))
    for cells in zip(*(counted_cells(spec, each) for each in samples), strict=True):
        step = cells[0].step
        at, first = steps.index(step), count * (step in OF_OWNER)
        is_of_pairs = "partition" in cells[0].axes
        for number, name in enumerate(NAMES):
            values = np.concatenate([_of_core(each, name).ravel() for each in cells])
            if is_of_pairs:
                found[number, first : first + count, at] += solved(figures, values)
            else:
                found[number, -1, at] += solved(np.ones((len(values), 1)), values)[0]
        if is_of_pairs:
            values = np.concatenate([each.sent_bytes.sum(axis=-1).ravel() for each in cells])
            sent[at] += solved(unique_ids, values)[0]
    return LookupCoefficients(found, sent)


def counted_cells(spec: TileSpec, statistics: Statistics) -> list[Cells]:
    """Return what the first device does for its partitions."""
    counters = count(spec, statistics)
    alone = dataclasses.replace(counters.spec, num_devices=1)
    return list(cells_of([dataclasses.replace(counters, spec=alone)]))


def solved(figures: Floats, values: Floats) -> Floats:
    """Return whole numbers by which values follow from figures.

    Args:
        figures: the figures of some cells, `[cells, figures]`; one that follows from others gets 0.
        values: the value of each cell, `[cells]`.

    Raises:
        SparseCoreError: there are no such numbers.
    """
    found = np.zeros(figures.shape[1])
    if not values.any():
        return found
    kept = _independent(figures)
    found[kept] = np.rint(np.linalg.lstsq(figures[:, kept], values)[0])
    if not np.array_equal(figures @ found, values):
        raise SparseCoreError(
            "cost: the counts of the program do not follow from the figures of a batch; expected one "
            "whose counts do: use of_tables with its counters"
        )
    return found


def _independent(figures: Floats) -> list[int]:
    """Return the numbers of the columns that do not follow from those before them."""
    basis, kept = list[Floats](), list[int]()
    for at in range(figures.shape[1]):
        rest = figures[:, at]
        length = np.sqrt(
            (rest * rest).sum()
        )  # Sums are quicker than threads for matrices as small.
        for one in (*basis, *basis):  # Once is not exact.
            rest = rest - (one * rest).sum() * one
        left = np.sqrt((rest * rest).sum())
        if left > _INDEPENDENT * length:
            kept.append(at)
            basis.append(rest / left)
    return kept


def _of_core(cells: Cells, name: str) -> Floats:
    """Return what the busiest tile does, or what all of them move."""
    return cells.hbm_bytes.sum(axis=-1) if name == HBM else cells.amounts[name].max(axis=-1)


def _figures(chip: Chip, found: Statistics) -> Floats:
    """Return the figures of all pairs, `[pairs, PAIR_FIGURES]`."""
    values = pair_figures(chip, found.ids, found.unique_ids, found.tile_ids.max(axis=-1))
    return values.reshape(len(PAIR_FIGURES), -1).T


def _random(rng: np.random.Generator, shape: tuple[int, ...], chip: Chip) -> Statistics:
    """Return the figures of a batch whose pairs are of all sizes, some of them empty."""
    tiles = chip.tiles_per_sparse_core
    most = (_MAX_IDS / tiles) ** rng.random((*shape, 1))
    by_tile = (most * rng.random((*shape, tiles))).astype(np.int64)
    ids = by_tile.sum(axis=-1)
    unique = np.ceil(ids * rng.random(shape)).astype(np.int64)
    return Statistics(shape[1], ids, unique, by_tile)
