"""The NaN check: where a NaN was first seen, and silence where there is none."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from sdykit.sparsecore.optimizers import Adagrad
from sdykit.sparsecore.tile.spec import LookupSpec, TileSpec, UpdateSpec
from sparsecore.tile.test_bounds import arrays_for, message
from sparsecore.tile.tile_cases import make_buffers, run_tile, same_bits

LOOKUP = LookupSpec(dim=12, samples_per_core=5, check_nan=True)
UPDATE = UpdateSpec(dim=12, samples_per_core=5, optimizer=Adagrad(0.1), check_nan=True)


@pytest.mark.parametrize("bounds", [False, True])
@pytest.mark.parametrize(
    ("spec", "array", "value", "expected"),
    [
        (LOOKUP, "table", np.nan, "NaN read from table at or behind ["),
        (LOOKUP, "sample_gains", np.nan, "NaN read from sample_gains at or behind ["),
        (LOOKUP, "table", np.inf, "NaN written to activations at or behind ["),
        (UPDATE, "gradients", np.nan, "NaN read from gradients at or behind ["),
        (UPDATE, "slot_accumulator", -1e30, "NaN written to table at or behind ["),
        (UPDATE, "learning_rate", np.nan, "NaN read from learning_rate at or behind []"),
    ],
)
def test_first_nan(
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
def test_no_nan(spec: TileSpec) -> None:
    rng = np.random.default_rng(2)
    arrays = arrays_for(rng, make_buffers(rng, "v5p", most_ids=3), 12)
    found, _ = run_tile(spec, arrays)
    plain, _ = run_tile(dataclasses.replace(spec, check_nan=False), arrays)
    assert not found["status"].any()
    assert all(same_bits(array, found[name]) for name, array in plain.items())
