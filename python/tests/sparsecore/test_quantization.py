"""Quantization: the formula, int8 tables, and the errors about bad arguments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.quantization import Quantization
from sdykit.sparsecore.reference import from_int8, simulate, to_int8

SAME_EVERY_TIME = settings(derandomize=True, deadline=None)
F32 = np.float32


def test_values_and_buckets_are_those_computed_by_hand():
    # Five values, 0.5 apart; ties go to the even bucket: 0.25 to 0, 0.75 to 1.
    quantization = Quantization(0, 2, 5)
    assert quantization.step == 0.5
    values = np.array([-7, 0, 0.25, 0.26, 0.75, 1.2, 1.75, 2, 9, np.inf, -np.inf], F32)
    expected = [0, 0, 0, 0.5, 1, 1, 2, 2, 2, 2, 0]
    assert simulate(values, quantization).tolist() == expected
    assert to_int8(values, quantization).tolist() == [
        -128 + bucket for bucket in (0, 0, 0, 1, 2, 2, 4, 4, 4, 4, 0)
    ]


def test_two_buckets_are_the_minimum_and_256_the_default():
    assert simulate(np.array([-1, -0.1, 0.1, 1], F32), Quantization(-1, 1, 2)).tolist() == [
        -1,
        -1,
        1,
        1,
    ]
    assert Quantization(-1, 1).num_buckets == 256


def test_nan_is_kept():
    assert np.isnan(simulate(np.array([np.nan], F32), Quantization(0, 1)))[0]


def test_every_operation_is_rounded():
    quantization = Quantization(-0.3, 0.7, 77)
    values = np.random.default_rng(0).uniform(-0.4, 0.8, 2000).astype(F32)
    low, step = F32(-0.3), F32(F32(F32(0.7) - F32(-0.3)) / F32(76))
    for value, found in zip(values, simulate(values, quantization), strict=True):
        clipped = F32(min(max(value, low), F32(0.7)))
        bucket = F32(round(F32(F32(clipped - low) / step)))
        assert found == F32(low + F32(step * bucket))


RANGES = st.tuples(
    st.floats(-100, 99, width=32), st.floats(1, 100, width=32), st.integers(2, 256)
).map(lambda drawn: Quantization(drawn[0], drawn[0] + drawn[1], drawn[2]))
"""Ranges whose step is much larger than an ulp of their ends."""


@SAME_EVERY_TIME
@given(RANGES, st.integers(0, 2**32))
def test_quantization_is_close_idempotent_and_monotonic(quantization: Quantization, seed: int):
    low, high = quantization.low, quantization.high
    values = np.random.default_rng(seed).uniform(low - 1, high + 1, 200).astype(F32)
    found = simulate(values, quantization)
    ulps = 4 * np.spacing(F32(max(abs(low), abs(high))))
    clipped = np.clip(values.astype(float), low, high)
    assert (np.abs(found - clipped) <= quantization.step / 2 + ulps).all()
    assert np.array_equal(simulate(found, quantization), found)
    assert len(np.unique(found)) <= quantization.num_buckets
    assert (np.diff(found[np.argsort(values)]) >= 0).all()


@SAME_EVERY_TIME
@given(RANGES, st.integers(0, 2**32))
def test_int8_table_has_the_bits_of_simulation(quantization: Quantization, seed: int):
    table = np.random.default_rng(seed).uniform(-120, 220, (8, 4)).astype(F32)
    stored = to_int8(table, quantization)
    assert stored.dtype == np.int8
    assert np.array_equal(from_int8(stored, quantization), simulate(table, quantization))


ERRORS: list[tuple[Any, str]] = [
    (
        lambda: Quantization(0, 1, 1),
        "quantization: num_buckets is 1; expected an integer from 2 to 16777216",
    ),
    (
        lambda: Quantization(0, 1, float("nan")),  # type: ignore[arg-type]
        "quantization: num_buckets is nan; expected an integer from 2 to 16777216",
    ),
    (
        lambda: Quantization(0, 1, 2**24 + 1),
        "quantization: num_buckets is 16777217; expected an integer from 2 to 16777216",
    ),
    (
        lambda: Quantization(1, 1),
        "quantization: low is 1 and high is 1; expected low < high (as float32)",
    ),
    (
        lambda: Quantization(2, 1),
        "quantization: low is 2 and high is 1; expected low < high (as float32)",
    ),
    (
        lambda: Quantization(1, 1 + 1e-9),
        "quantization: low is 1 and high is 1.000000001; expected low < high (as float32)",
    ),
    (
        lambda: Quantization(float("nan"), 1),
        "quantization: low is nan; expected a finite float32",
    ),
    (
        lambda: Quantization(0, 1e39),
        "quantization: high is 1e+39; expected a finite float32",
    ),
    (
        lambda: Quantization(0, "1"),  # type: ignore[arg-type]
        "quantization: high is '1'; expected a finite float32",
    ),
    (
        lambda: Quantization(-3e38, 3e38),
        "quantization: 256 buckets from -3e+38 to 3e+38 are inf apart; "
        "expected a distance that float32 holds",
    ),
    (
        lambda: Quantization(0, 1e-45),
        "quantization: 256 buckets from 0 to 1e-45 are 0.0 apart; "
        "expected a distance that float32 holds",
    ),
    (
        lambda: simulate(np.zeros(2), Quantization(0, 1)),  # type: ignore[arg-type]
        "values: it is float64[2]; expected an array of float32",
    ),
    (
        lambda: to_int8(np.zeros(2, F32), Quantization(0, 1, 257)),
        "quantization: 257 buckets; expected at most 256 for int8",
    ),
    (
        lambda: to_int8(np.array([[0, 1], [np.nan, 0]], F32), Quantization(0, 1)),
        "values[1, 0]: it is nan, which no bucket holds; expected numbers",
    ),
    (
        lambda: from_int8(np.zeros(2, np.int32), Quantization(0, 1)),  # type: ignore[arg-type]
        "table: it is int32[2]; expected int8",
    ),
]


@pytest.mark.parametrize(("make", "message"), ERRORS, ids=[text[:60] for _, text in ERRORS])
def test_a_bad_argument_is_an_error(make: Any, message: str):
    with pytest.raises(SparseCoreError) as error:
        make()
    assert str(error.value) == message
