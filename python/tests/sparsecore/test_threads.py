"""Jobs on threads: how many there are, and the memory that they keep."""

from __future__ import annotations

import multiprocessing
import os
from multiprocessing.pool import ThreadPool

import numpy as np
import pytest

from sdykit.sparsecore import threads
from sdykit.sparsecore.preprocess import StackBuffers, preprocess
from sdykit.sparsecore.specs import FeatureSpec, System, TableSpec
from sdykit.sparsecore.stacking import stack
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


SYSTEM = System(1, 4)
BATCH = 1 << 12
TABLES = [
    TableSpec(f"t{n}", 1000, 8, max_ids_per_partition=2048, max_unique_ids_per_partition=2048)
    for n in range(24)
]
FEATURES = [FeatureSpec(f"f{table.name}", table, BATCH) for table in TABLES]
STACKS = stack(FEATURES, SYSTEM, disable_table_stacking=True)


def packed(number: int) -> bytes:
    """Return the buffers of a batch that some threads preprocess."""
    random = np.random.default_rng(0)
    ids = {each.name: random.integers(0, 1000, (BATCH, 1), np.int32) for each in FEATURES}
    found = preprocess(ids, STACKS, SYSTEM, threads=number).buffers
    return b"".join(bytes_of(each) for each in found.values())


def bytes_of(buffers: StackBuffers) -> bytes:
    arrays = (buffers.row_pointers, buffers.embedding_ids, buffers.sample_ids, buffers.gains)
    return b"".join(each.tobytes() for each in arrays)


def test_the_number_of_threads_changes_no_result() -> None:
    assert packed(1) == packed(4) == packed(4)


def test_threads_of_python_preprocess_at_once() -> None:
    """Batches of several threads share the kept threads; each waits for its own only."""
    expected = packed(1)
    with ThreadPool(4) as pool:
        found = pool.map(packed, [4] * 40, chunksize=1)
    assert all(each == expected for each in found)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:.*fork")
def test_a_child_has_threads_of_its_own() -> None:
    """Those of its parent are not in it."""
    expected = packed(4)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map_async(packed, [4] * 4).get(timeout=60) == [expected] * 4
