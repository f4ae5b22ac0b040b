"""What a check says: with the right plurals, and that nothing was compared where nothing was."""

from __future__ import annotations

import numpy as np
import pytest

from sdykit import spmd
from sdykit.spmd.comparing import difference

PROGRAM = """
sdy.mesh @mesh = <["a"={size}]>
func.func @main(%x: tensor<4xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"a"}}]>}}) -> ({types}) {{
  return {values}
}}
"""


def program(devices: int, results: int) -> str:
    types = ", ".join(["tensor<4xf32>"] * results)
    values = f"{', '.join(['%x'] * results)} : {types}" if results else ""
    return PROGRAM.format(size=devices, types=types, values=values)


@pytest.mark.parametrize(
    ("devices", "results", "text"),
    [
        (2, 0, "the program has no results: there is nothing to compare"),
        (2, 1, "2 devices compute the same result as one device"),
        (4, 2, "4 devices compute the same 2 results as one device"),
        (1, 1, "1 device computes the same result as the program without shardings"),
        (1, 3, "1 device computes the same 3 results as the program without shardings"),
    ],
)
def test_devices_that_compute_the_same(devices: int, results: int, text: str) -> None:
    assert str(spmd.check(program(devices, results), collectives="explicit")) == text


@pytest.mark.parametrize(
    ("found", "text"),
    [
        ([0, 1, 2, 4], "4 instead of 3 at [3]"),
        ([0, 2, 3, 4], "2 instead of 1 at [1]; 3 of 4 elements differ"),
    ],
)
def test_elements_that_differ(found: list[int], text: str) -> None:
    assert difference(np.array(found), np.arange(4)) == text


def test_a_number_that_differs() -> None:
    assert difference(np.array(2), np.array(3)) == "2 instead of 3"
