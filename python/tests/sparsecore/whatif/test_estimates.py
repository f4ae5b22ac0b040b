"""Estimates from a pool of samples, beside what is counted in others."""

from __future__ import annotations

import numpy as np
import pytest

from sdykit.sparsecore.inputs import Ids, Ragged, read_feature
from sdykit.sparsecore.specs import FeatureSpec, System, TableSpec
from sdykit.sparsecore.stacking import stack
from sdykit.sparsecore.whatif.batch import StackBatch, estimated, recounted
from sdykit.sparsecore.whatif.frequencies import MAX_HEAVY, frequencies_of, is_there
from sdykit.sparsecore.whatif.maxima import maxima
from sdykit.sparsecore.whatif.pool import Pool, joined_ids
from sdykit.sparsecore.whatif.ranges import Range
from support.whatif_cases import draw

STATED = 0.9
"""The share of the cases in which a range holds what is counted."""


def make_pools(seed: int) -> tuple[Pool, Pool, int, System]:
    """Return a pool, one of as many or more other samples, their ratio, and a system."""
    random = np.random.default_rng(seed)
    cores = int(random.choice([1, 4, 16, 64, 256]))
    system = System(max(cores // 4, 1), min(cores, 4))
    batch, factor = 256 * int(random.choice([1, 4, 16])), int(random.choice([1, 2, 4, 8]))
    tables = [
        TableSpec(f"t{number}", int(size), 8)
        for number, size in enumerate(random.choice([50, 1000, 20000, 10**6], 3))
    ]
    skews, valencies = random.choice([0, 1.2, 1.6, 2.0], 3), random.choice([1, 3, 10], 3)
    is_ragged = bool(random.integers(2))

    def pool(samples: int) -> Pool:
        features = [FeatureSpec(each.name, each, samples) for each in tables]
        ids: dict[str, Ids] = {}
        for each, skew, valency in zip(features, skews, valencies, strict=True):
            lengths = np.full(samples, valency)
            if is_ragged and valency > 1:
                lengths = random.integers(0, valency + 1, samples)
            values = draw(random, skew, each.table.vocabulary_size, int(lengths.sum()))
            given = Ragged(values, np.concatenate([[0], np.cumsum(lengths)]))
            ids[each.name] = read_feature(each.name, each.table, given, None, samples)
        return Pool(tuple(features), ids, 1)

    return pool(batch), pool(batch * factor), factor, system


def pairs_of(seed: int) -> list[tuple[StackBatch, StackBatch]]:
    """Return estimates, and what is counted in other samples, for each stack."""
    pool, other, factor, system = make_pools(seed)
    stacks = stack(other.features, system)
    return [
        (estimated(each, system, pool, factor), recounted(each, system, other, 1))
        for each in stacks
    ]


def test_ranges_hold_what_is_counted_as_often_as_stated() -> None:
    held: dict[str, list[bool]] = {"ids": [], "unique ids": [], "distinct": []}
    for seed in range(40):
        for guess, truth in pairs_of(seed):
            assert guess.is_estimated
            assert not truth.is_estimated
            for name, found, counted in (
                ("ids", guess.needs.ids, truth.needs.ids),
                ("unique ids", guess.needs.unique_ids, truth.needs.unique_ids),
                ("distinct", guess.distinct, truth.distinct),
            ):
                assert counted.is_exact
                assert found.low <= found.value <= found.high
                held[name].append(found.low <= counted.value <= found.high)
    for name, each in held.items():
        assert np.mean(each) >= STATED, name


def test_sums_are_close_to_what_is_counted() -> None:
    errors = []
    for seed in range(20):
        for guess, truth in pairs_of(seed):
            assert guess.rows is not None
            scale = guess.system.num_sparse_cores / guess.sources
            errors.append(abs(len(guess.sorted) * scale / len(truth.sorted) - 1))
            assert guess.rows[0].sum() == pytest.approx(guess.distinct.value)
            assert guess.rows[1].sum() >= 0.99 * guess.rows[0].sum()
    assert np.median(errors) < 0.03


def test_expected_distinct_ids_are_those_of_all_subsets() -> None:
    # Of 4 samples, ids 0 and 1 are in 3 and 1; of any 2 of them 0 is in all but none, 1 in half.
    assert is_there(0.5, [3, 1]) == pytest.approx([1 - 0.5**3, 0.5])
    assert is_there(1.0, [3, 1, 0]).tolist() == [1, 1, 0]
    found = frequencies_of(10, 4, np.array([0, 0, 0, 1])).by_partition(0.5, 2, shift=1)
    assert found.ids.tolist() == [0.5, 1.5]
    assert found.distinct == pytest.approx([0.5, 0.875])


def test_new_ids_are_extrapolated_and_bounded() -> None:
    random = np.random.default_rng(0)
    vocabulary, count = 10000, 8000
    ids = random.integers(0, vocabulary, count)
    found = frequencies_of(vocabulary, count, ids)
    for factor in (1.5, 2, 4):
        new, bound = found.new_ids(factor)
        expected = vocabulary * (1 - np.exp(-factor * count / vocabulary)) - found.distinct
        assert new == pytest.approx(expected, rel=0.1)
        assert new <= bound <= vocabulary - found.distinct
    assert found.new_ids(1) == (0, 0)
    assert frequencies_of(5, 3, np.array([], np.int64)).new_ids(2) == (0, 0)


def test_rare_ids_are_kept_in_classes() -> None:
    ids = np.concatenate([np.arange(MAX_HEAVY + 1000), np.arange(500), np.arange(500)])
    found = frequencies_of(2**20, len(ids), ids)
    assert len(found.ids) == MAX_HEAVY
    assert set(range(500)) <= set(found.ids.tolist())
    assert (found.class_ids.tolist(), found.class_counts.tolist()) == ([1000], [1])
    assert (found.total, found.distinct) == (len(ids), MAX_HEAVY + 1000)
    every = found.by_partition(1.0, 4, 0)
    assert every.ids.sum() == pytest.approx(len(ids))
    assert every.distinct.sum() == pytest.approx(found.distinct)


@pytest.mark.parametrize(("mean", "copies"), [(0.05, 10000), (3.0, 100), (200.0, 1000)])
def test_the_maximum_of_counts_is_in_its_range(mean: float, copies: int) -> None:
    random = np.random.default_rng(0)
    means = np.full(10, mean)
    found = Range(*maxima(means, means, (means * 0, means * 0), copies))
    largest = random.poisson(mean, (200, 10 * copies)).max(axis=1)
    assert np.mean((found.low <= largest) & (largest <= found.high)) >= STATED
    assert abs(np.median(largest) - found.value) <= max(1, 0.01 * mean)


def test_counts_of_no_variance_have_no_range() -> None:
    means = np.array([20.0])
    assert maxima(means, means * 0, (means * 0, means * 0), 1) in {(20, 20, 20), (20, 19, 21)}
    assert maxima(np.zeros(3), np.zeros(3), (np.zeros(3), np.zeros(3)), 4) == (0, 0, 0)


def test_batches_are_joined_and_cut() -> None:
    table = TableSpec("t", 10, 8)
    one = read_feature("f", table, np.array([[1, 2], [3, 4]], np.int32), None, 2)
    two = read_feature("f", table, Ragged(np.array([5, 6, 7]), np.array([0, 3, 3])), None, 2)
    both = joined_ids([one, two])
    assert both.values.tolist() == [1, 2, 3, 4, 5, 6, 7]
    assert both.splits.tolist() == [0, 2, 4, 7, 7]
    pool = Pool((FeatureSpec("f", table, 2),), {"f": both}, 2)
    assert pool.first(1.5)["f"].values.tolist() == [1, 2, 3, 4, 5, 6, 7]
    assert pool.first(0.5)["f"].samples == 1
    assert pool.repeated(2.5)["f"].values.tolist() == [1, 2, 3, 4, 5, 6, 7, 1, 2]
