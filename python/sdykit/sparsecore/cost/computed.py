"""The work of programs, from the figures of their batches."""

from __future__ import annotations

import numpy as np

from sdykit.core.sparsecore.steps import SORT
from sdykit.sparsecore.cost.coefficients import HBM, lookup_coefficients
from sdykit.sparsecore.cost.figures import (
    OF_ALL_MINIBATCHES,
    TILE_FIGURES,
    Figures,
    LookupFigures,
    UpdateFigures,
)
from sdykit.sparsecore.cost.sorts import busiest_tile, sort_launches
from sdykit.sparsecore.cost.update_coefficients import update_coefficients
from sdykit.sparsecore.cost.work import AMOUNTS, OF_OWNER, STEPS, Floats, Work, by_chip
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.tile.spec import AnyUpdateSpec, LookupSpec, TileSpec

_OF_ALL = [TILE_FIGURES.index(name) for name in OF_ALL_MINIBATCHES]


def work_of_figures(spec: TileSpec, figures: Figures) -> Work:
    """Return the work of a program, equal to that of its counters.

    Raises:
        SparseCoreError: the figures are those of another kind or number of SparseCores; there is no
            such chip; or the layout is ids, whose entries are of no partition.
    """
    name = f"cost: {spec.kind} {spec.label!r}"
    if spec.layout == "ids":
        raise SparseCoreError(
            f"{name}: the layout is ids, whose entries are of no partition; expected sdykit or "
            "jax_tpu_embedding"
        )
    if isinstance(spec, LookupSpec) and isinstance(figures, LookupFigures):
        _check_cores(spec, figures.sent.shape[1])
        return _of_lookup(spec, figures)
    if isinstance(spec, AnyUpdateSpec) and isinstance(figures, UpdateFigures):
        _check_cores(spec, figures.ids.shape[1])
        return _of_update(spec, figures)
    expected = LookupFigures if isinstance(spec, LookupSpec) else UpdateFigures
    raise SparseCoreError(
        f"{name}: the figures are {type(figures).__name__}; expected {expected.__name__}"
    )


def _check_cores(spec: TileSpec, cores: int) -> None:
    if cores != spec.all_cores:
        raise SparseCoreError(
            f"cost: {spec.kind} {spec.label!r}: the figures are those of {cores} SparseCores; expected "
            f"{spec.all_cores}"
        )


def _of_lookup(spec: LookupSpec, figures: LookupFigures) -> Work:
    coefficients, chip = lookup_coefficients(spec), spec.hardware
    is_of_owner = np.isin(STEPS[spec.kind], OF_OWNER)
    both = np.concatenate([figures.sent, figures.owned], axis=2)
    is_first = (np.arange(len(both)) == 0)[:, None, None]

    def amount(name: str, figures: Floats, cores: int) -> Floats:
        of_pairs = coefficients.of_pairs[name]
        matrix = np.concatenate([of_pairs * ~is_of_owner, of_pairs * is_of_owner])
        return figures @ matrix + cores * coefficients.of_call[name] * is_first

    far = (by_chip(chip, each[..., None]) for each in (figures.far_sent, figures.far_owned))
    of_chip = min(chip.sparse_cores_per_chip, spec.all_cores)
    return _work(
        spec,
        {name: amount(name, both, 1) for name in AMOUNTS},
        amount(HBM, by_chip(chip, both), of_chip),
        np.maximum(*far) * coefficients.sent,
    )


def _of_update(spec: AnyUpdateSpec, figures: UpdateFigures) -> Work:
    coefficients, chip = update_coefficients(spec), spec.hardware
    ids, all_ids = figures.ids, np.zeros_like(figures.ids)
    all_ids[0] = ids.sum(axis=0)
    vectors = np.ceil(ids / chip.float32_lanes).astype(np.int64)
    of_ids = np.stack([np.ones_like(ids), ids, sort_launches(vectors), all_ids], axis=-1)
    tiles = figures.by_tile.shape[2]
    sums = figures.by_tile.sum(axis=2) * (chip.tiles_per_sparse_core / tiles)

    def amount(name: str, of_tiles: Floats) -> Floats:
        found = of_ids @ coefficients.of_ids[name] + of_tiles
        once, of_minibatches = coefficients.of_call[name]
        found[0] += np.tile(once + len(ids) * of_minibatches, (spec.num_devices, 1))
        return found

    amounts = {
        name: amount(name, _busiest(figures.by_tile, coefficients.of_tiles[name]))
        for name in AMOUNTS
    }
    sorts = busiest_tile(vectors, chip.tiles_per_sparse_core, coefficients.sorts)
    amounts["vectors"][..., STEPS[spec.kind].index(SORT)] += sorts
    # Samples are not counted apart: they are of all chips alike.
    chips = -(-spec.all_cores // chip.sparse_cores_per_chip)
    far = sums[..., [TILE_FIGURES.index("row_ids")]] * (1 - 1 / chips)
    return _work(
        spec,
        amounts,
        by_chip(chip, amount(HBM, sums @ coefficients.of_tiles[HBM])),
        by_chip(chip, far) * coefficients.gradients,
    )


def _busiest(by_tile: Floats, coefficients: Floats) -> Floats:
    """Return what the busiest tile does: in each minibatch, and after all of them.

    Args:
        by_tile: `[minibatches, SparseCores, tiles, TILE_FIGURES]`.
        coefficients: `[TILE_FIGURES, steps]`.
    """
    is_of_all = np.isin(np.arange(len(coefficients)), _OF_ALL)[:, None]
    of_minibatches, of_all = coefficients * ~is_of_all, coefficients * is_of_all
    return (by_tile @ of_minibatches).max(axis=2) + (by_tile @ of_all).max(axis=2)


def _work(spec: TileSpec, amounts: dict[str, Floats], hbm_bytes: Floats, ici_bytes: Floats) -> Work:
    minibatches = len(hbm_bytes)
    return Work(
        chip=spec.hardware,
        kind=spec.kind,
        labels=(spec.label or spec.kind,),
        program=np.zeros(minibatches, np.int64),
        minibatch=np.arange(minibatches),
        amounts=amounts,
        hbm_bytes=hbm_bytes,
        ici_bytes=ici_bytes,
    )
