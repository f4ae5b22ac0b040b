"""Lookups against the reference: bit for bit."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdykit.sparsecore.quantization import Quantization
from sdykit.sparsecore.reference import lookup, to_int8
from sdykit.sparsecore.specs import Dtype
from sdykit.sparsecore.tile.compile import compile_tile
from sdykit.sparsecore.tile.spec import LookupSpec
from support.tile.tile_cases import (
    CHIPS,
    COMPILE,
    LAYOUTS,
    MINIBATCHINGS,
    Buffers,
    Compiler,
    make_buffers,
    run_tile,
    same_bits,
)

SAME_EVERY_TIME = settings(derandomize=True, deadline=None, max_examples=30)
QUANTIZATION = Quantization(-1.0, 1.5, 256)


def table_of(rng: np.random.Generator, buffers: Buffers, chip: str, dim: int) -> np.ndarray:
    shape = (buffers.rows_per_core * CHIPS[chip], dim)
    return rng.standard_normal(shape).astype(np.float32)


def check(
    buffers: Buffers,
    spec: LookupSpec,
    table: np.ndarray,
    threads: int = 1,
    compiled: Compiler = COMPILE,
) -> np.ndarray:
    found, kept = run_tile(spec, {**buffers.arrays, "table": table}, threads, compiled)
    expected = lookup(table[None], buffers.entries, spec.quantization)[0]
    assert same_bits(found["activations"], expected)
    assert kept
    return expected


@st.composite
def lookups(draw: st.DrawFn) -> tuple[Buffers, LookupSpec, np.ndarray]:
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    chip = draw(st.sampled_from(sorted(CHIPS)))
    layout = draw(st.sampled_from(LAYOUTS))
    minibatching = draw(st.sampled_from(MINIBATCHINGS))
    limit = draw(st.sampled_from([8, 40, 1000]))
    samples = draw(st.sampled_from([1, 2, 5, 40]))
    buffers = make_buffers(
        rng,
        chip,
        samples_per_core=samples,
        vocabulary=draw(st.sampled_from([1, 7, 60, 1000])),
        most_ids=draw(st.sampled_from([0, 1, 8, 30])),
        limit=limit,
        layout=layout,
        minibatching=minibatching,
        combiner=draw(st.sampled_from(["sum", "mean", "sqrtn"])),
        dropping=True,
    )
    dim = draw(st.integers(1, 40) | st.sampled_from([64, 128, 129, 200, 256]))
    spec = LookupSpec(
        dim=dim,
        samples_per_core=samples,
        max_ids_per_partition=limit,
        max_unique_ids_per_partition=limit,
        minibatches=minibatching != "off",
        chip=chip,
        layout=layout,
        staging=draw(st.sampled_from(["auto", "hbm"])),
    )
    return buffers, spec, table_of(rng, buffers, chip, dim)


@SAME_EVERY_TIME
@given(lookups(), st.integers(1, 3))
def test_equals_the_reference(case: tuple[Buffers, LookupSpec, np.ndarray], threads: int) -> None:
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
def test_types_of_tables(dtype: Dtype, quantization: Quantization | None) -> None:
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
def test_vectors_of_bfloat16(
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


def test_special_values() -> None:
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
