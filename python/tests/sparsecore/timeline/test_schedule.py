"""When the parts of steps run: what they wait for, and that nothing runs twice at once."""

from __future__ import annotations

import dataclasses
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdykit.sparsecore.timeline import StepStarts, StepTimes, schedule

SECONDS = st.sampled_from([0.0, 1.0, 2.0, 3.0, 7.0])
STEPS = st.lists(st.builds(StepTimes, SECONDS, SECONDS, SECONDS, SECONDS), min_size=1, max_size=6)


def end_of_all(steps: list[StepTimes], *, pipelined: bool) -> float:
    last = schedule(steps, pipelined=pipelined)[-1]
    return last.update + steps[-1].update


@given(STEPS, st.booleans())
def test_parts_wait_for_what_they_need_and_for_their_unit(
    steps: list[StepTimes], pipelined: bool
) -> None:
    starts = schedule(steps, pipelined=pipelined)
    for times, start in zip(steps, starts, strict=True):
        assert start.lookup >= start.host + times.host
        assert start.tensor_core >= start.lookup + times.lookup
        assert start.update >= start.tensor_core + times.tensor_core
    busy = [(each.lookup, times.lookup) for each, times in zip(starts, steps, strict=True)]
    busy += [(each.update, times.update) for each, times in zip(starts, steps, strict=True)]
    dense = [
        (each.tensor_core, times.tensor_core) for each, times in zip(starts, steps, strict=True)
    ]
    for unit in (busy, dense):
        spans = sorted((start, start + seconds) for start, seconds in unit if seconds)
        assert all(first[1] <= second[0] for first, second in itertools.pairwise(spans))


@given(STEPS)
def test_updates_are_seen_by_the_next_lookup_or_the_one_after_it(steps: list[StepTimes]) -> None:
    for pipelined in (False, True):
        starts = schedule(steps, pipelined=pipelined)
        ahead = 2 if pipelined else 1
        for at in range(len(steps) - ahead):
            assert starts[at + ahead].lookup >= starts[at].update + steps[at].update


@given(STEPS)
def test_pipelining_takes_no_longer_if_batches_are_there(steps: list[StepTimes]) -> None:
    steps = [dataclasses.replace(each, host=0.0) for each in steps]
    assert end_of_all(steps, pipelined=True) <= end_of_all(steps, pipelined=False)


@pytest.mark.parametrize(
    ("times", "period"),
    [
        (StepTimes(0, 2, 5, 1), 5),  # the TensorCore is the longest
        (StepTimes(0, 4, 5, 3), 7),  # the SparseCores are
        (StepTimes(9, 4, 5, 3), 9),  # the host is
    ],
)
def test_the_steady_state_is_that_of_the_longest_unit(times: StepTimes, period: float) -> None:
    """As `training_step` of the cost model has it."""
    starts = schedule([times] * 10, pipelined=True)
    assert starts[6].lookup - starts[5].lookup == period


def test_prologue_steady_state_and_epilogue() -> None:
    starts = schedule([StepTimes(0, 2, 3, 1)] * 3, pipelined=True)
    assert starts == [
        StepStarts(0, 0, 2, 5),
        StepStarts(0, 2, 5, 8),
        StepStarts(0, 6, 8, 11),
    ]
    assert [each.lookup for each in schedule([StepTimes(0, 2, 3, 1)] * 3, pipelined=False)] == [
        0,
        6,
        12,
    ]
