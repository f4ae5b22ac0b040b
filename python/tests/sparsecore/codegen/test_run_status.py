"""Statuses of programs that are run on numpy arrays: as the native handler tells them."""

from __future__ import annotations

import numpy as np
import pytest

from sdykit.sparsecore.codegen import compile_module, run
from support.bridge.ffi_programs import checked


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("first", [0, 700, 999])
def test_the_error_of_the_lowest_iteration_is_reported_and_later_phases_do_not_run(
    threads: int, first: int
) -> None:
    program = compile_module(checked(), cache=None)
    x = np.ones(1000, np.float32)
    x[first:] = -1
    status, y = np.zeros(8, np.int64), np.full_like(x, np.nan)
    run(program, [status, x, y], threads)
    assert status.tolist() == [1, first, 7, 0, 0, 0, 0, 0]
    assert np.isnan(y).all()


def test_all_phases_run_without_an_error() -> None:
    status, x = np.zeros(8, np.int64), np.arange(10, dtype=np.float32)
    y = np.empty_like(x)
    run(compile_module(checked(), cache=None), [status, x, y], threads=3)
    assert not status.any()
    assert np.array_equal(y, 2 * x)
