"""Tables that are quantized to int8 after training."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdykit.sparsecore import Quantization, SparseCoreError, int8_tables
from sdykit.sparsecore import int8 as module
from sdykit.sparsecore.reference import from_int8, simulate

F32 = np.float32
ONES = np.ones((2, 3), F32)


def normal(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(0.1, 0.5, shape).astype(F32)


@given(st.integers(0, 2**32 - 1), st.sampled_from([1e-6, 1.0, 1e6]), st.floats(-10, 10))
def test_an_element_is_within_half_a_bucket(seed: int, scale: float, offset: float) -> None:
    tables = {
        "a": F32(scale) * (normal(seed, 7, 5) + F32(offset)),
        "b": F32(scale) * normal(seed + 1, 3, 9),
    }
    found, quantization = int8_tables(tables)
    every = np.concatenate([each.ravel() for each in tables.values()]).astype(np.float64)
    assert (quantization.low, quantization.high) == (every.min(), every.max())
    assert quantization.num_buckets == 256
    # Half a step, and some rounding of float32 in the four operations of the formula.
    most = float(quantization.step) / 2 + 4 * np.spacing(F32(np.abs(every).max()))
    for name, table in tables.items():
        assert found[name].dtype == np.int8
        read = from_int8(found[name], quantization)
        np.testing.assert_array_equal(read, simulate(table, quantization))
        assert np.abs(read.astype(np.float64) - table).max() <= most
    assert {-128, 127} <= set(np.concatenate([each.ravel() for each in found.values()]).tolist())


def test_blocks_of_rows_are_converted_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    table = normal(0, 101, 6)
    expected, _ = int8_tables({"t": table})
    monkeypatch.setattr(module, "_BLOCK", 20)
    np.testing.assert_array_equal(int8_tables({"t": table})[0]["t"], expected["t"])


@pytest.mark.parametrize("value", [0.0, 0.3, -0.3, 1e30, -1e-30])
def test_a_table_of_one_value_keeps_it(value: float) -> None:
    table = np.full((4, 8), value, F32)
    found, quantization = int8_tables({"t": table})
    np.testing.assert_allclose(from_int8(found["t"], quantization), table, rtol=1e-6)


def test_a_given_range_clips() -> None:
    table = np.array([[-2.0, -1.0, 0.0, 0.4, 2.0]], F32)
    found, quantization = int8_tables({"t": table}, Quantization(-1, 1, 3))
    assert quantization == Quantization(-1, 1, 3)
    assert found["t"].tolist() == [[-128, -128, -127, -127, -126]]


@pytest.mark.parametrize(
    ("table", "text"),
    [
        (
            ONES.astype(np.float64),
            "table 't' is float64[2, 3]; expected float32 [rows, width] with",
        ),
        (ONES.astype(np.int8), "table 't' is int8[2, 3]; expected float32 [rows, width] with"),
        (ONES[0], "table 't' is float32[3]; expected float32 [rows, width] with at least one row"),
        (ONES[:0], "table 't' is float32[0, 3]; expected float32 [rows, width] with at least one"),
        (
            np.array([[0, 1], [2, np.nan]], F32),
            "table 't': row 1 holds nan in column 1; expected finite numbers",
        ),
        (
            np.array([[0, 1], [-np.inf, 2]], F32),
            "table 't': row 1 holds -inf in column 0; expected finite numbers",
        ),
    ],
)
def test_a_table_that_cannot_be_quantized_is_an_error(table: np.ndarray, text: str) -> None:
    with pytest.raises(SparseCoreError, match=f"^int8_tables: {re.escape(text)}"):
        int8_tables({"first": ONES, "t": table})


@pytest.mark.parametrize(
    ("tables", "quantization", "text"),
    [
        ({}, None, "int8_tables: there are no tables; expected at least one"),
        ({"t": ONES}, 8, "int8_tables: quantization is 8; expected a Quantization or None"),
        (
            {"t": ONES},
            Quantization(-1, 1, 257),
            "quantization: 257 buckets; expected at most 256 for int8",
        ),
    ],
)
def test_wrong_arguments_are_errors(tables: Any, quantization: Any, text: str) -> None:
    with pytest.raises(SparseCoreError, match=f"^{re.escape(text)}$"):
        int8_tables(tables, quantization)
