"""What the chip reading counts, against a recount from the entries of random batches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.preprocess import Layout, Minibatching
from sdykit.sparsecore.tile.compile import compile_tile
from sdykit.sparsecore.tile.counters import Counters, make_counters
from sdykit.sparsecore.tile.spec import LookupSpec
from support.tile.tile_cases import LAYOUTS, Buffers, arrays_for, make_buffers, run_tile

DIM = 12
CORES = 4
LIMIT = 40


def counted(buffers: Buffers, spec: LookupSpec, arrays: dict[str, np.ndarray]) -> Counters:
    found, is_kept = run_tile(spec, arrays)
    assert is_kept
    program = compile_tile(spec, cache=None).source.text
    return make_counters(spec, program, {0: (1, found["counters"].ravel().tolist())})[0]


def lookup_counters(
    seed: int, layout: Layout, minibatching: Minibatching
) -> tuple[Buffers, Counters]:
    rng = np.random.default_rng(seed)
    buffers = make_buffers(
        rng,
        "v5p",
        samples_per_core=9,
        vocabulary=150,
        max_ids=12,
        limit=LIMIT if minibatching == "off" else 12,
        layout=layout,
        minibatching=minibatching,
        dropping=True,
    )
    spec = LookupSpec(
        dim=DIM,
        samples_per_core=9,
        layout=layout,
        minibatches=minibatching != "off",
        max_ids_per_partition=LIMIT,
        counters=True,
        reading="chip",
    )
    return buffers, counted(buffers, spec, arrays_for(rng, buffers, DIM))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("minibatching", ["off", "vocabulary", "sample"])
@pytest.mark.parametrize("seed", range(3))
def test_ids_rows_and_bytes_sent_follow_from_the_batch(
    seed: int, layout: Layout, minibatching: Minibatching
) -> None:
    buffers, found = lookup_counters(seed, layout, minibatching)
    entries = buffers.entries
    ids, unique = (np.zeros((CORES, CORES), np.int64) for _ in range(2))
    for core, minibatch, partition in np.ndindex(CORES, 64, CORES):
        here = (entries.sample // 9 == core) & (entries.partition == partition)
        here &= entries.minibatch == minibatch
        ids[core, partition] += here.sum()
        unique[core, partition] += len(np.unique(entries.local_id[here]))
    assert ids.sum() > unique.sum() > 100
    by_pair = ("core", "partition")
    assert np.array_equal(found.by("load: bytes read from embedding_ids", *by_pair), 4 * ids)
    assert np.array_equal(found.by("gather: DMAs", *by_pair), unique)
    assert np.array_equal(found.by("gather: bytes read from table", *by_pair), unique * DIM * 4)
    assert np.array_equal(found.by("exchange_ids: bytes sent", *by_pair), 4 * unique)
    assert np.array_equal(found.by("all_to_all: bytes sent", *by_pair), unique * DIM * 4)
    assert found.totals["store: bytes written to activations"] == 36 * DIM * 4
    assert np.array_equal(found.by("bytes sent", "partition"), (4 + DIM * 4) * unique.sum(axis=0))
    if minibatching != "off":
        minibatches = found.by("gather: DMAs", "minibatch")
        assert len(minibatches) == 64
        assert minibatches.sum() == unique.sum()
        assert np.count_nonzero(minibatches) > 1


def test_a_sample_minibatch_takes_a_subset_of_the_samples_at_a_time() -> None:
    """A device loops over them: each loads the entries of its own samples, in order."""
    buffers, found = lookup_counters(2, "sdykit", "sample")
    loaded = found.by("load: bytes read from sample_ids", "core", "minibatch") // 4
    assert np.count_nonzero(loaded.sum(axis=0)) > 2
    entries, next_sample = buffers.entries, 0
    for core, minibatch in np.ndindex(CORES, 64):
        here = (entries.sample // 9 == core) & (entries.minibatch == minibatch)
        assert loaded[core, minibatch] == here.sum()
        if here.any():
            samples = entries.sample[here]
            assert samples.min() >= next_sample
            next_sample = int(samples.max()) + 1


def test_minibatches_cost_more_dmas_and_vector_operations() -> None:
    totals = [lookup_counters(4, "sdykit", each)[1].totals for each in ("off", "vocabulary")]
    for name in ("deduplicate: vector operations", "load: DMAs", "reduce: vector operations"):
        assert totals[0][name] < totals[1][name], name


def test_axes_that_no_loop_has_are_an_error() -> None:
    _, found = lookup_counters(1, "sdykit", "off")
    with pytest.raises(SparseCoreError) as raised:
        found.by("gather: DMAs", "row")
    assert str(raised.value) == (
        "counters: no loops are counted by row; expected axes of one of: core; core, "
        "minibatch, partition; core, minibatch, partition, tile; core, tile"
    )


def test_an_axis_that_is_given_twice_is_an_error() -> None:
    _, found = lookup_counters(1, "sdykit", "off")
    with pytest.raises(SparseCoreError) as raised:
        found.by("gather: DMAs", "core", "core")
    assert str(raised.value) == "counters: axes are ('core', 'core'); expected each once"


@pytest.mark.parametrize("axis", [3, ["core"], None])
def test_an_axis_that_is_no_name_is_an_error(axis: Any) -> None:
    _, found = lookup_counters(1, "sdykit", "off")
    with pytest.raises(SparseCoreError) as raised:
        found.by("gather: DMAs", axis)
    assert str(raised.value).startswith(f"counters: no loops are counted by {axis}; expected axes")


def test_the_tiles_of_a_sparse_core_share_the_gather() -> None:
    _, found = lookup_counters(1, "sdykit", "off")
    tiles = found.of_tiles("gather: DMAs")
    assert tiles.shape == (CORES, 16)
    assert np.count_nonzero(tiles) > CORES
    assert np.array_equal(tiles.sum(axis=1), found.by("gather: DMAs", "core"))


def test_a_step_is_launched_once_for_each_partition() -> None:
    _, found = lookup_counters(1, "sdykit", "off")
    once = np.ones((CORES, CORES), np.int64)
    for step, times in {"load": 1, "deduplicate": 2, "gather": 1, "reduce": 2}.items():
        launches = found.by(f"{step}: launches", "core", "partition")
        assert np.array_equal(launches, times * once), step
    # The sums are set to 0 before the first partition.
    assert found.totals["reduce: launches"] == 2 * CORES * CORES + CORES
    assert found.totals["store: launches"] == CORES
