"""How the work of an update follows from the figures of a batch; see `coefficients`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from sdykit.core.sparsecore.steps import SORT
from sdykit.sparsecore.chip import Chip
from sdykit.sparsecore.cost.cells import Cells
from sdykit.sparsecore.cost.coefficients import HBM, NAMES, counted_cells, plain, solved
from sdykit.sparsecore.cost.figures import OF_ALL_MINIBATCHES, TILE_FIGURES
from sdykit.sparsecore.cost.sorts import SORT_FIGURES, Weights, sort_figures, sort_launches
from sdykit.sparsecore.cost.work import AMOUNTS, STEPS, Floats
from sdykit.sparsecore.counts import Statistics
from sdykit.sparsecore.tile.spec import MAX_MINIBATCHES, AnyUpdateSpec

ID_FIGURES: Final = ("minibatch", "ids", "sort_launches", "all_ids")
"""The figures of a partition that the work of an update follows from, besides those of its tiles: 1, the
ids in a minibatch and the launches of their sort, and the ids in all minibatches."""
MINIBATCH_FIGURES: Final = (
    *("rows", "row_ids", "device_rows", "new_rows"),
    *("compared_ids", "compared_device_rows", "repeated_ids", "skipped_ids"),
)
"""The figures of a batch that are counted by minibatch and tile."""
_MAX_IDS: Final = 2**12
_MINIBATCHES: Final = (1, 2, 3, 5, 8)
_FEW_DEVICES: Final = (4, 8)
"""The work grows by the same for each device more: that for many follows from that for these."""


@dataclass(frozen=True, eq=False)
class UpdateCoefficients:
    """The work of an update.

    Attributes:
        of_call: for each partition of a device, once and for 1 minibatch of the batch,
            `[NAMES, 2, partitions, steps]`.
        of_ids: for 1 of each figure of a partition's ids, `[NAMES, ID_FIGURES, steps]`.
        of_tiles: for 1 of each figure of a tile, `[NAMES, TILE_FIGURES, steps]`.
        sorts: the vector operations for 1 of each of `SORT_FIGURES`.
        gradients: the bytes of gradients for an id, `[steps]`.
    """

    of_call: Floats
    of_ids: Floats
    of_tiles: Floats
    sorts: Weights
    gradients: Floats

    @cached_property
    def mixed(self) -> tuple[tuple[int, int, Floats], ...]:
        """Amounts that follow from several figures of a tile at once.

        Their busiest tile is not that with the most of one figure.

        Returns:
            The numbers of the amount and the step, and the coefficients of `TILE_FIGURES`.
        """
        found = []
        for is_of_all in (False, True):
            chosen = np.array([(name in OF_ALL_MINIBATCHES) == is_of_all for name in TILE_FIGURES])
            parts = self.of_tiles[: len(AMOUNTS)] * chosen[:, None]
            several = (np.count_nonzero(parts, axis=1) > 1) | (parts < 0).any(axis=1)
            found += [(*at, parts[at[0], :, at[1]]) for at in np.argwhere(several).tolist()]
        return tuple(found)

    def of_figures(self, minibatches: int) -> Floats:
        """Return all coefficients but those that are mixed, for a number of minibatches.

        Returns:
            For 1 of each of `ID_FIGURES` and `TILE_FIGURES`, and once for each partition of a device,
            `[NAMES, figures, steps]`.
        """
        of_tiles = self.of_tiles.copy()
        for amount, step, coefficients in self.mixed:
            of_tiles[amount, :, step] -= coefficients
        of_call = self.of_call[:, 0] + minibatches * self.of_call[:, 1]
        return np.concatenate([self.of_ids, of_tiles, of_call], axis=1)


@lru_cache(maxsize=4096)
def update_coefficients(spec: AnyUpdateSpec, chip: Chip) -> UpdateCoefficients:
    """Return the coefficients of an update of buffers; they do not depend on limits.

    Args:
        spec: the spec of the update.
        chip: its chip, which a file may describe that changes.
    """
    few, more = _FEW_DEVICES
    one = _of_update(plain(spec, min(spec.num_devices, few)), chip)
    if spec.num_devices <= few:
        return one
    other, times = _of_update(plain(spec, more), chip), (spec.num_devices - few) / (more - few)
    return UpdateCoefficients(
        one.of_call + times * (other.of_call - one.of_call),
        one.of_ids + times * (other.of_ids - one.of_ids),
        one.of_tiles + times * (other.of_tiles - one.of_tiles),
        one.sorts,
        one.gradients,
    )


@lru_cache(maxsize=1024)
def _of_update(spec: AnyUpdateSpec, chip: Chip) -> UpdateCoefficients:
    rng, steps, partitions = np.random.default_rng(0), STEPS[spec.kind], spec.sparse_cores
    minibatches = _MINIBATCHES if spec.minibatches else (1,) * len(_MINIBATCHES)
    samples = [_random(rng, spec, chip, each) for each in minibatches]
    ends = np.cumsum([2 * partitions, len(ID_FIGURES), len(TILE_FIGURES)])
    found = np.zeros((len(NAMES), ends[-1], len(steps)))
    sorts, gradients = np.zeros(len(SORT_FIGURES)), np.zeros(len(steps))
    for cells in zip(*(counted_cells(spec, each) for each in samples), strict=True):
        at, used = steps.index(cells[0].step), _columns(spec, cells[0].axes)
        by_tile, summed = (
            np.concatenate([_figures(each, chip, cells[0], is_sum) for each in samples])
            for is_sum in (False, True)
        )
        for number, name in enumerate(AMOUNTS):
            values = np.concatenate([each.amounts[name].ravel() for each in cells])
            if cells[0].step == SORT and name == "vectors" and values.any():
                sorts += solved(np.concatenate([_sorts(each, chip) for each in samples]), values)
            else:
                found[number, used, at] += solved(by_tile[:, used], values)
        values = np.concatenate([each.hbm_bytes.sum(axis=-1).ravel() for each in cells])
        found[NAMES.index(HBM), used, at] += solved(summed[:, used], values)
        values = np.concatenate([each.sent_bytes.sum(axis=-1).ravel() for each in cells])
        row_ids = ends[1] + TILE_FIGURES.index("row_ids")
        gradients[at] += solved(summed[:, [row_ids]], values)[0]
    of_call, of_ids, of_tiles = np.split(found, ends[:-1], axis=1)
    of_call = of_call.reshape(len(NAMES), 2, partitions, -1)
    return UpdateCoefficients(of_call, of_ids, of_tiles, tuple(sorts.tolist()), gradients)


def _columns(spec: AnyUpdateSpec, axes: Sequence[str]) -> list[int]:
    """Return the numbers of the figures that work may follow from, in loops of some axes.

    All figures are those that `_figures` returns.
    """
    if "tile" in axes:
        is_of_all = spec.minibatches and "minibatch" not in axes
        chosen = {name for name in TILE_FIGURES if (name in OF_ALL_MINIBATCHES) == is_of_all}
    elif "minibatch" in axes:
        chosen = {"ids", "sort_launches"}
    else:
        chosen = {"all_ids"} if spec.minibatches else {"all_ids", "sort_launches"}
    first, is_once = 2 * spec.sparse_cores, "minibatch" not in axes
    names = (*ID_FIGURES, *TILE_FIGURES)
    found = [first + at for at, name in enumerate(names) if name in chosen]
    return [*range(first), *found] if is_once else [first, *found]


def _figures(found: Statistics, chip: Chip, cells: Cells, is_sum: bool) -> Floats:
    """Return figures for each place of cells, `[places, figures]`.

    Args:
        found: the figures of a batch.
        chip: the chip.
        cells: the cells.
        is_sum: whether the figures of tiles are summed: a place is a partition.

    Returns:
        1 for each partition, and the number of minibatches for each; `ID_FIGURES`; `TILE_FIGURES`.
    """
    _, minibatches, partitions, tiles = cells.hbm_bytes.shape
    ids = found.of("minibatch_ids")[..., 0].reshape(-1, partitions)
    once = np.broadcast_to(np.eye(partitions)[:, None], (partitions, *ids.shape))
    of_partitions = (
        *once,
        *(once * found.minibatches),
        np.ones_like(ids),
        ids,
        sort_launches(-(-ids // chip.float32_lanes)),
        np.broadcast_to(ids.sum(axis=0), ids.shape),
    )
    shape = (*ids.shape, chip.tiles_per_sparse_core)
    of_tiles = [np.broadcast_to(found.of(name)[0], shape) for name in TILE_FIGURES]
    if is_sum:
        of_tiles, tiles = [each.sum(axis=-1, keepdims=True) for each in of_tiles], 1
    places = (minibatches, partitions, tiles)
    all_figures = (*(each[..., None] for each in of_partitions), *of_tiles)
    return np.stack(
        [
            np.broadcast_to(each[:minibatches, :, :tiles], places).ravel().astype(np.float64)
            for each in all_figures
        ],
        axis=-1,
    ) * _is_reached(found, places)


def _is_reached(found: Statistics, places: tuple[int, int, int]) -> npt.NDArray[np.bool_]:
    """Return whether places are in a minibatch that there is, `[places, 1]`."""
    minibatch = np.arange(places[0])[:, None, None]
    return np.broadcast_to(minibatch < found.minibatches, places).reshape(-1, 1)


def _sorts(found: Statistics, chip: Chip) -> Floats:
    """Return the figures of the sorts of each minibatch, partition and tile, `[places, SORT_FIGURES]`."""
    vectors = -(-found.of("minibatch_ids")[..., 0].ravel() // chip.float32_lanes)
    return sort_figures(vectors, chip.tiles_per_sparse_core).reshape(-1, len(SORT_FIGURES))


def _random(
    rng: np.random.Generator, spec: AnyUpdateSpec, chip: Chip, minibatches: int
) -> Statistics:
    """Return figures of a batch, of all sizes; figures do not follow from each other."""
    cores, tiles = spec.sparse_cores, chip.tiles_per_sparse_core
    room = MAX_MINIBATCHES if spec.minibatches else 1
    ids = (_MAX_IDS ** rng.random((1, room, cores, 1))).astype(np.int64) - 1
    figures = {
        name: rng.integers(0, _MAX_IDS, (1, room, cores, tiles)) for name in MINIBATCH_FIGURES
    }
    for each in (ids, *figures.values()):
        each[:, minibatches:] = 0
    once = (1, 1, cores, tiles)
    figures |= {name: rng.integers(0, _MAX_IDS, once) for name in OF_ALL_MINIBATCHES}
    if not spec.minibatches:
        figures["updated_rows"] = figures["rows"]
    figures |= {"minibatch_ids": ids, "partition_ids": ids.sum(axis=1, keepdims=True)}
    empty = np.zeros((spec.all_cores, room, cores, tiles), np.int64)
    return Statistics(minibatches, empty[..., 0], empty[..., 0], empty, figures=figures)
