"""NaN in copies: reported where it is read, and where it is written."""

from __future__ import annotations

import numpy as np
import pytest

from support.tile.checked_programs import program, run_checked

ARGUMENTS = ("table: memref<?x2xf32>", "out: memref<?x2xf32>")
COPY = """
    %held = memref.alloc() : memref<2x2xf32, "spmem">
    memref.copy %table, %held : memref<?x2xf32> to memref<2x2xf32, "spmem">
    %0 = memref.load %held[%c1, %c0] : memref<2x2xf32, "spmem">
    %1 = arith.subf %0, %0 : f32
    memref.store %1, %held[%c0, %c1] : memref<2x2xf32, "spmem">
    memref.copy %held, %out : memref<2x2xf32, "spmem"> to memref<?x2xf32>"""


@pytest.mark.parametrize("checks", ["", ",sparsecore-check-bounds"])
@pytest.mark.parametrize(
    ("value", "at", "message"),
    [
        (1.0, (1, 0), "ok"),
        (np.nan, (0, 1), "NaN read from table at or after [0, 1]"),
        (np.nan, (1, 1), "NaN read from table at or after [1, 1]"),
        (np.inf, (1, 0), "NaN written to out at or after [0, 1]"),
    ],
)
def test_a_nan_in_a_copy_is_reported_where_it_is_read_or_written(
    value: float, at: tuple[int, int], message: str, checks: str
) -> None:
    table = np.ones((2, 2), np.float32)
    table[at] = value
    arrays = [table, np.zeros((2, 2), np.float32)]
    assert run_checked(program(ARGUMENTS, COPY), arrays, f"sparsecore-check-nan{checks}") == message
