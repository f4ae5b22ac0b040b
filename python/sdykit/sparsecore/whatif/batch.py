"""The figures of a stack's batch on a system: recounted, or estimated from a pool of samples."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.specs import System
from sdykit.sparsecore.stacking import Stack
from sdykit.sparsecore.whatif.cells import Cells, cells_of, update_figures
from sdykit.sparsecore.whatif.frequencies import Expected, Floats
from sdykit.sparsecore.whatif.maxima import maxima
from sdykit.sparsecore.whatif.minibatches import Limits, keep
from sdykit.sparsecore.whatif.pool import Pool
from sdykit.sparsecore.whatif.ranges import Range, exact
from sdykit.sparsecore.whatif.sorting import SortedIds, differs, sort_ids

SAMPLED_IDS: Final = 2**21
"""The number of ids that an estimate counts, at most: those of some SparseCores stand for all."""

_SIGMAS: Final = 2.0
"""How many standard errors of what is expected the ends of a range are apart from it."""


@dataclass(frozen=True, eq=False)
class Needs:
    """What a stack's batch needs on a system, before limits are applied.

    Attributes:
        ids: the maximum number of ids that a SparseCore sends to a partition.
        unique_ids: the same for unique ids.
        skew: the ids of the fullest partition, divided by the average.
    """

    ids: Range
    unique_ids: Range
    skew: float


@dataclass(frozen=True, eq=False)
class StackBatch:
    """A stack's ids on some or all SparseCores of a system.

    Attributes:
        stack: the stack.
        system: the system.
        sorted: the ids of the first `sources` SparseCores.
        sources: their number; fewer than the system has if the rest is estimated from them.
        needs: what the batch needs.
        rows: for each partition the expected number of distinct rows of the whole batch, and of pairs of
            a row and a device, float64 `[partitions]` each; None: they are counted.
        distinct: the number of distinct rows of the whole batch.
        unique_scale: the factor of the unique ids of lists, whose samples are repeated ones.
    """

    stack: Stack
    system: System
    sorted: SortedIds
    sources: int
    needs: Needs
    rows: tuple[Floats, Floats] | None
    distinct: Range
    unique_scale: float = 1.0

    @property
    def is_estimated(self) -> bool:
        """Whether figures are estimated."""
        return self.rows is not None


def recounted(stack: Stack, system: System, pool: Pool, share: float) -> StackBatch:
    """Return the figures of the first samples of a pool; exact.

    Args:
        stack: the stack, made for the system and the batch.
        system: the system.
        pool: the samples.
        share: the size of the batch, divided by that of the model.
    """
    ids = sort_ids(stack, pool.first(share), system)
    most = (int(each.max(initial=0)) for each in (ids.max_ids, ids.max_unique_ids))
    needs = _needs(ids, *map(exact, most))
    # Rows are once in each list.
    keys = np.sort((ids.row * system.num_sparse_cores + ids.partition)[ids.is_new])
    distinct = int(differs(keys).sum())
    return StackBatch(stack, system, ids, system.num_sparse_cores, needs, None, exact(distinct))


def estimated(stack: Stack, system: System, pool: Pool, share: float) -> StackBatch:
    """Return the figures of a batch of other samples than the pool's, as many as needed; see `recounted`."""
    cores = system.num_sparse_cores
    of_core = share / cores
    sources = _sources(stack, cores, pool, of_core)
    if of_core * sources <= pool.steps:
        given = pool.first(of_core * sources)
    else:
        given = pool.repeated(of_core * sources)
    ids = sort_ids(stack, given, system)
    fraction = of_core / pool.steps  # Of the pool, on each SparseCore.
    of_lists = _expected(stack, pool, fraction, cores)
    scale = 1.0
    if fraction > 1:
        scale = float(of_lists.distinct.sum() / max(ids.list_unique_ids.sum() / sources, 1))
    whole = _expected(stack, pool, share / pool.steps, cores)
    of_devices = fraction * system.sparse_cores_per_device
    by_device = _expected(stack, pool, of_devices, cores).distinct * system.num_devices
    return StackBatch(
        stack,
        system,
        ids,
        sources,
        _estimated_needs(ids, sources, of_lists, fraction),
        (whole.distinct, by_device),
        _distinct(stack, pool, share / pool.steps, whole),
        scale,
    )


def _sources(stack: Stack, cores: int, pool: Pool, of_core: float) -> int:
    """Return the number of SparseCores whose ids are counted."""
    tables = {each.spec.name for each in stack.tables}
    total = sum(pool.frequencies[name].total for name in tables)
    of_ids = SAMPLED_IDS * pool.steps / max(total * of_core, 1)
    return max(1, min(cores, int(pool.steps / of_core * (1 + 1e-9)), int(of_ids)))


def _expected(stack: Stack, pool: Pool, share: float, partitions: int) -> Expected:
    """Return what is expected of a share of the pool, in each partition."""
    found = Expected(*np.zeros((5, partitions)))
    for each in stack.tables:
        found += pool.frequencies[each.spec.name].by_partition(share, partitions, each.col_shift)
    return found


def _estimated_needs(ids: SortedIds, sources: int, expected: Expected, fraction: float) -> Needs:
    """Return what lists need, from what is expected of them and from those of some SparseCores."""
    ranges = []
    for mean, variance, counts, new in (
        (expected.ids, expected.variance, ids.list_ids, 0.0),
        (expected.distinct, expected.distinct_variance, ids.list_unique_ids, expected.new),
    ):
        found = variance * _correlation(ids, sources, float(variance.sum()), counts)
        # The pool is a sample itself: of as many ids as it has.
        error = _SIGMAS * np.sqrt(fraction * np.maximum(found, 0.05 * mean))
        copies = ids.system.num_sparse_cores
        ranges.append(Range(*maxima(mean, found, (error, error + new), copies)))
    return _needs(ids, ranges[0], ranges[1])


def _correlation(ids: SortedIds, sources: int, variance: float, counts: np.ndarray) -> float:
    """Return the variance of the ids of lists that were counted, divided by that of independent ids."""
    if sources < 4 or not variance:
        return 1.0
    partitions = ids.system.num_sparse_cores
    sums = np.bincount(ids.list_partition, counts, partitions)
    squares = np.bincount(ids.list_partition, counts.astype(np.float64) ** 2, partitions)
    found = float((squares - sums**2 / sources).sum() / (sources - 1))
    return min(max(found / variance, 0.1), 10.0)


def _needs(ids: SortedIds, max_ids: Range, max_unique_ids: Range) -> Needs:
    totals = np.bincount(ids.list_partition, ids.list_ids, ids.system.num_sparse_cores)
    skew = float(totals.max(initial=0) / max(totals.mean(), 1e-300)) if len(ids) else 1.0
    return Needs(max_ids, max_unique_ids, skew)


def _distinct(stack: Stack, pool: Pool, share: float, expected: Expected) -> Range:
    """Return the number of distinct rows of a batch, from what is expected."""
    value = float(expected.distinct.sum())
    new = sum(pool.frequencies[each.spec.name].new_ids(share)[0] for each in stack.tables)
    most = max(float(np.sum(expected.new)), new)
    error = 2 * _SIGMAS * float(np.sqrt(max(value, 1.0)))
    return Range(value, max(value - new - error, 0.0), value - new + most + error)


@dataclass(frozen=True, eq=False)
class WithinLimits:
    """The figures of a stack's batch within its limits.

    Attributes:
        batch: the batch.
        cells: what the counted SparseCores send to partitions.
        update: the figures of the update, of all partitions, as `update_figures` returns them.
        minibatches: the number of minibatches.
        has_minibatches: whether programs have room for several.
        dropped: the number of ids that exceed the limits, of all SparseCores.
    """

    batch: StackBatch
    cells: Cells
    update: Mapping[str, npt.NDArray[Any]]
    minibatches: int
    has_minibatches: bool
    dropped: float


def within(
    batches: Sequence[StackBatch], limits: Sequence[Limits], tiles: int, *, has_minibatches: bool
) -> list[WithinLimits]:
    """Return the figures of the stacks of a batch within limits.

    Args:
        batches: the stacks.
        limits: the limits of the partitions of each.
        tiles: the number of tiles of a SparseCore.
        has_minibatches: whether a batch that exceeds them is split into minibatches.
    """
    found = []
    for batch, kept in zip(
        batches,
        keep([each.sorted for each in batches], limits, has_minibatches=has_minibatches),
        strict=True,
    ):
        cells = cells_of(kept, tiles)
        if batch.unique_scale != 1:
            unique = np.minimum(cells.unique_ids * batch.unique_scale, cells.ids)
            cells = dataclasses.replace(cells, unique_ids=unique)
        if batch.rows is None:
            update = update_figures(kept, tiles)
        else:
            update = _expected_update(batch, cells, batch.rows, kept.minibatches, tiles)
        scale = batch.system.num_sparse_cores / batch.sources
        found.append(
            WithinLimits(
                *(batch, cells, update, kept.minibatches, has_minibatches, kept.dropped * scale)
            )
        )
    return found


def _expected_update(
    batch: StackBatch, cells: Cells, rows: tuple[Floats, Floats], minibatches: int, tiles: int
) -> dict[str, npt.NDArray[Any]]:
    """Return the expected figures of an update, with one tile: what a tile has on average."""
    cores = batch.system.num_sparse_cores
    place = cells.minibatch * cores + cells.partition
    ids = np.bincount(place, cells.ids, minibatches * cores).reshape(minibatches, cores, 1)
    ids = ids * (cores / batch.sources)
    # Minibatches are made by a hash of the row: rows are spread over them as ids are.
    shares = ids / np.maximum(ids.sum(axis=0), 1e-300)
    unique, of_devices = (each[:, None] * shares for each in rows)
    rows_ = np.minimum(unique, ids)
    of_tile = {
        "row_ids": ids,
        "rows": rows_,
        "device_rows": np.minimum(np.maximum(of_devices, rows_), ids),
        "new_rows": rows_,
        "updated_rows": rows_.sum(axis=0, keepdims=True),
    }
    return {"minibatch_ids": ids, **{name: each / tiles for name, each in of_tile.items()}}
