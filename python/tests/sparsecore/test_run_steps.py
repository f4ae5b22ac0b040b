"""The steps of a loop are found in the runs of its programs."""

from __future__ import annotations

import numpy as np
import pytest

from sdykit.sparsecore.run.steps import steps_of

Row = tuple[int, int, int, str]
"""Device, call site, execution, name."""


def _steps(rows: list[Row]) -> list[int]:
    device, site, execution = (np.array([row[at] for row in rows]) for at in range(3))
    found = steps_of(device, site, execution, np.arange(len(rows)), [row[3] for row in rows])
    return found.tolist()


def _loop(sites: list[tuple[int, str]], steps: int, first: int = 0) -> list[Row]:
    return [(0, site, first + step, name) for step in range(steps) for site, name in sites]


def test_a_step_ends_when_a_call_runs_again() -> None:
    rows = _loop([(0, "a"), (1, "b"), (2, "c")], 3)
    assert _steps(rows) == [0, 0, 0, 1, 1, 1, 2, 2, 2]


def test_devices_have_steps_of_their_own() -> None:
    rows = [(0, 7, 0, "a"), (0, 8, 0, "b"), (0, 7, 1, "a"), (1, 7, 0, "a"), (1, 8, 0, "b")]
    assert _steps([*rows, (0, 8, 1, "b"), (1, 7, 1, "a")]) == [0, 0, 1, 0, 0, 1, 1]


def test_two_calls_of_one_program_in_a_step_are_two() -> None:
    assert _steps(_loop([(0, "a"), (1, "a"), (2, "b")], 2)) == [0, 0, 0, 1, 1, 1]


def test_a_function_that_is_compiled_anew_goes_on_with_the_steps() -> None:
    rows = [*_loop([(0, "a"), (1, "b")], 2), *_loop([(2, "a"), (3, "b")], 2, first=2)]
    assert _steps(rows) == [0, 0, 1, 1, 2, 2, 3, 3]


def test_a_pipelined_loop_has_a_step_for_each_lookup() -> None:
    # The prologue looks up the first batch; each execution looks up the next, and updates.
    rows = [(0, 0, 0, "a"), *_loop([(1, "a"), (2, "u")], 3, first=1), (0, 3, 9, "u")]
    assert _steps(rows) == [0, 1, 1, 2, 2, 3, 3, 4]


def test_a_loop_within_one_execution_has_steps() -> None:
    rows = [(0, site, 5, name) for _ in range(3) for site, name in ((0, "a"), (1, "b"))]
    assert _steps(rows) == [0, 0, 1, 1, 2, 2]


@pytest.mark.parametrize("seed", range(5))
def test_random_loops(seed: int) -> None:
    random = np.random.default_rng(seed)
    sites = [(site, str(random.integers(3))) for site in range(random.integers(1, 8))]
    lengths = [int(random.integers(1, len(sites) + 1)) for _ in range(10)]
    rows: list[Row] = []
    expected: list[int] = []
    for step, length in enumerate(lengths):
        # Each step begins with the first call, and may leave out others.
        rest = sorted(random.choice(np.arange(1, len(sites)), length - 1, replace=False).tolist())
        rows += [(0, site, step, name) for site, name in (sites[at] for at in [0, *rest])]
        expected += [step] * length
    rows += [(0, site, 99, name) for site, name in sites]  # All are calls of one function.
    assert _steps(rows)[: len(expected)] == expected
