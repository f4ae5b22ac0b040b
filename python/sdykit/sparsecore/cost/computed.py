"""The work of many programs at once, from the figures of their batches.

Work is equal to that of the programs' counters, which `counted` makes it of.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sdykit.core.sparsecore.steps import SORT
from sdykit.sparsecore.chip import Chip
from sdykit.sparsecore.cost.coefficients import HBM, NAMES, lookup_coefficients
from sdykit.sparsecore.cost.figures import (
    PAIR_FIGURES,
    TILE_FIGURES,
    Figures,
    LookupFigures,
    UpdateFigures,
)
from sdykit.sparsecore.cost.sorts import busiest_tile, sort_launches
from sdykit.sparsecore.cost.update_coefficients import UpdateCoefficients, update_coefficients
from sdykit.sparsecore.cost.work import AMOUNTS, STEPS, Floats, Work, by_chip, check_system
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.tile.spec import AnyUpdateSpec, LookupSpec, TileSpec

Integers = npt.NDArray[np.int64]
_HBM = NAMES.index(HBM)
_ROW_IDS = TILE_FIGURES.index("row_ids")


def works_of_figures(specs: Sequence[TileSpec], figures: Sequence[Figures]) -> list[Work]:
    """Return the work of all lookups, and that of all updates.

    Raises:
        SparseCoreError: figures are those of another kind or number of SparseCores than the program's;
            there is no such chip; programs are of several systems; or the layout of one is ids, whose
            entries are of no partition.
    """
    lookups: list[tuple[LookupSpec, LookupFigures]] = []
    updates: list[tuple[AnyUpdateSpec, UpdateFigures]] = []
    for spec, each in zip(specs, figures, strict=True):
        if spec.layout == "ids":
            raise SparseCoreError(
                f"cost: {spec.kind} {spec.label!r}: the layout is ids, whose entries are of no "
                "partition; expected sdykit or jax_tpu_embedding, or a call of of_statistics"
            )
        if isinstance(spec, LookupSpec) and isinstance(each, LookupFigures):
            _check(spec, each.sent.shape[2])
            lookups.append((spec, each))
        elif isinstance(spec, AnyUpdateSpec) and isinstance(each, UpdateFigures):
            _check(spec, each.ids.shape[1])
            updates.append((spec, each))
        else:
            expected = LookupFigures if isinstance(spec, LookupSpec) else UpdateFigures
            raise SparseCoreError(
                f"cost: {spec.kind} {spec.label!r}: the figures are {type(each).__name__}; expected "
                f"{expected.__name__}"
            )
    check_system([spec.hardware for spec in specs], [spec.all_cores for spec in specs])
    found = []
    if lookups:
        found.append(_of_lookups([spec for spec, _ in lookups], [each for _, each in lookups]))
    if updates:
        found.append(_of_updates([spec for spec, _ in updates], [each for _, each in updates]))
    return found


def _check(spec: TileSpec, cores: int) -> None:
    if cores != spec.all_cores:
        raise SparseCoreError(
            f"cost: {spec.kind} {spec.label!r}: the figures are those of {cores} SparseCores; expected "
            f"{spec.all_cores}"
        )


def _of_lookups(specs: Sequence[LookupSpec], figures: Sequence[LookupFigures]) -> Work:
    chip, count = specs[0].hardware, len(PAIR_FIGURES)
    rows = _Rows.of(specs, [len(each.sent) for each in figures])
    found = [lookup_coefficients(spec, chip) for spec in specs]
    values = np.empty((len(rows.program), 2 * count + 1, specs[0].all_cores))
    np.concatenate([each.sent for each in figures], out=values[:, :count])
    np.concatenate([each.owned for each in figures], out=values[:, count:-1])
    values[:, -1] = rows.is_first[:, None]
    far_sent, far_owned = (
        _by_chip(chip, np.concatenate([getattr(each, name) for each in figures]))
        for name in ("far_sent", "far_owned")
    )
    of_figures = np.stack([each.of_figures for each in found])[rows.program]
    sent = np.stack([each.sent for each in found])[rows.program]
    return rows.work(
        _linear(values, of_figures),
        _by_chip(chip, values),
        of_figures[:, _HBM],
        np.maximum(far_sent, far_owned)[..., None] * sent[:, None],
    )


def _of_updates(specs: Sequence[AnyUpdateSpec], figures: Sequence[UpdateFigures]) -> Work:
    chip, cores = specs[0].hardware, specs[0].all_cores
    tiles = chip.tiles_per_sparse_core
    rows = _Rows.of(specs, [len(each.ids) for each in figures])
    found = [update_coefficients(spec, chip) for spec in specs]
    ids = np.concatenate([each.ids for each in figures])
    vectors = np.ceil(ids / chip.float32_lanes).astype(np.int64)
    all_ids = np.zeros_like(ids)
    all_ids[rows.firsts] = np.add.reduceat(ids, rows.firsts)
    launches = sort_launches(vectors).astype(np.float64)
    of_ids = np.stack([np.ones_like(ids), ids, launches, all_ids], axis=1)
    of_call = np.tile(np.eye(specs[0].sparse_cores), specs[0].num_devices)
    of_call = of_call * rows.is_first[:, None, None]
    most, mean = (
        np.concatenate([getattr(each, name) for each in figures]) for name in ("most", "mean")
    )
    values = np.concatenate([of_ids, most, of_call], axis=1)
    sums = [_by_chip(chip, each) for each in (of_ids, mean, of_call)]
    sums[1] *= tiles
    of_rows = zip(found, rows.minibatches.tolist(), strict=True)
    of_figures = np.stack([each.of_figures(count) for each, count in of_rows])[rows.program]
    amounts = _linear(values, of_figures)
    _add_mixed(amounts, figures, found, rows)
    sorts = amounts["vectors"][..., STEPS["update"].index(SORT)]
    for weights in {each.sorts for each in found}:
        used = np.array([each.sorts == weights for each in found])[rows.program]
        sorts[used] += busiest_tile(vectors[used], tiles, weights)
    # Samples are not counted apart: they are of all chips alike.
    chips = -(-cores // chip.sparse_cores_per_chip)
    far = _by_chip(chip, mean[:, _ROW_IDS]) * (tiles * (1 - 1 / chips))
    gradients = np.stack([each.gradients for each in found])[rows.program]
    return rows.work(
        amounts,
        np.concatenate(sums, axis=1),
        of_figures[:, _HBM],
        far[..., None] * gradients[:, None],
    )


def _linear(values: Floats, of_figures: Floats) -> dict[str, Floats]:
    """Return the amounts that follow from figures, `[rows, SparseCores, steps]` by `AMOUNTS`.

    Args:
        values: the figures, `[rows, figures, SparseCores]`.
        of_figures: their coefficients, `[rows, NAMES, figures, steps]`.
    """
    rows, _, figures, steps = of_figures.shape
    matrices = of_figures[:, : len(AMOUNTS)].swapaxes(2, 3).reshape(rows, -1, figures)
    # The amounts of a step stand together in memory, since their seconds are computed together.
    found = np.empty((len(AMOUNTS) * steps, rows, values.shape[2]))
    np.matmul(matrices, values, out=found.swapaxes(0, 1))
    by_name = found.reshape(len(AMOUNTS), steps, rows, -1)
    return {name: np.moveaxis(by_name[at], 0, -1) for at, name in enumerate(AMOUNTS)}


def _by_chip(chip: Chip, values: Floats) -> Floats:
    """Return sums over the SparseCores of each chip, `[..., chips]` of `[..., SparseCores]`."""
    return by_chip(chip, values[..., None])[..., 0]


def _add_mixed(
    amounts: dict[str, Floats],
    figures: Sequence[UpdateFigures],
    coefficients: Sequence[UpdateCoefficients],
    rows: _Rows,
) -> None:
    """Add what follows from several figures of a tile at once, of the busiest tile."""
    for each, found, first in zip(figures, coefficients, rows.firsts.tolist(), strict=True):
        minibatches, count, tiles, cores = each.by_tile.shape
        by_tile = each.by_tile.reshape(minibatches, count, -1)
        for amount, step, of_figures in found.mixed:
            of_tiles = (of_figures @ by_tile).reshape(minibatches, tiles, cores)
            total = amounts[AMOUNTS[amount]][first : first + minibatches, :, step]
            total += of_tiles.max(axis=1)


@dataclass(frozen=True)
class _Rows:
    """The rows of the work of programs: a row is a minibatch of a program.

    Attributes:
        specs: the specs of the programs.
        minibatches: the number of minibatches of each, int `[programs]`.
        program: the number of the program of each row, int `[rows]`.
        minibatch: the number of the minibatch of each row, int `[rows]`.
    """

    specs: Sequence[TileSpec]
    minibatches: Integers
    program: Integers
    minibatch: Integers

    @classmethod
    def of(cls, specs: Sequence[TileSpec], minibatches: Sequence[int]) -> _Rows:
        """Return the rows of programs with so many minibatches."""
        program = np.repeat(np.arange(len(specs)), minibatches)
        minibatch = np.concatenate([np.arange(each) for each in minibatches])
        return cls(specs, np.array(minibatches), program, minibatch)

    @property
    def is_first(self) -> npt.NDArray[np.bool_]:
        """Whether a row is of the first minibatch of its program."""
        return self.minibatch == 0

    @property
    def firsts(self) -> Integers:
        """The number of the first row of each program."""
        return np.flatnonzero(self.is_first)

    def work(
        self, amounts: dict[str, Floats], by_chip: Floats, of_hbm: Floats, ici_bytes: Floats
    ) -> Work:
        """Return work of these rows.

        Args:
            amounts: the amounts.
            by_chip: the figures of each chip, `[rows, figures, chips]`.
            of_hbm: the coefficients of `HBM`, `[rows, figures, steps]`.
            ici_bytes: `[rows, chips, steps]`.
        """
        return Work(
            chip=self.specs[0].hardware,
            kind=self.specs[0].kind,
            labels=tuple(spec.label or spec.kind for spec in self.specs),
            program=self.program,
            minibatch=self.minibatch,
            amounts=amounts,
            hbm_bytes=(of_hbm.swapaxes(1, 2) @ by_chip).swapaxes(1, 2),
            ici_bytes=ici_bytes,
        )
