"""Figures added up for each SparseCore, of systems of which most pairs of SparseCores are empty."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from sdykit.sparsecore.cost import (
    LookupFigures,
    Pairs,
    UpdateFigures,
    figures_of,
    lookup_figures,
    of_figures,
    of_statistics,
    update_figures,
)
from sdykit.sparsecore.cost.figures import TILE_FIGURES
from sdykit.sparsecore.counts import Statistics
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.tile.spec import LookupSpec, UpdateSpec
from support.cost_cases import step_of

SPEC = LookupSpec(dim=20, samples_per_core=64, num_devices=8, label="users")


def sparse_pairs(rng: np.random.Generator, cores: int, count: int) -> Pairs:
    """Return pairs that have ids, in any order."""
    places = rng.choice(cores * cores, count, replace=False)
    source, partition = np.divmod(places, cores)
    ids = rng.integers(1, 200, count)
    unique = rng.integers(1, ids + 1)
    return Pairs(source, partition, ids, unique, rng.integers(-(-ids // 16), ids + 1))


def all_statistics(spec: LookupSpec, pairs: Pairs) -> list[Statistics]:
    """Return the same as dense figures, of each device."""
    cores, tiles = spec.all_cores, spec.hardware.tiles_per_sparse_core
    ids, unique = np.zeros((2, cores, 1, cores), np.int64)
    by_tile = np.zeros((cores, 1, cores, tiles), np.int64)
    at = pairs.source, 0, pairs.partition
    ids[at], unique[at] = pairs.ids, pairs.unique_ids
    for place, most, rest in zip(
        zip(pairs.source, pairs.partition, strict=True),
        pairs.tile_ids,
        pairs.ids - pairs.tile_ids,
        strict=True,
    ):
        of_pair = by_tile[place[0], 0, place[1]]
        of_pair[0] = most
        of_pair[1:] = rest // (tiles - 1) + (np.arange(tiles - 1) < rest % (tiles - 1))
    parts = np.split(np.arange(cores), spec.num_devices)
    return [Statistics(1, ids[:, :, p], unique[:, :, p], by_tile[:, :, p]) for p in parts]


@pytest.mark.parametrize("chip", ["v5p", "7x"])
def test_a_lookup_of_pairs_that_have_ids_is_that_of_all_pairs(chip: str) -> None:
    spec = dataclasses.replace(SPEC, chip=chip)
    pairs = sparse_pairs(np.random.default_rng(0), spec.all_cores, spec.all_cores * 2)
    statistics = all_statistics(spec, pairs)
    sparse, dense = lookup_figures(spec, pairs), figures_of(spec, statistics)
    assert isinstance(dense, LookupFigures)
    for each in dataclasses.fields(LookupFigures):
        assert np.allclose(getattr(sparse, each.name), getattr(dense, each.name), rtol=1e-12)
    found, expected = of_figures([spec], [sparse]), of_statistics([spec], [statistics])
    assert found.total.seconds == pytest.approx(expected.total.seconds, rel=1e-12)


def test_an_update_by_tile_is_that_of_its_statistics() -> None:
    for fields in ({"num_devices": 2}, {"num_devices": 2, "minibatches": True}):
        _, (spec, statistics) = step_of(5, **fields)
        used = statistics[0].minibatches
        joined = {
            name: np.concatenate([each.figures[name][0] for each in statistics], axis=1)[:used]
            for name in statistics[0].figures
        }
        joined["updated_rows"] = joined["updated_rows"][0]
        if not spec.minibatches:
            del joined["updated_rows"]
        figures = update_figures(spec, joined.pop("minibatch_ids")[..., 0], joined)
        found = of_figures([spec], [figures]).by("core", "step")["expected"]
        expected = of_statistics([spec], [statistics]).by("core", "step")["expected"]
        assert found == pytest.approx(expected, rel=1e-12)


def test_tiles_that_are_alike_take_no_longer_than_the_busiest() -> None:
    _, (spec, statistics) = step_of(6, num_devices=4)
    exact = figures_of(spec, statistics)
    assert isinstance(exact, UpdateFigures)
    means = {name: exact.mean[:, at, :, None] for at, name in enumerate(TILE_FIGURES[:3])}
    alike = update_figures(spec, exact.ids, means)
    found, expected = (of_figures([spec], [each]) for each in (alike, exact))
    assert 0.8 * expected.total.seconds < found.total.seconds <= expected.total.seconds
    assert np.allclose(found.programs[0].work.hbm_bytes, expected.programs[0].work.hbm_bytes)


def test_costs_of_16384_sparse_cores() -> None:
    spec = dataclasses.replace(SPEC, num_devices=4096)
    pairs = sparse_pairs(np.random.default_rng(1), spec.all_cores, 100_000)
    update = UpdateSpec(dim=20, samples_per_core=64, num_devices=4096)
    ids = np.bincount(pairs.partition, pairs.ids, minlength=spec.all_cores)[None]
    rows: dict[str, np.ndarray] = dict.fromkeys(TILE_FIGURES[:3], ids[..., None] / 16)
    found = of_figures(
        [spec, update], [lookup_figures(spec, pairs), update_figures(update, ids, rows)]
    )
    assert found.by("core")["expected"].shape == (16384,)
    assert found.total.low < found.total.seconds < found.total.high


def test_figures_of_other_programs_are_errors() -> None:
    pairs = sparse_pairs(np.random.default_rng(2), 32, 10)
    figures = lookup_figures(SPEC, pairs)
    update = UpdateSpec(dim=8, samples_per_core=8, num_devices=8, label="users")
    one = np.ones((1, 32, 1))
    for call, text in (
        (
            lambda: of_figures([SPEC], []),
            "cost: there are the figures of 0 programs, and 1 specs; expected those of each",
        ),
        (
            lambda: of_figures([update], [figures]),
            "cost: update 'users': the figures are LookupFigures; expected UpdateFigures",
        ),
        (
            lambda: of_figures([dataclasses.replace(SPEC, num_devices=4)], [figures]),
            "cost: lookup 'users': the figures are those of 32 SparseCores; expected 16",
        ),
        (
            lambda: lookup_figures(dataclasses.replace(SPEC, num_devices=1), pairs),
            f"cost: lookup 'users': source is {pairs.source.min()} to {pairs.source.max()}; expected 0 to 3",
        ),
        (
            lambda: update_figures(update, np.ones((1, 32)), {"rows": one, "row_ids": one}),
            "cost: update 'users': device_rows is not there; expected [1, 32, 1], and 16 tiles or one",
        ),
        (
            lambda: update_figures(
                update,
                np.ones((1, 32)),
                {"rows": one, "row_ids": np.ones((1, 32, 3)), "device_rows": one},
            ),
            "cost: update 'users': rows is [1, 32, 1]; expected [1, 32, 3], and 16 tiles or one",
        ),
    ):
        with pytest.raises(SparseCoreError) as raised:
            call()
        assert str(raised.value) == text
