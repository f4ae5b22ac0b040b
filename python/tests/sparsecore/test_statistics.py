"""Running statistics: folding over steps and processes, and the limits from them."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sdykit.sparsecore.config import SparsecoreConfig
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.inputs import Ragged, Sparse
from sdykit.sparsecore.limits import compute_limits
from sdykit.sparsecore.limits.statistics import RunningStatistics
from sdykit.sparsecore.preprocess import Minibatching, preprocess
from sdykit.sparsecore.preprocess.results import StackStatistics
from sdykit.sparsecore.specs import FeatureSpec, System, TableSpec
from sdykit.sparsecore.stacking import Stack, stack
from support.amounts import examples
from support.sparsecore.limits_cases import Case, random_case

MANY = settings(derandomize=True, max_examples=examples(100), deadline=None)
SEEDS = st.integers(0, 2**32)
DROPPING = SparsecoreConfig(allow_id_dropping=True, max_ids_per_chip_per_sample=10_000)
FOUR = System(num_devices=2, sparse_cores_per_device=2)


def run(
    case: Case, stacks: Sequence[Stack], minibatching: Minibatching = "off"
) -> RunningStatistics:
    """Return the statistics of all batches; ids over the limits of the stacks are dropped."""
    statistics = RunningStatistics(case.system)
    for features in case.batches:
        done = preprocess(features, stacks, case.system, config=DROPPING, minibatching=minibatching)
        statistics = statistics.folded(done.statistics)
    return statistics


@MANY
@given(SEEDS, st.sampled_from(["off", "vocabulary", "sample"]), st.integers(1, 3))
def test_limits_from_a_first_run_admit_the_second(
    seed: int, minibatching: Minibatching, steps: int
) -> None:
    case = random_case(seed, steps)
    small = [
        dataclasses.replace(
            each,
            max_ids_per_partition=2,
            max_unique_ids_per_partition=1,
            buffer_size_per_device=None,
        )
        for each in case.stacks
    ]
    limits = run(case, small, minibatching).limits(case.stacks)
    stacks = limits.applied(case.stacks, case.system)
    config = dataclasses.replace(DROPPING, allow_id_dropping=False)
    for features in case.batches:
        done = preprocess(features, stacks, case.system, config=limits.configured(config))
        assert all(each.dropped == 0 for each in done.statistics.values())


@MANY
@given(SEEDS, st.integers(1, 3), st.floats(1, 2))
def test_limits_from_statistics_equal_counted_limits(
    seed: int, steps: int, headroom: float
) -> None:
    case = random_case(seed, steps)
    assume(all(each.buffer_size_per_device is None for each in case.stacks))
    found = run(case, case.stacks).limits(case.stacks, headroom)
    counted = compute_limits(case.batches, case.stacks, case.system, headroom)
    for one, other in zip(found.stacks, counted.stacks, strict=True):
        unknown = {"tables": one.tables, "max_ids_per_partition_per_sample": None}
        assert one == dataclasses.replace(other, **unknown)


@MANY
@given(SEEDS, st.sampled_from([2, 4]))
def test_merged_processes_have_the_limits_of_one(seed: int, processes: int) -> None:
    """Each process preprocesses the samples of its devices."""
    case = random_case(seed)
    assume(case.system.num_devices % processes == 0)
    assume(all(each.buffer_size_per_device is None for each in case.stacks))
    devices = case.system.num_devices // processes
    merged = RunningStatistics(case.system)
    for process in range(processes):
        local = {name: share(each, process, processes) for name, each in case.batches[0].items()}
        done = preprocess(local, case.stacks, case.system, config=DROPPING, local_devices=devices)
        merged = merged.merged(RunningStatistics(case.system).folded(done.statistics))
    whole = run(case, case.stacks)
    assert merged.limits(case.stacks) == whole.limits(case.stacks)
    for name, totals in merged.stacks.items():
        assert totals.max_ids.shape == (devices, case.system.num_sparse_cores)
        assert totals.dropped == whole.stacks[name].dropped


def share(feature: Any, process: int, processes: int) -> Any:
    """Return the samples of a process."""
    if isinstance(feature, Sparse):
        rows, size = np.asarray(feature.indices)[:, 0], feature.shape[0] // processes
        mine = rows // size == process
        indices = np.asarray(feature.indices)[mine] - [process * size, 0]
        return Sparse(indices, np.asarray(feature.values)[mine], (size, feature.shape[1]))
    if isinstance(feature, Ragged):
        splits = np.asarray(feature.row_splits)
        size = (splits.size - 1) // processes
        own = splits[process * size : (process + 1) * size + 1]
        return Ragged(np.asarray(feature.values)[own[0] : own[-1]], own - own[0])
    return np.split(feature, processes)[process]


def step(ids: Any, unique_ids: Any, dropped: int = 0) -> dict[str, StackStatistics]:
    return {
        "words": StackStatistics(np.array(ids, np.int32), np.array(unique_ids, np.int32), dropped)
    }


def test_folded_statistics_are_those_computed_by_hand() -> None:
    """Two SparseCores of one of two devices; four partitions."""
    statistics = RunningStatistics(FOUR)
    statistics = statistics.folded(
        step([[1, 2, 3, 9], [4, 1, 0, 0]], [[1, 1, 3, 8], [2, 1, 0, 0]], 3)
    )
    statistics = statistics.folded(
        step([[0, 5, 0, 0], [0, 0, 0, 0]], [[0, 1, 0, 0], [0, 0, 0, 0]], 4)
    )
    found = statistics.stacks["words"]
    assert found.max_ids.tolist() == [[4, 5, 3, 9]]
    assert found.max_unique_ids.tolist() == [[2, 1, 3, 8]]
    assert found.required_buffer_size.tolist() == [8 + 8 + 8 + 16, 8 + 8]
    assert found.dropped == 7
    stacks = stack([FeatureSpec("word", TableSpec("words", 64, 8), 4)], FOUR)
    (figures,) = statistics.limits(stacks, headroom=1.5).stacks
    assert figures.max_ids_per_partition == 14
    assert figures.max_unique_ids_per_partition == 12
    assert figures.buffer_size_per_device == 120
    assert [each.max_ids_per_partition for each in figures.tables] == [14]


def test_folding_does_not_change_earlier_statistics() -> None:
    first = RunningStatistics(FOUR).folded(step([[1] * 4] * 2, [[1] * 4] * 2))
    second = first.folded(step([[7] * 4] * 2, [[2] * 4] * 2))
    assert first.stacks["words"].max_ids.max() == 1
    assert second.stacks["words"].max_ids.max() == 7


def test_processes_of_different_sizes_are_merged() -> None:
    small = RunningStatistics(FOUR).folded(step([[9] * 4] * 2, [[1] * 4] * 2, 1))
    large = RunningStatistics(FOUR).folded(step([[5] * 4] * 4, [[2] * 4] * 4, 2))
    for merged in (small.merged(large), large.merged(small)):
        found = merged.stacks["words"]
        assert found.max_ids.tolist() == [[9] * 4, [5] * 4]
        assert found.required_buffer_size.tolist() == [64, 64, 32, 32]
        assert found.dropped == 3


WORDS = RunningStatistics(FOUR).folded(step([[1] * 4] * 2, [[1] * 4] * 2))


def program(*names: str) -> tuple[Stack, ...]:
    features = [FeatureSpec(name, TableSpec(name, 64, 8), 4) for name in names]
    return stack(features, FOUR, disable_table_stacking=True)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("word",), "statistics: the program has no stack 'words'; did you mean 'word'?"),
        (
            ("words", "places"),
            "statistics: there are none of stack 'places'; expected those of words, places",
        ),
    ],
)
def test_statistics_of_another_program_are_an_error(names: tuple[str, ...], message: str) -> None:
    with pytest.raises(SparseCoreError) as raised:
        WORDS.limits(program(*names))
    assert str(raised.value) == message


def test_statistics_of_another_system_are_an_error() -> None:
    with pytest.raises(SparseCoreError) as raised:
        WORDS.merged(RunningStatistics(System(1, 4)))
    assert str(raised.value) == (
        "statistics: these are of 1 device of 4 SparseCores; expected 2 devices of 2 SparseCores"
    )
    with pytest.raises(SparseCoreError) as raised:
        WORDS.folded(step([[1] * 8] * 2, [[1] * 8] * 2))
    assert str(raised.value) == (
        "statistics: those of stack 'words' are of 2 SparseCores and 8 partitions; "
        "expected a multiple of 2, and 4"
    )


@pytest.mark.parametrize("headroom", [0.5, float("nan")])
def test_a_headroom_out_of_its_range_is_an_error(headroom: float) -> None:
    with pytest.raises(SparseCoreError, match=r"^limits: headroom is .*; expected a factor"):
        WORDS.limits(program("words"), headroom)
