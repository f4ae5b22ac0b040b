"""Jobs on threads: how many there are, and the memory that they keep."""

from __future__ import annotations

import os

import numpy as np
import pytest

from sdykit.sparsecore import threads
from sdykit.sparsecore.threads import Scratch, default_threads, run_jobs


@pytest.fixture(autouse=True)
def no_idle_scratch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "_idle", [])


def taken(size: int) -> np.ndarray:
    """Return the array of a job in a call of its own."""
    found: list[np.ndarray] = []
    run_jobs([lambda scratch: found.append(scratch.array("words", size, np.uint64))], 1)
    return found[0]


def test_the_next_call_has_the_arrays_of_the_last() -> None:
    first = taken(1000)
    assert taken(900) is first
    assert taken(1001) is not first


def test_large_arrays_are_not_kept() -> None:
    assert taken(1 << 22) is not taken(1 << 22)
    assert threads._idle == []


def test_two_jobs_at_once_have_different_arrays() -> None:
    def nested(scratch: Scratch) -> None:
        outer = scratch.array("words", 100, np.uint64)
        assert not np.shares_memory(outer, taken(100))

    run_jobs([nested], 1)
    run_jobs([nested], 1)


def test_an_error_leaves_the_scratch_usable() -> None:
    def fail(scratch: Scratch) -> None:
        scratch.array("words", 10, np.uint64)
        raise ValueError("a job failed")

    with pytest.raises(ValueError, match="a job failed"):
        run_jobs([fail], 1)
    assert taken(10).size == 10


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no affinity on this system")
def test_there_are_as_many_threads_as_processors_of_the_process() -> None:
    before = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(before)})
        assert default_threads() == 1
    finally:
        os.sched_setaffinity(0, before)
    assert default_threads() == min(len(before), 16)
