"""Lookups in tables of every type, quantized or not, in any program: bit for bit."""

from __future__ import annotations

import dataclasses
from typing import get_args

import ml_dtypes
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sdykit.sparsecore.quantization import Quantization
from sdykit.sparsecore.reference import to_int8
from sdykit.sparsecore.specs import Dtype
from sdykit.sparsecore.tile.spec import LookupSpec
from support.amounts import examples
from support.tile.lookup_cases import check, lookups
from support.tile.tile_cases import Buffers

SAME_EVERY_TIME = settings(derandomize=True, deadline=None, max_examples=examples(30))
QUANTIZATIONS = (
    None,
    Quantization(-1.0, 1.5, 256),
    Quantization(-0.3, 0.1, 2),
    Quantization(0.25, 2.0, 100),
)


def table_as(table: np.ndarray, dtype: Dtype, quantization: Quantization | None) -> np.ndarray:
    """Return a table of float32 as another type; int8 holds numbers of buckets."""
    if dtype == "int8":
        return to_int8(table, quantization or Quantization(-1.0, 1.0, 256))
    if dtype == "int32":
        return (table * 1e8).astype(np.int32)
    return table.astype(ml_dtypes.bfloat16 if dtype == "bfloat16" else np.float32)


@SAME_EVERY_TIME
@given(lookups(), st.sampled_from(get_args(Dtype)), st.sampled_from(QUANTIZATIONS))
def test_a_lookup_of_any_type_and_quantization_equals_the_reference(
    case: tuple[Buffers, LookupSpec, np.ndarray], dtype: Dtype, quantization: Quantization | None
) -> None:
    buffers, spec, table = case
    if dtype == "int32":
        quantization = None
    spec = dataclasses.replace(spec, dtype=dtype, quantization=quantization)
    check(buffers, spec, table_as(table, dtype, quantization))
