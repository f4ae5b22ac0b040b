"""Limits against plain counting, and whether they admit the data that they were computed from."""

from __future__ import annotations

import dataclasses
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdykit.sparsecore.config import SparsecoreConfig
from sdykit.sparsecore.errors import LimitExceeded
from sdykit.sparsecore.limits import Limits, counter
from sdykit.sparsecore.limits.counter import LimitCounter, StackObserved, compute_limits
from sdykit.sparsecore.preprocess import Layout, Minibatching, preprocess
from support.amounts import examples
from support.sparsecore.limits_cases import Case, plain_figures, random_case

MANY = settings(derandomize=True, max_examples=examples(200), deadline=None)
SEEDS = st.integers(0, 2**32)


def counted(case: Case, threads: int = 2) -> LimitCounter:
    counter = LimitCounter(case.stacks, case.system, threads)
    for features in case.batches:
        counter.add(features)
    return counter


@MANY
@given(SEEDS, st.integers(1, 3))
def test_figures_are_those_of_plain_counting(seed: int, steps: int) -> None:
    case = random_case(seed, steps)
    tables, stacks = plain_figures(case)
    limits = counted(case).limits()
    assert {name for each in limits.stacks for name in names(each)} == {
        each.table.name for each in case.features
    }
    for each in limits.stacks:
        ids, unique_ids, of_sample, _, _ = stacks[names(each)].figures()
        assert each.max_ids_per_partition == max(1, ids)
        assert each.max_unique_ids_per_partition == max(1, unique_ids)
        assert each.max_ids_per_partition_per_sample == max(1, of_sample)
        of_partitions = zip(
            each.max_ids_of_partitions, each.max_unique_ids_of_partitions, strict=True
        )
        for partition, found in enumerate(of_partitions):
            plain = stacks[names(each)].of_partition(partition)
            assert found == tuple(max(1, figure) for figure in plain)
        for table in each.tables:
            expected = [max(1, figure) for figure in tables[table.name].figures()]
            assert expected == [
                table.max_ids_per_partition,
                table.max_unique_ids_per_partition,
                table.max_ids_per_partition_per_sample,
                table.max_ids_per_table,
                table.max_unique_ids_per_table,
            ]


def names(figures: Any) -> tuple[str, ...]:
    return tuple(table.name for table in figures.tables)


@MANY
@given(
    SEEDS,
    st.sampled_from(["sdykit", "jax_tpu_embedding"]),
    st.sampled_from(["off", "vocabulary", "sample"]),
    st.booleans(),
    st.floats(1, 3),
)
def test_limits_admit_their_data(
    seed: int, layout: Layout, minibatching: Minibatching, weighted: bool, headroom: float
) -> None:
    case = random_case(seed, steps=2)
    limits = compute_limits(case.batches, case.stacks, case.system, headroom)
    stacks, config = limits.applied(case.stacks, case.system), limits.configured(SparsecoreConfig())
    assert config.allow_id_dropping is False
    for features, weights in zip(case.batches, case.weights, strict=True):
        done = preprocess(
            features,
            stacks,
            case.system,
            weights=weights if weighted else None,
            config=config,
            layout=layout,
            minibatching=minibatching,
        )
        assert done.num_minibatches == 1
        assert all(each.dropped == 0 for each in done.statistics.values())


@MANY
@given(SEEDS)
def test_limits_are_the_minimum_that_admits_the_data(seed: int) -> None:
    """One id less, or one unique id, and the data are refused."""
    case = random_case(seed)
    limits = compute_limits(case.batches, case.stacks, case.system)
    stacks, config = limits.applied(case.stacks, case.system), limits.configured(SparsecoreConfig())
    for at, each in enumerate(stacks):
        for field in ("max_ids_per_partition", "max_unique_ids_per_partition"):
            minimum = getattr(each, field)
            if minimum == 1:  # It is 1 for no ids, too.
                continue
            changed = list(stacks)
            changed[at] = dataclasses.replace(each, **{field: minimum - 1})
            with pytest.raises(LimitExceeded, match=field):
                preprocess(case.batches[0], changed, case.system, config=config)
        for field in ("max_ids_of_partitions", "max_unique_ids_of_partitions"):
            limits_of = getattr(each, field)
            for partition in np.flatnonzero(np.array(limits_of) > 1).tolist():
                less = [limit - (number == partition) for number, limit in enumerate(limits_of)]
                changed = list(stacks)
                changed[at] = dataclasses.replace(each, **{field: tuple(less)})
                text = rf"to partition {partition}; compiled for {less[partition]} "
                with pytest.raises(LimitExceeded, match=text):
                    preprocess(case.batches[0], changed, case.system, config=config)
    for field in ("max_ids_per_table", "max_unique_ids_per_table", "max_ids_per_chip_per_sample"):
        with_less = _one_less(config, field)
        if with_less is not None:
            with pytest.raises(LimitExceeded, match=field):
                preprocess(case.batches[0], stacks, case.system, config=with_less)


def _one_less(config: SparsecoreConfig, field: str) -> SparsecoreConfig | None:
    value = getattr(config, field)
    if isinstance(value, int):
        return None if value == 1 else dataclasses.replace(config, **{field: value - 1})
    fullest = max(value, key=lambda name: value[name])
    if value[fullest] == 1:
        return None
    return dataclasses.replace(config, **{field: value | {fullest: value[fullest] - 1}})


@MANY
@given(SEEDS, st.integers(2, 4))
def test_the_limits_of_many_steps_are_the_maximum_over_the_steps(seed: int, steps: int) -> None:
    """Total ids are the sum over the steps."""
    case = random_case(seed, steps)
    together = counted(case)
    alone = [
        counted(dataclasses.replace(case, batches=[features], samples=[samples]))
        for features, samples in zip(case.batches, case.samples, strict=True)
    ]
    assert together.steps == steps
    assert together.limits() == _maximum([each.limits() for each in alone])
    for name, found in together.observed.items():
        parts = [each.observed[name] for each in alone]
        _assert_sum(found, parts)


def _maximum(limits: list[Limits]) -> Limits:
    """Return limits whose figures are the maximum of each figure."""

    def maximum(values: list[Any]) -> Any:
        if isinstance(values[0], tuple):
            return tuple(maximum(list(each)) for each in zip(*values, strict=True))
        if dataclasses.is_dataclass(values[0]):
            names = [field.name for field in dataclasses.fields(values[0])]
            found = {name: maximum([getattr(each, name) for each in values]) for name in names}
            return dataclasses.replace(values[0], **found)  # pyright: ignore[reportArgumentType]
        return max(values)

    return maximum(list(limits))


def _assert_sum(found: StackObserved, parts: list[StackObserved]) -> None:
    for name, each in {"": found.stack, **found.tables}.items():
        own = [part.tables[name] if name else part.stack for part in parts]
        np.testing.assert_array_equal(each.total_ids, sum(part.total_ids for part in own))
        assert each.lists_by_ids.sum() == sum(part.lists_by_ids.sum() for part in own)
        weighted = (each.lists_by_ids * np.arange(each.lists_by_ids.size)).sum()
        assert weighted == each.total_ids.sum()
        assert each.lists_by_ids.size == each.max_ids.max() + 1
        assert each.lists_by_unique_ids.size == each.max_unique_ids.max() + 1


@MANY
@given(SEEDS, st.integers(1, 4), st.sampled_from(["_JOB_IDS", "_JOB_COUNTS"]))
def test_the_size_of_jobs_changes_nothing(seed: int, threads: int, size: str) -> None:
    case = random_case(seed)
    whole = counted(case, 1)
    with mock.patch.object(counter, size, 3):
        parts = counted(case, threads)
    assert parts.limits() == whole.limits()
    for name, found in parts.observed.items():
        _assert_sum(found, [whole.observed[name]])
