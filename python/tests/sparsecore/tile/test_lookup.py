"""Lookups against the reference: bit for bit."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdykit.sparsecore.quantization import Quantization
from sdykit.sparsecore.reference import to_int8
from sdykit.sparsecore.specs import Dtype
from sdykit.sparsecore.tile.compile import compile_tile
from sdykit.sparsecore.tile.spec import LookupSpec
from support.amounts import examples
from support.tile.lookup_cases import QUANTIZATION, check, lookups, table_of
from support.tile.tile_cases import (
    Buffers,
    make_buffers,
)

SAME_EVERY_TIME = settings(derandomize=True, deadline=None, max_examples=examples(30))


@SAME_EVERY_TIME
@given(lookups(), st.integers(1, 3))
def test_a_lookup_equals_the_reference(
    case: tuple[Buffers, LookupSpec, np.ndarray], threads: int
) -> None:
    check(*case, threads)


@pytest.mark.parametrize(
    ("dtype", "quantization"),
    [
        ("float32", None),
        ("float32", QUANTIZATION),
        ("bfloat16", None),
        ("bfloat16", QUANTIZATION),
        ("int8", None),
        ("int8", QUANTIZATION),
        ("int32", None),
    ],
)
def test_a_lookup_in_a_table_of_every_type_equals_the_reference(
    dtype: Dtype, quantization: Quantization | None
) -> None:
    rng = np.random.default_rng(7)
    buffers = make_buffers(rng, "v5p")
    table = table_of(rng, buffers, "v5p", 21)
    if dtype == "int8":
        table = to_int8(table, QUANTIZATION)
    elif dtype == "int32":
        table = (table * 1e8).astype(np.int32)
    else:
        table = table.astype(ml_dtypes.bfloat16 if dtype == "bfloat16" else np.float32)
    spec = LookupSpec(dim=21, samples_per_core=5, dtype=dtype, quantization=quantization)
    assert np.any(check(buffers, spec, table))


@pytest.mark.parametrize(("chip", "is_wide"), [("v5p", False), ("v6e", True)])
@pytest.mark.parametrize("dim", [12, 28, 300])
@pytest.mark.parametrize("quantization", [None, QUANTIZATION])
def test_bfloat16_is_loaded_in_the_vectors_of_the_chip(
    chip: str, dim: int, quantization: Quantization | None, *, is_wide: bool
) -> None:
    rng = np.random.default_rng(dim)
    buffers = make_buffers(rng, chip)
    table = table_of(rng, buffers, chip, dim).astype(ml_dtypes.bfloat16)
    spec = LookupSpec(
        dim=dim, samples_per_core=5, chip=chip, dtype="bfloat16", quantization=quantization
    )
    text = compile_tile(spec, cache=None).source.text
    assert ("vector<16xbf16>" in text) == (is_wide and dim >= 16)
    # Those of float32 are as on any chip.
    assert "vector<16xf32>" not in text
    assert np.any(check(buffers, spec, table))


def test_special_values_equal_the_reference() -> None:
    rng = np.random.default_rng(8)
    buffers = make_buffers(rng, "v6e")
    table = table_of(rng, buffers, "v6e", 9)
    special = np.array([np.nan, np.inf, -np.inf, -0.0, 1e-42, 3e38], np.float32)
    table[rng.random(table.shape) < 0.3] = rng.choice(special, 1)
    table[:, ::2] = rng.choice(special, table[:, ::2].shape)
    spec = LookupSpec(dim=9, samples_per_core=5, chip="v6e")
    assert np.isnan(check(buffers, spec, table)).any()
    quantized = LookupSpec(dim=9, samples_per_core=5, chip="v6e", quantization=QUANTIZATION)
    check(buffers, quantized, table)
