"""The figures of a batch that the work of SparseCores follows from, added up for each of them.

A lookup does something for each pair of SparseCores, one of which has samples and sends ids to the
partition of the other. What it does is linear in `PAIR_FIGURES`, so that their sums over the pairs of a
SparseCore are enough: a system of 16,384 SparseCores has 268 million pairs, of which most are empty, and
only those that are not need to be known. An update works on each partition, and its tiles on shares
of it: `TILE_FIGURES`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.chip import Chip
from sdykit.sparsecore.cost.work import Floats
from sdykit.sparsecore.counts import Statistics
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.tile.spec import TileSpec

PAIR_FIGURES: Final = (
    "pairs",
    "vectors",
    "granules",
    "share_vectors",
    "share_granules",
    "last_tiles",
    "unique_ids",
    "share_unique_ids",
    "tile_ids",
)
"""The figures of a pair:

- `pairs`: 1.
- `vectors`: the vectors that the ids take.
- `granules`: the granules of HBM that the shares of the tiles take, of the ids alone.
- `share_vectors`, `share_granules`: those of the tile with the largest share.
- `last_tiles`: the tiles before the last one with such a share, in vectors of tiles.
- `unique_ids`: the distinct ids.
- `share_unique_ids`: those of the tile with the largest share.
- `tile_ids`: the ids in samples of the tile with most of them.
"""
TILE_FIGURES: Final = ("rows", "row_ids", "device_rows", "new_rows", "updated_rows", "slots")
"""The figures of a tile of an update, as `sdykit.sparsecore.counts.updates` has them. The last two are of
all minibatches, and in the first one."""
OF_ALL_MINIBATCHES: Final = ("updated_rows", "slots")
_ID_BYTES: Final = 4


@dataclass(frozen=True, eq=False)
class LookupFigures:
    """The figures of a lookup's batch, for each SparseCore of a system.

    Attributes:
        sent: the sums of `PAIR_FIGURES` over the pairs in which a SparseCore has samples, float64
            `[minibatches, PAIR_FIGURES, SparseCores]`.
        owned: those over the pairs in which it has the partition, of the same shape.
        far_sent: the distinct ids that it sends to other chips, `[minibatches, SparseCores]`.
        far_owned: those that other chips send to it, of the same shape.
    """

    sent: Floats
    owned: Floats
    far_sent: Floats
    far_owned: Floats


@dataclass(frozen=True, eq=False)
class UpdateFigures:
    """The figures of an update's batch, for each SparseCore of a system and its partition.

    Attributes:
        ids: the ids for each partition, float64 `[minibatches, SparseCores]`.
        by_tile: what each tile has of them, float64
            `[minibatches, TILE_FIGURES, tiles, SparseCores]`, or with one tile if all are alike.
    """

    ids: Floats
    by_tile: Floats

    @cached_property
    def most(self) -> Floats:
        """The most of each figure that a tile has, `[minibatches, TILE_FIGURES, SparseCores]`."""
        return self.by_tile.max(axis=2)

    @cached_property
    def mean(self) -> Floats:
        """What a tile has on average, of the same shape."""
        return self.by_tile.mean(axis=2)


Figures = LookupFigures | UpdateFigures


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of SparseCores, one of which sends ids to the partition of the other; all `[pairs]`.

    Pairs that are not there have no ids.

    Attributes:
        source: the number of the SparseCore that has the samples.
        partition: the number of the one that has the partition.
        ids: the ids that it sends; they need not be whole numbers.
        unique_ids: the distinct ones of them.
        tile_ids: those in samples of the tile that has most of them.
        minibatch: the number of the minibatch; None: the first.
    """

    source: npt.NDArray[np.integer]
    partition: npt.NDArray[np.integer]
    ids: npt.NDArray[np.integer | np.floating]
    unique_ids: npt.NDArray[np.integer | np.floating]
    tile_ids: npt.NDArray[np.integer | np.floating]
    minibatch: npt.NDArray[np.integer] | None = None


def lookup_figures(spec: TileSpec, pairs: Pairs, minibatches: int = 1) -> LookupFigures:
    """Return the figures of a lookup from those pairs that have ids.

    They are exact: `of_figures` says the same as `of_statistics` of all pairs. They depend on the chip and
    the number of SparseCores of the spec, and on nothing else in it: so they hold for other widths.
    Memory is that of the pairs, and 200 bytes for each SparseCore and minibatch.

    Args:
        spec: the spec of the lookup.
        pairs: the pairs.
        minibatches: the number of minibatches.

    Raises:
        SparseCoreError: there is no such SparseCore or minibatch.
    """
    shape = (minibatches, spec.all_cores)
    minibatch = np.zeros_like(pairs.source) if pairs.minibatch is None else pairs.minibatch
    for name, values, end in (
        ("source", pairs.source, spec.all_cores),
        ("partition", pairs.partition, spec.all_cores),
        ("minibatch", minibatch, minibatches),
    ):
        if values.min(initial=0) < 0 or values.max(initial=0) >= end:
            raise SparseCoreError(
                f"cost: {spec.kind} {spec.label!r}: {name} is {values.min()} to {values.max()}; expected "
                f"0 to {end - 1}"
            )
    chip = spec.hardware
    values = pair_figures(chip, pairs.ids, pairs.unique_ids, pairs.tile_ids)
    empty = pair_figures(chip, np.zeros(1), np.zeros(1), np.zeros(1))
    cores = chip.sparse_cores_per_chip
    far = np.where(pairs.source // cores != pairs.partition // cores, pairs.unique_ids, 0)
    found = []
    for ends in (pairs.source, pairs.partition):
        place = minibatch * spec.all_cores + ends
        sums = np.stack([_summed(place, each, shape) for each in values], axis=1)
        rest = spec.all_cores - sums[:, :1]
        found.append((sums + rest * empty, _summed(place, far, shape)))
    (sent, far_sent), (owned, far_owned) = found
    return LookupFigures(sent, owned, far_sent, far_owned)


def _summed(place: npt.NDArray[np.integer], values: Floats, shape: tuple[int, int]) -> Floats:
    found = np.bincount(place, values, minlength=shape[0] * shape[1])
    return found.astype(np.float64).reshape(shape)


def update_figures(
    spec: TileSpec, ids: npt.ArrayLike, by_tile: Mapping[str, npt.ArrayLike]
) -> UpdateFigures:
    """Return the figures of an update from those of all partitions.

    Given by tile, they are exact: `of_figures` says the same as `of_statistics`. Given with one tile,
    all tiles of a SparseCore are alike, although a tile takes all ids of the rows that begin in its share:
    then costs are too low where the ids of one row are more than a tile's share. They depend on the
    chip and the number of SparseCores of the spec, and on nothing else in it.

    Args:
        spec: the spec of the update.
        ids: the ids for each partition, `[minibatches, SparseCores]`; they need not be whole numbers.
        by_tile: `rows`, `row_ids` and `device_rows`, and with minibatches `new_rows`, each
            `[minibatches, SparseCores, tiles]`, and with minibatches `updated_rows`,
            `[SparseCores, tiles]`, as `sdykit.sparsecore.counts.updates` defines them. With one tile: what
            a tile has on average.

    Raises:
        SparseCoreError: a figure is missing, or has another shape.
    """
    ids = np.asarray(ids, np.float64)
    found = {name: np.asarray(each, np.float64) for name, each in by_tile.items()}
    if not spec.minibatches and "rows" in found:
        found = {"new_rows": found["rows"], "updated_rows": found["rows"][0], **found}
    tiles = spec.hardware.tiles_per_sparse_core
    size = max((each.shape[-1] for each in found.values()), default=1)
    total = ids.sum(axis=0)[:, None]
    ends = np.floor(np.arange(tiles + 1) * total / tiles)
    found["slots"] = total / tiles if size == 1 else np.diff(ends, axis=1)
    values = np.zeros((len(ids), len(TILE_FIGURES), size, ids.shape[1]))
    for at, name in enumerate(TILE_FIGURES):
        is_of_all = name in OF_ALL_MINIBATCHES
        shape = (*ids.shape[is_of_all:], size)
        if name not in found or found[name].shape != shape or size not in (1, tiles):
            given = list(found[name].shape) if name in found else "not there"
            raise SparseCoreError(
                f"cost: {spec.kind} {spec.label!r}: {name} is {given}; expected {list(shape)}, and "
                f"{tiles} tiles or one"
            )
        of_minibatches = slice(1) if is_of_all else slice(None)
        values[of_minibatches, at] = np.swapaxes(found[name], -2, -1)
    return UpdateFigures(ids, values)


def figures_of(spec: TileSpec, statistics: Sequence[Statistics]) -> Figures:
    """Return the figures of a batch from its statistics on each device, in order.

    Raises:
        SparseCoreError: the statistics are not those of all devices, or not of one batch; the layout is
            ids, whose entries are of no partition; and all that `Statistics.check` raises.
    """
    if spec.layout == "ids":
        raise SparseCoreError(
            f"cost: {spec.kind} {spec.label!r}: the layout is ids, whose entries are of no partition; "
            "expected sdykit or jax_tpu_embedding, or a call of of_statistics"
        )
    used = checked_minibatches(spec, statistics)
    if spec.kind == "update":
        by_tile = {
            name: np.concatenate([each.figures[name][0, :used] for each in statistics], axis=1)
            for name in TILE_FIGURES[:3] + TILE_FIGURES[3:5] * spec.minibatches
        }
        if spec.minibatches:
            by_tile["updated_rows"] = by_tile["updated_rows"][0]
        ids = [each.figures["minibatch_ids"][0, :used, :, 0] for each in statistics]
        return update_figures(spec, np.concatenate(ids, axis=1), by_tile)
    ids, unique, tiles = (
        np.concatenate(found, axis=2)[:, :used]
        for found in (
            [each.ids for each in statistics],
            [each.unique_ids for each in statistics],
            [each.tile_ids.max(axis=-1) for each in statistics],
        )
    )
    at = np.nonzero(ids)
    source, minibatch, partition = at
    pairs = Pairs(source, partition, ids[at], unique[at], tiles[at], minibatch)
    return lookup_figures(spec, pairs, used)


def checked_minibatches(spec: TileSpec, statistics: Sequence[Statistics]) -> int:
    """Return the number of minibatches of a batch.

    Raises:
        SparseCoreError: the statistics are not those of all devices, or not of one batch; and all that
            `Statistics.check` raises.
    """
    name = f"cost: {spec.kind} {spec.label!r}"
    if len(statistics) != spec.num_devices:
        raise SparseCoreError(
            f"{name}: there are statistics of {len(statistics)} devices; expected those of "
            f"{spec.num_devices}"
        )
    for each in statistics:
        each.check(spec)
    used = list(dict.fromkeys(each.minibatches for each in statistics))
    if len(used) > 1:
        found = ", ".join(map(str, used))
        raise SparseCoreError(
            f"{name}: the devices have different numbers of minibatches: {found}; expected the "
            "number of the batch"
        )
    return used[0]


def pair_figures(
    chip: Chip, ids: npt.ArrayLike, unique_ids: npt.ArrayLike, tile_ids: npt.ArrayLike
) -> Floats:
    """Return the figures of each pair, `[PAIR_FIGURES, ...]` of `[...]`."""
    ids, unique = np.asarray(ids, np.float64), np.asarray(unique_ids, np.float64)
    lanes, tiles = chip.float32_lanes, chip.tiles_per_sparse_core
    vectors = np.ceil(ids / lanes)
    share, unique_share = np.ceil(vectors / tiles), np.ceil(unique / (lanes * tiles)) * lanes
    full = np.where(share > 0, vectors // np.maximum(share, 1), tiles)
    granule = max(chip.dma_granule_bytes // _ID_BYTES, 1)
    of_share, shares = np.ceil(share * lanes / granule), ids // np.maximum(share * lanes, 1)
    rest = np.ceil((ids - shares * share * lanes) / granule)
    found = (
        np.ones_like(ids),
        vectors,
        shares * of_share + rest,
        share,
        np.minimum(of_share, np.ceil(ids / granule)),
        np.ceil((full - 1) / lanes),
        unique,
        np.minimum(unique_share, unique),
        np.asarray(tile_ids, np.float64),
    )
    return np.stack(found)
