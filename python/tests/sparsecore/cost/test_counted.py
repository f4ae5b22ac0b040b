"""The work of programs, against a recount from the entries of random batches."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from sdykit.core.sparsecore.steps import (
    ALL_TO_ALL,
    EXCHANGE_IDS,
    GATHER,
    LOAD,
    REDUCE_GRADIENTS,
    SCATTER,
)
from sdykit.sparsecore.cost import of_tables, work_of
from sdykit.sparsecore.cost.work import STEPS, Floats, Work
from sdykit.sparsecore.counts import count, statistics_of_ids
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.tile.counters import Counters
from sdykit.sparsecore.tile.spec import LookupSpec, UpdateSpec
from support.cost_cases import lookup_counters, update_counters
from support.tile.tile_cases import Buffers

LANES, TILES = 8, 16


def of_step(work: Work, values: Floats, step: str) -> Floats:
    return values[..., STEPS[work.kind].index(step)]


def pairs_of(buffers: Buffers, sparse_cores: int, cores: int) -> tuple[np.ndarray, np.ndarray]:
    """Return ids and unique ids of each SparseCore and partition."""
    entries = buffers.entries
    source = entries.device * sparse_cores + entries.core
    ids = np.zeros((cores, cores), np.int64)
    np.add.at(ids, (source, entries.partition), 1)
    distinct = np.unique(np.stack([source, entries.partition, entries.local_id]), axis=1)
    unique = np.zeros_like(ids)
    np.add.at(unique, tuple(distinct[:2]), 1)
    return ids, unique


def share(counts: np.ndarray) -> np.ndarray:
    """Return the part of the busiest of the tiles, which take whole vectors."""
    whole = -(-counts // (TILES * LANES)) * LANES
    return np.minimum(counts, whole)


@pytest.mark.parametrize("num_devices", [1, 4])
def test_the_work_of_a_lookup(num_devices: int) -> None:
    buffers, counters = lookup_counters(1, num_devices=num_devices, dim=12)
    cores = 4 * num_devices
    ids, unique = pairs_of(buffers, 4, cores)
    assert ids.sum() > unique.sum() > 100
    work = work_of(counters)
    assert work.labels == ("lookup",)
    assert work.minibatch.tolist() == [0]
    # Each SparseCore sends its entries, and its owner gathers each row once for each that asks.
    loaded = of_step(work, work.amounts["bytes"], LOAD)[0]
    assert np.array_equal(loaded, (-(-share(ids) // LANES) * LANES * 12).sum(axis=1))
    assert np.array_equal(of_step(work, work.amounts["dmas"], LOAD)[0], np.full(cores, 3 * cores))
    gathered = of_step(work, work.amounts["dmas"], GATHER)[0]
    assert np.array_equal(gathered, share(unique).sum(axis=0))
    # A row of 48 bytes takes two granules of 32.
    on_chip = unique.sum(axis=0).reshape(num_devices, 4).sum(axis=1)
    assert np.array_equal(of_step(work, work.hbm_bytes, GATHER)[0], on_chip * 64)
    far = unique.reshape(num_devices, 4, num_devices, 4).sum(axis=(1, 3))
    np.fill_diagonal(far, 0)
    most = np.maximum(far.sum(axis=0), far.sum(axis=1))
    assert np.array_equal(of_step(work, work.ici_bytes, ALL_TO_ALL)[0], most * 48)
    assert np.array_equal(of_step(work, work.ici_bytes, EXCHANGE_IDS)[0], most * 4)
    assert bool(most.any()) == (num_devices > 1)


def test_launches_are_those_of_each_partition() -> None:
    _, counters = lookup_counters(2, num_devices=2)
    launches = work_of(counters).amounts["launches"][0]
    by_step = dict(zip(STEPS["lookup"], launches.T.tolist(), strict=True))
    assert by_step == {
        "sequencer": [0] * 8,
        "load": [8] * 8,
        "sort": [0] * 8,
        "deduplicate": [16] * 8,
        "exchange_ids": [8] * 8,
        "gather": [8] * 8,
        "all_to_all": [8] * 8,
        "reduce": [17] * 8,  # Once more, to set the sums to 0.
        "store": [1] * 8,
    }


def test_on_7x_two_devices_share_a_chip_and_its_hbm() -> None:
    buffers, counters = lookup_counters(3, num_devices=4, chip="7x", dim=16)
    work = work_of(counters)
    assert work.hbm_bytes.shape[1] == work.ici_bytes.shape[1] == 2
    _, unique = pairs_of(buffers, 2, 8)
    on_chip = unique.sum(axis=0).reshape(2, 4).sum(axis=1)
    assert np.array_equal(of_step(work, work.hbm_bytes, GATHER)[0], on_chip * 64)
    far = max(unique[:4, 4:].sum(), unique[4:, :4].sum())
    assert of_step(work, work.ici_bytes, ALL_TO_ALL)[0].tolist() == [far * 64] * 2


def test_minibatches_are_rows_of_their_own() -> None:
    buffers, counters = lookup_counters(4, minibatches=True)
    used = np.unique(buffers.entries.minibatch)
    assert len(used) > 1
    work = work_of(counters)
    assert work.minibatch.tolist() == list(range(used.max() + 1))
    rows = of_step(work, work.hbm_bytes, GATHER).sum()
    assert rows % 64 == 0
    found = of_tables([counters]).by("minibatch")["expected"]
    assert len(found) == len(work.minibatch)
    assert (found > 0).all()


def test_the_work_of_an_update() -> None:
    buffers, counters = update_counters(5, dim=12)
    entries, work = buffers.entries, work_of(counters)
    rows = [len(np.unique(entries.local_id[entries.partition == each])) for each in range(4)]
    hbm = of_step(work, work.hbm_bytes, SCATTER)[0]
    assert hbm.tolist() == [sum(rows) * 64]
    of_tiles = counters[0].by("scatter: DMAs", "partition", "tile").max(axis=1)
    assert np.array_equal(of_step(work, work.amounts["dmas"], SCATTER)[0], of_tiles)
    # A row of gradients for each entry, without a copy in the program.
    gradients = of_step(work, work.amounts["dmas"], REDUCE_GRADIENTS)[0]
    busiest = counters[0].by("reduce_gradients: bytes read from gradients", "partition", "tile")
    assert np.array_equal(gradients, busiest.max(axis=1) / 48)
    assert busiest.sum() == len(entries.local_id) * 48
    sorts = counters[0].by("sort: vector operations", "partition", "tile").max(axis=1)
    assert (sorts > 0).all()
    assert np.array_equal(of_step(work, work.amounts["vectors"], "sort")[0], sorts)


def test_several_runs_count_as_one() -> None:
    _, (once,) = update_counters(6)
    thrice = dataclasses.replace(
        once,
        runs=3,
        loops=tuple(dataclasses.replace(each, counts=each.counts * 3) for each in once.loops),
    )
    one, three = work_of([once]), work_of([thrice])
    for name, values in one.amounts.items():
        assert np.allclose(values, three.amounts[name])
    assert np.allclose(one.hbm_bytes, three.hbm_bytes)


def error_of(counters: list[Counters]) -> str:
    with pytest.raises(SparseCoreError) as raised:
        work_of(counters)
    return str(raised.value)


def test_counters_that_no_time_follows_from_are_errors() -> None:
    _, (one, other) = lookup_counters(7, num_devices=2)
    assert error_of([]) == "cost: there are no counters; expected those of each device"
    assert error_of([other]) == (
        "cost: lookup '': there are counters of devices [1]; expected each of 0 to 1, in order"
    )
    narrow = dataclasses.replace(other.spec, dim=3)
    assert error_of([one, dataclasses.replace(other, spec=narrow)]) == (
        "cost: lookup '': there are counters of several programs; expected those of one"
    )
    assert error_of([one, dataclasses.replace(other, runs=0)]) == (
        "cost: lookup '': the program has not run; expected at least 1 run"
    )
    fused = dataclasses.replace(one, names=("bytes read from table",))
    assert error_of([fused, other]) == (
        "cost: lookup '': the counters have no DMAs; expected those of a chip's program, from "
        "sdykit.sparsecore.counters or sdykit.sparsecore.counts.count"
    )


@pytest.mark.parametrize("num_devices", [1, 4])
def test_the_work_of_a_lookup_of_raw_ids(num_devices: int) -> None:
    rows, valency = 500, 6
    spec = LookupSpec(dim=12, samples_per_core=40, layout="ids", num_devices=num_devices)
    rng = np.random.default_rng(8)
    ids = rng.integers(0, rows * num_devices, (spec.samples, valency)).astype(np.int32)
    work = work_of(
        [
            count(spec, statistics_of_ids(spec, ids, rows, device=device), device=device)
            for device in range(num_devices)
        ]
    )
    # A device has the samples of all, and gathers each of its rows once for a tile that asks for it.
    expected = np.zeros(num_devices)
    tile = ((np.arange(40) + 1) * TILES - 1) // 40
    for of_core in ids.reshape(4 * num_devices, 40, valency):
        for number in range(TILES):
            distinct = np.unique(of_core[tile == number])
            expected += np.bincount(distinct // rows, minlength=num_devices)
    gathered = of_step(work, work.hbm_bytes, GATHER)[0]
    assert np.array_equal(gathered, expected * 64)
    assert not work.ici_bytes.any()
    stored = of_step(work, work.amounts["dmas"], "store")[0]
    assert stored.tolist() == [num_devices] * 4 * num_devices
    assert of_step(work, work.amounts["vectors"], "sort").all()


def test_the_work_of_an_update_of_raw_ids() -> None:
    spec = UpdateSpec(dim=12, samples_per_core=40, layout="ids")
    ids = np.random.default_rng(9).integers(0, 500, (spec.samples, 6)).astype(np.int32)
    counters = count(spec, statistics_of_ids(spec, ids, 500))
    work = work_of([counters])
    assert of_step(work, work.hbm_bytes, SCATTER).sum() == len(np.unique(ids)) * 64
    # The words are sorted in HBM.
    moved = counters.by("sort: bytes read from words") + counters.by("sort: bytes written to words")
    assert of_step(work, work.hbm_bytes, "sort").sum() == moved


def test_tiles_add_up_to_what_is_counted() -> None:
    for counters in (lookup_counters(10, num_devices=2)[1], update_counters(11)[1]):
        work = work_of(counters)
        assert work.of_tiles is not None
        for name, of_tiles in work.of_tiles().items():
            assert (of_tiles.max(axis=2) <= work.amounts[name] + 1e-9).all()
        dmas = work.of_tiles()["dmas"]
        gathered = sum(each.totals["gather: DMAs"] for each in counters)
        assert of_step(work, dmas, GATHER).sum() == gathered
