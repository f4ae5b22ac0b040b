"""The NaN check reports the position of the first NaN, and nothing without one."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from sdykit.sparsecore.optimizers import Adagrad
from sdykit.sparsecore.tile.spec import LookupSpec, TileSpec, UpdateSpec
from support.tile.tile_cases import arrays_for, make_buffers, message, run_tile, same_bits

LOOKUP = LookupSpec(dim=12, samples_per_core=5, check_nan=True)
UPDATE = UpdateSpec(dim=12, samples_per_core=5, optimizer=Adagrad(0.1), check_nan=True)


@pytest.mark.parametrize("bounds", [False, True])
@pytest.mark.parametrize(
    ("spec", "array", "value", "expected"),
    [
        (LOOKUP, "table", np.nan, "NaN read from table at or after ["),
        (LOOKUP, "sample_gains", np.nan, "NaN read from sample_gains at or after ["),
        (LOOKUP, "table", np.inf, "NaN written to activations at or after ["),
        (UPDATE, "gradients", np.nan, "NaN read from gradients at or after ["),
        (UPDATE, "slot_accumulator", -1e30, "NaN written to table at or after ["),
        (UPDATE, "learning_rate", np.nan, "NaN read from learning_rate at or after []"),
    ],
)
def test_the_first_nan_is_reported(
    spec: TileSpec, array: str, value: float, expected: str, *, bounds: bool
) -> None:
    rng = np.random.default_rng(2)
    arrays = arrays_for(rng, make_buffers(rng, "v5p"), 12)
    if value == np.inf:
        gains = arrays["sample_gains"]
        arrays["sample_gains"] = np.where(rng.random(len(gains)) < 0.5, np.float32(0), gains)
    arrays[array] = np.full_like(arrays[array], value)
    checked = dataclasses.replace(spec, check_bounds=bounds)
    found, _ = run_tile(checked, arrays)
    assert message(checked, found["status"]).startswith(expected)


@pytest.mark.parametrize("spec", [LOOKUP, UPDATE])
def test_without_nan_the_check_changes_nothing(spec: TileSpec) -> None:
    rng = np.random.default_rng(2)
    arrays = arrays_for(rng, make_buffers(rng, "v5p", max_ids=3), 12)
    found, _ = run_tile(spec, arrays)
    plain, _ = run_tile(dataclasses.replace(spec, check_nan=False), arrays)
    assert not found["status"].any()
    assert all(same_bits(array, found[name]) for name, array in plain.items())


@pytest.mark.parametrize(
    ("spec", "array", "place", "expected"),
    [
        (LOOKUP, "sample_gains", (4003,), "NaN read from sample_gains at or after [4003]"),
        (UPDATE, "gradients", (13, 10), "NaN read from gradients at or after [13, 8]"),
    ],
)
def test_the_position_is_that_in_the_argument(
    spec: TileSpec, array: str, place: tuple[int, ...], expected: str
) -> None:
    rng = np.random.default_rng(2)
    arrays = arrays_for(rng, make_buffers(rng, "v5p"), 12)
    arrays[array][place] = np.nan
    found, _ = run_tile(spec, arrays)
    assert message(spec, found["status"]) == expected


def test_the_position_in_activations_is_a_sample() -> None:
    """Sample 17 is the third of the last SparseCore; its tile has no other."""
    spec = LookupSpec(dim=3, samples_per_core=5, layout="ids", check_nan=True)
    ids, gains = np.full((20, 2), -1, np.int32), np.ones((20, 2), np.float32)
    ids[17] = 4
    table = np.full((8, 3), np.float32(3e38))
    for gain, expected in [
        ((1, np.nan), "NaN read from gains at or after [17, 1]"),
        ((np.inf, -np.inf), "NaN written to activations at or after [17, 0]"),
    ]:
        gains[17] = gain
        found, _ = run_tile(spec, {"ids": ids, "gains": gains, "table": table})
        assert message(spec, found["status"]) == expected
