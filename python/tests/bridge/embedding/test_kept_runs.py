"""The figures of each run, kept for who records a program."""

from __future__ import annotations

import functools
import time
from collections.abc import Iterator

import jax
import numpy as np
import pytest

import sdykit.sparsecore as sc
from sdykit.bridge.embedding.programs.counting import keep_runs
from sdykit.sparsecore.counts import count


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    sc.configure("v5p", counters=True)
    sc.reset_counters()
    yield
    sc.configure()
    sc.reset_counters()


def test_each_run_has_its_figures_and_times_in_order() -> None:
    table, rng = np.ones((50, 8), np.float32), np.random.default_rng(0)
    batches = [rng.integers(-1, 50, (40, 3)).astype(np.int32) for _ in range(3)]
    lookup = jax.jit(functools.partial(sc.lookup))
    lookup(table, batches[0]).block_until_ready()  # It is before the context, and not kept.
    with keep_runs() as take:
        assert take() == []
        begin = time.perf_counter()
        for ids in batches:
            lookup(table, ids).block_until_ready()
        end = time.perf_counter()
        (runs,) = take()
        assert take() == []
        lookup(table, batches[0]).block_until_ready()
    assert runs.spec.kind == "lookup"
    assert runs.devices.tolist() == [0, 0, 0]
    times = np.stack([runs.starts, runs.ends], axis=1).ravel()
    assert np.array_equal(times, np.sort(times))
    assert begin <= times[0] < times[-1] <= end
    found = [runs.statistics(run) for run in range(3)]
    assert [each.ids.sum() for each in found] == [(ids >= 0).sum() for ids in batches]
    (counters,) = sc.counters()
    assert counters.runs == 5
    expected = [count(runs.spec, each).totals for each in found]
    for name, total in counters.totals.items():
        assert total == sum(each[name] for each in [*expected, expected[0], expected[0]])
