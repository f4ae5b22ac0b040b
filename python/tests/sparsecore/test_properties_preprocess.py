"""Buffers have exactly the entries of their batch, in every layout."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdykit.sparsecore._kernels import buckets_of
from sdykit.sparsecore.config import SparsecoreConfig
from sdykit.sparsecore.errors import LimitExceeded
from sdykit.sparsecore.inputs import Ragged
from sdykit.sparsecore.preprocess import Layout, Minibatching, SampleIndex, preprocess
from sdykit.sparsecore.specs import Combiner, FeatureSpec, System, TableSpec
from sdykit.sparsecore.stacking import stack as stacked
from support.amounts import examples
from support.sparsecore.preprocess_cases import (
    DROPPING,
    Case,
    Entry,
    decode,
    expected_entries,
    make_case,
)

SAME_EVERY_TIME = settings(derandomize=True, deadline=None, max_examples=examples(80))
COMBINERS: list[Combiner] = ["sum", "mean", "sqrtn"]
LAYOUTS: list[Layout] = ["sdykit", "jax_tpu_embedding"]
INT_MAX = 2**31 - 1


@st.composite
def cases(draw: st.DrawFn, devices: Sequence[int] = (1, 2, 4)) -> Case:
    system = System(draw(st.sampled_from(devices)), draw(st.sampled_from([1, 2, 4])))
    tables = draw(st.integers(1, 3))
    case = make_case(
        np.random.default_rng(draw(st.integers(0, 2**32))),
        system,
        tables=tables,
        features=tables + draw(st.integers(0, 2)),
        combiners=[draw(st.sampled_from(COMBINERS))],
        weighted=draw(st.booleans()),
        stacking=draw(st.booleans()),
        valencies=(1, 2, 5, 16),
        rows=4,
    )
    if case.weights is None:
        return case
    # Weights that sum to 0 have tests of their own.
    positive = {name: np.abs(each) + np.float32(0.5) for name, each in case.weights.items()}
    return dataclasses.replace(case, weights=positive)


def assert_complete(case: Case, layout: Layout, minibatching: Minibatching) -> None:
    done = case.run(layout, minibatching)
    for number, stack in enumerate(case.stacks):
        entries, gains = decode(
            done.buffers[stack.name], case.system, done.num_minibatches, minibatching != "off"
        )
        expected = expected_entries(case, number)
        assert len(set(entries)) == len(entries)  # Duplicates are merged.
        assert set(entries) == set(expected)
        for entry, gain in zip(entries, gains, strict=True):
            assert math.isclose(gain, expected[entry], rel_tol=1e-5, abs_tol=1e-6), entry


@SAME_EVERY_TIME
@given(cases(), st.sampled_from(LAYOUTS))
def test_one_pass_packs_every_entry_once(case: Case, layout: Layout):
    assert_complete(case, layout, "off")


@SAME_EVERY_TIME
@given(
    cases(),
    st.sampled_from(LAYOUTS),
    st.sampled_from(["vocabulary", "sample"]),
    st.integers(4, 40),
    st.integers(4, 40),
)
def test_minibatches_pack_every_entry_once(
    case: Case, layout: Layout, minibatching: Minibatching, ids: int, unique_ids: int
):
    case = case.limited(ids, unique_ids)
    try:
        assert_complete(case, layout, minibatching)
    except LimitExceeded:
        # One bucket alone is too large: then ids are dropped.
        done = case.run(layout, minibatching, DROPPING)
        assert sum(each.dropped for each in done.statistics.values())


@SAME_EVERY_TIME
@given(cases(), st.sampled_from(["vocabulary", "sample"]), st.integers(4, 40), st.integers(4, 40))
def test_minibatches_keep_limits_and_do_not_split_rows_or_samples(
    case: Case, minibatching: Minibatching, ids: int, unique_ids: int
):
    """No minibatch exceeds a limit, and a row (or a sample) is in only one of them."""
    case = case.limited(ids, unique_ids)
    try:
        done = case.run(minibatching=minibatching)
    except LimitExceeded:
        return
    width = max(case.system.num_sparse_cores, 8)
    for stack in case.stacks:
        buffers = done.buffers[stack.name]
        entries, _ = decode(buffers, case.system, done.num_minibatches, absolute=True)
        runs: dict[tuple[int, int, int], list[Entry]] = {}
        parts: dict[int | tuple[int, int], set[int]] = {}
        segments = iter(_segments_of_entries(buffers.row_pointers, case.system, width, done))
        for entry, minibatch in zip(entries, segments, strict=True):
            core, row, column = entry
            part = column % case.system.num_sparse_cores
            runs.setdefault((core, minibatch, part), []).append(entry)
            key = column if minibatching == "vocabulary" else (core, row)
            parts.setdefault(key, set()).add(minibatch)
        assert all(len(run) <= ids for run in runs.values())
        assert all(len({entry[2] for entry in run}) <= unique_ids for run in runs.values())
        assert all(len(each) == 1 for each in parts.values())


def _segments_of_entries(pointers, system, width, done):
    """Yield the minibatch of every entry, in the order of `decode`."""
    cores = system.sparse_cores_per_device
    for device in pointers:
        start = 0
        for segment in range(cores * done.num_minibatches):
            for partition in range(system.num_sparse_cores):
                end = int(device[segment * width + partition])
                yield from [segment % done.num_minibatches] * (end - start)
                start = -(-end // 8) * 8


@SAME_EVERY_TIME
@given(cases(), st.integers(1, 10), st.integers(1, 10))
def test_dropped_ids_are_counted(case: Case, ids: int, unique_ids: int):
    """The other entries keep their gains, and no limit is exceeded."""
    whole, left = case.run(), case.limited(ids, unique_ids).run(config=DROPPING)
    for stack in case.stacks:
        before = dict(zip(*decode(whole.buffers[stack.name], case.system, 1, False), strict=True))
        after = dict(zip(*decode(left.buffers[stack.name], case.system, 1, False), strict=True))
        assert after.items() <= before.items()
        statistics = left.statistics[stack.name]
        assert statistics.ids.sum() == len(before)
        assert statistics.dropped >= len(before) - len(after)
        assert (statistics.dropped == 0) == (len(before) == len(after))
        kept = np.minimum(statistics.ids, ids)
        assert len(after) <= kept.sum()


@SAME_EVERY_TIME
@given(cases(), st.sampled_from(["off", "vocabulary", "sample"]))
def test_own_layout_is_defined_everywhere(case: Case, minibatching: Minibatching):
    case = case.limited(64, 64)
    done = case.run(minibatching=minibatching, config=DROPPING)
    for stack in case.stacks:
        buffers = done.buffers[stack.name]
        pads = buffers.embedding_ids == INT_MAX
        live = len(decode(buffers, case.system, done.num_minibatches, minibatching != "off")[0])
        assert pads.sum() == pads.size - live
        assert (buffers.sample_ids[pads] == INT_MAX).all()
        assert np.isnan(buffers.gains[pads]).all()
        assert np.isfinite(buffers.gains[~pads]).all()
        assert (buffers.sample_ids[~pads] < stack.batch_size).all()
        segments = buffers.row_pointers.reshape(buffers.row_pointers.shape[0], -1)
        assert (segments >= 0).all()
        assert (segments <= buffers.gains.shape[1]).all()


@SAME_EVERY_TIME
@given(
    cases(devices=(1,)),
    st.sampled_from(["off", "vocabulary", "sample"]),
    st.sampled_from([16, 64]),
    st.integers(1, 2),
)
def test_index_lists_entries_by_sample(
    case: Case, minibatching: Minibatching, limit: int, threads: int
):
    case = case.limited(limit, limit)
    done = case.run(minibatching=minibatching, config=DROPPING, threads=threads)
    partitions = case.system.num_sparse_cores
    for stack in case.stacks:
        buffers = done.buffers[stack.name]
        index = buffers.index
        assert index is not None
        expected: dict[tuple[int, int], list[tuple[int, float]]] = {}
        for (core, sample, column), gain in zip(
            *decode(buffers, case.system, done.num_minibatches, minibatching != "off"), strict=True
        ):
            partition, row = column % partitions, column // partitions
            place = partition * (stack.vocabulary_size // partitions) + row
            expected.setdefault((core, sample), []).append((place, gain))
        samples = stack.batch_size // partitions
        assert index.splits.shape == (1, partitions, samples + 1)
        assert index.rows.shape == index.gains.shape == buffers.gains.shape
        pads = np.ones(index.rows.shape[1], bool)
        for core, sample in itertools.product(range(partitions), range(samples)):
            start, end = index.splits[0, core, sample : sample + 2]
            found = zip(index.rows[0, start:end], index.gains[0, start:end], strict=True)
            assert list(found) == expected.get((core, sample), [])
            pads[start:end] = False
        assert pads.sum() == pads.size - sum(map(len, expected.values()))
        assert (index.rows[0, pads] == INT_MAX).all()
        assert np.isnan(index.gains[0, pads]).all()


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("minibatching", ["off", "vocabulary"])
@pytest.mark.parametrize(
    "config", [SparsecoreConfig(), SparsecoreConfig(max_ids_per_table={"t0": 2**20})]
)
def test_the_index_of_one_id_per_sample_is_that_of_ragged_ids(
    weighted: bool, minibatching: Minibatching, config: SparsecoreConfig
):
    """Where all samples have one id, their order is that of the ids; elsewhere entries are sorted."""
    system, random = System(1, 4), np.random.default_rng(0)
    tables = [TableSpec(f"t{n}", 100 + 50 * n, 8) for n in range(2)]
    features = [FeatureSpec(f"f{n}", tables[n % 2], 64) for n in range(3)]
    ids = {each.name: random.integers(0, 100, (64, 1), np.int32) for each in features}
    weights = {each.name: random.random((64, 1), np.float32) for each in features}
    splits = np.arange(65)
    ragged = {name: Ragged(each.reshape(-1), splits) for name, each in ids.items()}
    flat = {name: each.reshape(-1) for name, each in weights.items()}

    def indexed(given: dict[str, Any], factors: dict[str, np.ndarray]) -> list[SampleIndex]:
        done = preprocess(
            given,
            stacked(features, system),
            system,
            weights=factors if weighted else None,
            config=config,
            minibatching=minibatching,
            tiles=3,
        )
        return [each.index for each in done.buffers.values() if each.index is not None]

    pairs = list(zip(indexed(ids, weights), indexed(ragged, flat), strict=True))
    assert pairs
    for dense, other in pairs:
        for field in dataclasses.fields(SampleIndex):
            left, right = (getattr(each, field.name) for each in (dense, other))
            assert np.array_equal(left, right, equal_nan=left.dtype == np.float32), field.name


@SAME_EVERY_TIME
@given(cases(devices=(2, 4)), st.sampled_from(LAYOUTS))
def test_several_devices_have_no_index(case: Case, layout: Layout):
    assert all(each.index is None for each in case.run(layout).buffers.values())


@pytest.mark.parametrize("minibatching", ["off", "vocabulary"])
def test_the_compatible_layout_has_no_index(minibatching: Minibatching):
    case = make_case(
        np.random.default_rng(0),
        System(1, 2),
        tables=1,
        features=1,
        combiners=["sum"],
        weighted=False,
        stacking=False,
    )
    done = case.run("jax_tpu_embedding", minibatching)
    assert all(each.index is None for each in done.buffers.values())


@SAME_EVERY_TIME
@given(cases(), st.integers(1, 4))
def test_the_number_of_threads_changes_nothing(case: Case, threads: int):
    one, several = case.run(threads=1), case.run(threads=threads)
    for stack in case.stacks:
        left, right = one.buffers[stack.name], several.buffers[stack.name]
        for name in ("row_pointers", "embedding_ids", "sample_ids", "gains"):
            assert getattr(left, name).tobytes() == getattr(right, name).tobytes()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_large_batch_is_the_same_on_several_threads(layout: Layout):
    """The batch is large enough for a second thread and several jobs for each stack."""
    case = make_case(
        np.random.default_rng(3),
        System(2, 4),
        tables=2,
        features=2,
        combiners=["sum"],
        weighted=False,
        stacking=False,
        valencies=(16,),
        vocabularies=(1000, 3_000_000),
        rows=4000,
    )
    case = case.limited(2**16, 2**16)
    one = case.run(layout, threads=1)
    others = [case.run(layout, threads=each) for each in (2, None)]
    for number, stack in enumerate(case.stacks):
        left = decode(one.buffers[stack.name], case.system, 1, False)
        for other in others:
            assert left == decode(other.buffers[stack.name], case.system, 1, False)
        assert set(left[0]) == set(expected_entries(case, number))


def test_the_hash_spreads_neighbouring_ids_evenly():
    buckets = np.empty(64 * 100, np.int32)
    buckets_of(np.arange(64 * 100, dtype=np.uint64), buckets)
    counts = np.bincount(buckets, minlength=64)
    assert counts.size == 64
    assert 60 < counts.min() <= counts.max() < 150
