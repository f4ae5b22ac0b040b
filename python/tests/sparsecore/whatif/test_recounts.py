"""Recounted figures equal those of preprocessing, for all limits and minibatches."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdykit.sparsecore.counts import Statistics, statistics_of
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.inputs import Ids, read_feature
from sdykit.sparsecore.preprocess import Minibatching
from sdykit.sparsecore.reference import entries_from_packed
from sdykit.sparsecore.specs import FeatureSpec, System, TableSpec
from sdykit.sparsecore.stacking import stack
from sdykit.sparsecore.tile.spec import LookupSpec, TileSpec, UpdateSpec
from sdykit.sparsecore.tile.spec.base import MAX_MINIBATCHES
from sdykit.sparsecore.whatif.cells import cells_of, update_figures
from sdykit.sparsecore.whatif.minibatches import Kept, keep
from sdykit.sparsecore.whatif.sorting import sort_ids
from support.sparsecore.preprocess_cases import DROPPING, Case, make_case

CHIPS = {"v5p": 4, "v6e": 2}


def ids_of(case: Case) -> dict[str, Ids]:
    specs = [each.spec for stack in case.stacks for each in stack.features]
    return {
        spec.name: read_feature(
            spec.name, spec.table, case.features[spec.name], None, spec.batch_size
        )
        for spec in specs
    }


def recounted(case: Case, has_minibatches: bool) -> list[Kept]:
    ids = ids_of(case)
    stacks = [sort_ids(each, ids, case.system) for each in case.stacks]
    limits = [each.partition_limits for each in case.stacks]
    return keep(stacks, limits, has_minibatches=has_minibatches)


def expand(kept: Kept, spec: TileSpec, device: int) -> SimpleNamespace:
    """Return the recounted figures of a device, in full, by the names of `Statistics`."""
    cores, tiles = spec.sparse_cores, spec.hardware.tiles_per_sparse_core
    room = MAX_MINIBATCHES if spec.minibatches else 1
    cells = cells_of(kept, tiles)
    shape = (spec.all_cores, room, spec.all_cores)
    here = slice(device * cores, (device + 1) * cores)
    place = (cells.source, cells.minibatch, cells.partition)
    ids, unique_ids = np.zeros((2, *shape), np.int64)
    ids[place], unique_ids[place] = cells.ids, cells.unique_ids
    tile_ids = np.zeros(shape, np.int64)
    tile_ids[place] = cells.tile_ids
    figures = {}
    if isinstance(spec, UpdateSpec):
        for name, found in update_figures(kept, tiles).items():
            own = found[:, here]
            of_all = ("partition_ids", "slots", "updated_rows")
            if not (spec.minibatches and name in of_all):
                own = np.pad(own, ((0, room - own.shape[0]), (0, 0), (0, 0)))
            figures[name] = own[None]
    return SimpleNamespace(
        minibatches=kept.minibatches,
        ids=ids[:, :, here],
        unique_ids=unique_ids[:, :, here],
        max_tile_ids=tile_ids[:, :, here],
        dropped=kept.dropped,
        figures=figures,
    )


def assert_equal(found: SimpleNamespace, expected: Statistics) -> None:
    assert found.minibatches == expected.minibatches
    assert found.dropped == expected.dropped
    for name in ("ids", "unique_ids"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), name)
    np.testing.assert_array_equal(found.max_tile_ids, expected.tile_ids.max(axis=-1))
    assert found.figures.keys() == expected.figures.keys()
    for name, values in expected.figures.items():
        mine = found.figures[name]
        np.testing.assert_array_equal(np.broadcast_to(mine, values.shape), values, name)


@settings(deadline=None)
@given(
    seed=st.integers(0, 2**31),
    chip=st.sampled_from(list(CHIPS)),
    devices=st.sampled_from([1, 2, 4]),
    minibatching=st.sampled_from(["off", "vocabulary"]),
    limits=st.tuples(st.sampled_from([1, 3, 20, 4096]), st.sampled_from([1, 2, 10, 4096])),
)
def test_figures_are_those_of_preprocessing(
    seed: int, chip: str, devices: int, minibatching: Minibatching, limits: tuple[int, int]
) -> None:
    system = System(devices, CHIPS[chip])
    case = make_case(
        np.random.default_rng(seed),
        system,
        tables=3,
        features=5,
        combiners=["sum"],
        weighted=False,
        stacking=True,
        valencies=(1, 3, 16),
        rows=40,
    )
    ids, unique_ids = limits
    case = case.limited(ids, unique_ids, 8 * 4096)
    done = case.run(config=DROPPING, minibatching=minibatching)
    has_minibatches = minibatching != "off"
    for kept in recounted(case, has_minibatches):
        found = done.buffers[kept.ids.stack.name]
        statistics = done.statistics[kept.ids.stack.name]
        samples = kept.ids.stack.batch_size // system.num_sparse_cores
        entries = entries_from_packed(
            *(found.row_pointers.ravel(), found.embedding_ids.ravel()),
            *(found.sample_ids.ravel(), found.gains.ravel()),
            samples_per_core=samples,
            system=system,
            num_minibatches=done.num_minibatches if has_minibatches else None,
        )
        np.testing.assert_array_equal(kept.ids.max_ids, statistics.ids.max(axis=0))
        np.testing.assert_array_equal(kept.ids.max_unique_ids, statistics.unique_ids.max(axis=0))
        for make in (LookupSpec, UpdateSpec):
            spec = make(
                dim=8,
                samples_per_core=samples,
                chip=chip,
                num_devices=devices,
                minibatches=has_minibatches,
                max_ids_per_partition=ids,
                max_unique_ids_per_partition=unique_ids,
            )
            for device in range(devices):
                expected = statistics_of(
                    spec,
                    entries,
                    device=device,
                    minibatches=done.num_minibatches,
                    dropped=statistics.dropped,
                )
                assert_equal(expand(kept, spec, device), expected)


def test_a_batch_without_ids_has_no_cells() -> None:
    system = System(2, 4)
    feature = FeatureSpec("f", TableSpec("t", 100, 8), 16)
    ids = read_feature("f", feature.table, np.empty((16, 0), np.int32), None, 16)
    (one,) = stack([feature], system)
    (kept,) = keep(
        [sort_ids(one, {"f": ids}, system)], [one.partition_limits], has_minibatches=True
    )
    assert len(cells_of(kept, 16)) == 0
    assert not kept.ids.max_ids.any()
    assert not any(each.any() for each in update_figures(kept, 16).values())


def test_an_id_outside_of_the_vocabulary_is_an_error() -> None:
    system = System(1, 4)
    feature = FeatureSpec("f", TableSpec("t", 100, 8), 4)
    ids = read_feature("f", feature.table, np.array([[1], [2], [100], [3]]), None, 4)
    (one,) = stack([feature], system)
    with pytest.raises(
        SparseCoreError,
        match=r"feature 'f', sample 2: id is 100; expected one in \[0, 100\), the vocabulary",
    ):
        sort_ids(one, {"f": ids}, system)
