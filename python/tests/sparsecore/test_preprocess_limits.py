"""Limits: ids over them are an error, or dropped and counted, but never lost silently."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from sdykit.sparsecore.config import SparsecoreConfig
from sdykit.sparsecore.errors import LimitExceeded, SparseCoreError
from sdykit.sparsecore.preprocess import Minibatching, Preprocessed, preprocess
from sdykit.sparsecore.specs import FeatureSpec, System, TableSpec
from sdykit.sparsecore.stacking import Stack, stack
from support.sparsecore.preprocess_cases import ANY_SAMPLE, DROPPING, UNCHECKED, Entry, decode

SYSTEM = System(1, 2)
I32 = np.int32

# SparseCore 0 has the samples [1, 1, 3, 5] and [1, 3, 2, 2]: partition 1 gets 1 and 3 twice and
# 5 once, in the order 1, 1, 3, 3, 5; partition 0 gets 2 once.
IDS = np.array([[1, 1, 3, 5], [1, 3, 2, 2], [0, 0, 0, 0], [7, 8, 9, 7]], I32)


def one_stack(**fields: Any) -> Stack:
    (made,) = stack([FeatureSpec("f", TableSpec("t", 64, 8, **fields), 4)], SYSTEM)
    return made


def run(stacked: Stack, config: SparsecoreConfig = ANY_SAMPLE, **options: Any) -> Preprocessed:
    return preprocess({"f": IDS}, [stacked], SYSTEM, config=config, **options)


def entries(done: Preprocessed, absolute: bool = False) -> dict[Entry, float]:
    found = decode(done.buffers["t"], SYSTEM, done.num_minibatches, absolute)
    return dict(zip(*found, strict=True))


def message(stacked: Stack, config: SparsecoreConfig = ANY_SAMPLE, **options: Any) -> str:
    with pytest.raises(LimitExceeded) as caught:
        run(stacked, config, **options)
    return str(caught.value)


def test_statistics_are_those_counted_by_hand():
    statistics = run(one_stack()).statistics["t"]
    assert statistics.ids.tolist() == [[1, 5], [2, 2]]
    assert statistics.unique_ids.tolist() == [[1, 3], [2, 2]]
    assert statistics.max_ids.tolist() == [2, 5]
    assert statistics.max_unique_ids.tolist() == [2, 3]
    assert statistics.required_buffer_size.tolist() == [16, 16]
    assert statistics.dropped == 0
    assert statistics.bucket_ids is None


def test_too_many_ids_of_a_partition_are_an_error():
    assert message(one_stack(max_ids_per_partition=4)) == (
        "table 't': SparseCore 0 sends 5 ids to partition 1; "
        "compiled for 4 (max_ids_per_partition): raise it, or set allow_id_dropping"
    )
    assert run(one_stack(max_ids_per_partition=5)).statistics["t"].dropped == 0


def test_too_many_unique_ids_of_a_partition_are_an_error():
    assert message(one_stack(max_unique_ids_per_partition=2)) == (
        "table 't': SparseCore 0 sends 3 unique ids to partition 1; "
        "compiled for 2 (max_unique_ids_per_partition): raise it, or set allow_id_dropping"
    )


@pytest.mark.parametrize("layout", ["sdykit", "jax_tpu_embedding"])
def test_ids_over_a_limit_are_dropped_in_order(layout: str):
    whole = entries(run(one_stack()))
    done = run(one_stack(max_ids_per_partition=3), DROPPING, layout=layout)
    # The second 3 and the 5 are dropped.
    assert whole.items() - entries(done).items() == {((0, 1, 3), 1.0), ((0, 0, 5), 1.0)}
    assert done.statistics["t"].dropped == 2
    done = run(one_stack(max_unique_ids_per_partition=1), DROPPING, layout=layout)
    # In partition 1 both 3 and the 5; on SparseCore 1 the 8 of partition 0, and of the 7 and the
    # 9 in partition 1 the latter.
    assert whole.keys() - entries(done).keys() == {
        (0, 0, 3),
        (0, 1, 3),
        (0, 0, 5),
        (1, 1, 8),
        (1, 1, 9),
    }
    assert done.statistics["t"].dropped == 5


@pytest.mark.parametrize("minibatching", ["off", "vocabulary"])
@pytest.mark.parametrize("config", [ANY_SAMPLE, DROPPING])
def test_a_buffer_that_is_too_small_is_an_error(
    config: SparsecoreConfig, minibatching: Minibatching
):
    """Only ids over a limit are dropped; a buffer that is too small is always an error."""
    (stacked,) = stack([FeatureSpec("f", TableSpec("t", 640, 8), 4)], SYSTEM)
    stacked = dataclasses.replace(stacked, buffer_size_per_device=16)
    ids = np.arange(80, dtype=I32).reshape(4, 20)
    with pytest.raises(LimitExceeded) as caught:
        preprocess({"f": ids}, [stacked], SYSTEM, config=config, minibatching=minibatching)
    assert str(caught.value) == (
        "table 't': 64 ids of device 0 have no place in its "
        "buffers; compiled for 16 entries (buffer_size_per_device): raise it"
    )


@pytest.mark.parametrize("minibatching", ["vocabulary", "sample"])
def test_minibatches_hold_what_one_pass_cannot(minibatching: str):
    whole = entries(run(one_stack()))
    done = run(one_stack(max_ids_per_partition=3), minibatching=minibatching)
    assert done.num_minibatches > 1
    assert entries(done, absolute=True) == whole
    statistics = done.statistics["t"]
    assert statistics.dropped == 0
    assert statistics.ids.tolist() == [[1, 5], [2, 2]]
    assert statistics.bucket_ids is not None
    assert statistics.bucket_unique_ids is not None
    assert statistics.bucket_ids.sum(axis=-1).tolist() == [[1, 5], [2, 2]]
    assert (statistics.bucket_unique_ids <= statistics.bucket_ids).all()


def test_minibatches_of_samples_are_those_made_by_hand():
    """A SparseCore's samples are in order; the first is in the first minibatch, and so on."""
    done = run(one_stack(max_ids_per_partition=3), minibatching="sample")
    assert done.num_minibatches == 2
    buffers = done.buffers["t"]
    # Of SparseCore 0: sample 0 sends [1, 3, 5] to partition 1, sample 1 sends [2] and [1, 3].
    assert buffers.row_pointers[0, :16].reshape(2, 8)[:, :2].tolist() == [[0, 3], [9, 18]]
    assert buffers.sample_ids[0, :3].tolist() == [0, 0, 0]
    assert buffers.sample_ids[0, [8, 16, 17]].tolist() == [1, 1, 1]


@pytest.mark.parametrize("weighted", [False, True])
def test_entries_of_an_id_stand_together_in_a_minibatch_of_samples(*, weighted: bool):
    """Also in a minibatch of several ranges of samples: a device finds distinct ids by neighbours."""
    random, samples = np.random.default_rng(3), 128
    table = TableSpec("t", 64, 8, max_ids_per_partition=40, max_unique_ids_per_partition=60)
    stacks = stack([FeatureSpec("f", table, samples)], SYSTEM)
    ids = random.integers(0, 64, (samples, 9), I32)
    weights = {"f": random.random((samples, 9)).astype(np.float32)} if weighted else None
    done = preprocess({"f": ids}, stacks, SYSTEM, weights=weights, minibatching="sample")
    assert 4 < done.num_minibatches < 64
    buffers, has_one_id_in_two_ranges = done.buffers["t"], False
    ends = buffers.row_pointers[0, : 2 * 8 * done.num_minibatches].reshape(-1, 8)
    start = 0
    for partition_ends in ends:
        for end in partition_ends[:2].tolist():
            pairs = [array[0, start:end] for array in (buffers.embedding_ids, buffers.sample_ids)]
            order = np.lexsort(pairs[::-1])
            assert np.array_equal(order, np.arange(end - start))
            same_id = pairs[0][1:] == pairs[0][:-1]
            has_one_id_in_two_ranges |= bool((np.diff(pairs[1])[same_id] > 1).any())
            start = -(-end // 8) * 8
    assert has_one_id_in_two_ranges


def test_a_bucket_over_a_limit_is_an_error():
    hot = np.full((4, 1), 5, I32)
    stacked = one_stack(max_ids_per_partition=1)
    with pytest.raises(LimitExceeded) as caught:
        preprocess({"f": hot}, [stacked], SYSTEM, minibatching="vocabulary")
    assert str(caught.value) == (
        "table 't': SparseCore 0 sends 2 ids to partition 1 in one of 64 buckets; "
        "compiled for 1 (max_ids_per_partition): raise it, or set allow_id_dropping"
    )
    # Samples of one id can be in different minibatches.
    assert preprocess({"f": hot}, [stacked], SYSTEM, minibatching="sample").num_minibatches == 2


def test_too_many_ids_of_a_sample_are_an_error_or_dropped():
    config = SparsecoreConfig(max_ids_per_chip_per_sample=3)
    assert message(one_stack(), config) == (
        "device 0, sample 0: the features f have 4 ids together; "
        "compiled for 3 (max_ids_per_chip_per_sample): raise it, or set allow_id_dropping"
    )
    done = run(one_stack(), dataclasses.replace(config, allow_id_dropping=True))
    lost = entries(run(one_stack())).keys() - entries(done).keys()
    assert lost == {(0, 0, 5)}  # Of [1, 3, 2, 2], [0, 0, 0, 0] and [7, 8, 9, 7] a duplicate.
    assert done.statistics["t"].dropped == 4


def test_ids_of_a_sample_are_counted_over_all_features():
    tables = [TableSpec("a", 64, 8), TableSpec("b", 64, 16)]
    stacks = stack([FeatureSpec("f", tables[0], 4), FeatureSpec("g", tables[1], 4)], SYSTEM)
    features = {"f": IDS, "g": IDS[:, :2]}
    config = SparsecoreConfig(max_ids_per_chip_per_sample=5)
    with pytest.raises(LimitExceeded, match=r"features f, g have 6 ids together; compiled for 5"):
        preprocess(features, stacks, SYSTEM, config=config)
    done = preprocess(
        features, stacks, SYSTEM, config=dataclasses.replace(config, allow_id_dropping=True)
    )
    assert {name: each.dropped for name, each in done.statistics.items()} == {"a": 0, "b": 4}


def test_the_default_limit_of_a_sample_is_64():
    stacked = one_stack()
    for valency in (64, 65):
        ids = np.zeros((4, valency), I32)
        if valency == 64:
            assert preprocess({"f": ids}, [stacked], SYSTEM).statistics["t"].dropped == 0
            continue
        with pytest.raises(LimitExceeded, match="65 ids together; compiled for 64"):
            preprocess({"f": ids}, [stacked], SYSTEM)


OF_SECOND = {(1, 0, 0), (1, 1, 7), (1, 1, 8), (1, 1, 9)}
"""The entries of SparseCore 1, which are of 8 ids with duplicates."""


@pytest.mark.parametrize(
    ("setting", "limit", "lost", "dropped"),
    [
        # SparseCore 0 sends 2 to partition 0, then 1, 1, 3, 3, 5 to partition 1; SparseCore 1 sends
        # 0, 8 to partition 0 and 7, 9 to partition 1.
        ("max_ids_per_table", 9, {(1, 1, 9)}, 1),
        ("max_ids_per_table", 6, OF_SECOND, 8),
        ("max_ids_per_table", 4, {(0, 1, 3), (0, 0, 5), *OF_SECOND}, 10),
        ("max_unique_ids_per_table", 7, {(1, 1, 9)}, 1),
        ("max_unique_ids_per_table", 3, {(0, 0, 5), *OF_SECOND}, 9),
    ],
)
def test_too_many_ids_of_a_table_are_an_error_or_dropped(
    setting: str, limit: int, lost: set[Entry], dropped: int
):
    config = dataclasses.replace(ANY_SAMPLE, **{setting: {"t": limit}})
    seen = "10 ids" if setting == "max_ids_per_table" else "8 unique ids"
    assert message(one_stack(), config) == (
        f"table 't': a step has {seen}, over all SparseCores and partitions; "
        f"compiled for {limit} ({setting}): raise it, or set allow_id_dropping"
    )
    dropping = dataclasses.replace(config, allow_id_dropping=True)
    for minibatching in ("off", "vocabulary"):
        done = run(one_stack(), dropping, minibatching=minibatching)
        kept = entries(done, minibatching != "off")
        assert entries(run(one_stack())).keys() - kept.keys() == lost
        assert done.statistics["t"].dropped == dropped


def test_the_limit_of_one_table_drops_no_ids_of_another():
    tables = [TableSpec(name, 64, 8) for name in "ab"]
    stacks = stack([FeatureSpec("f", tables[0], 4), FeatureSpec("g", tables[1], 4)], SYSTEM)
    config = dataclasses.replace(ANY_SAMPLE, max_ids_per_table={"b": 3}, allow_id_dropping=True)
    weights = {"g": np.arange(1, 17, dtype=np.float32).reshape(4, 4)}
    done = preprocess({"f": IDS, "g": IDS}, stacks, SYSTEM, config=config, weights=weights)
    whole = preprocess({"f": IDS, "g": IDS}, stacks, SYSTEM, config=ANY_SAMPLE, weights=weights)
    found, before = (
        dict(zip(*decode(each.buffers["a_b"], SYSTEM, 1, absolute=False), strict=True))
        for each in (done, whole)
    )
    assert found.items() <= before.items()
    assert {key for key in found if key[2] < 64} == {key for key in before if key[2] < 64}
    # SparseCore 0 takes all 3 and drops 3; SparseCore 1 drops its 8, duplicates included.
    assert len([key for key in found if key[0] == 0 and key[2] >= 64]) == 3
    assert not [key for key in found if key[0] == 1 and key[2] >= 64]
    assert done.statistics["a_b"].dropped == 3 + 8


def test_a_limit_of_an_unknown_table_is_an_error():
    config = dataclasses.replace(ANY_SAMPLE, max_ids_per_table={"tt": 3})
    with pytest.raises(SparseCoreError) as caught:
        run(one_stack(), config)
    assert str(caught.value) == (
        "config: max_ids_per_table has a limit for table 'tt', which no stack has; "
        "did you mean 't'?"
    )


def test_buffers_too_large_for_row_pointers_are_an_error():
    with pytest.raises(SparseCoreError) as caught:
        run(one_stack(max_ids_per_partition=2**30))
    assert str(caught.value) == (
        "stack 't': the buffers of a device have 4294967296 entries; expected at most 2147483647: "
        "lower max_ids_per_partition, or set buffer_size_per_device"
    )


def test_ids_after_all_tables_count_for_the_last_table():
    """Unchecked ids may be after all tables."""
    config = dataclasses.replace(UNCHECKED, max_ids_per_table={"t": 3}, allow_id_dropping=True)
    ids = np.array([[1000], [3], [2**31 - 1], [5]], I32)
    done = preprocess({"f": ids}, [one_stack()], SYSTEM, config=config, layout="jax_tpu_embedding")
    assert done.statistics["t"].dropped == 1
    assert entries(done).keys() == {(0, 0, 1000), (0, 1, 3), (1, 1, 5)}
