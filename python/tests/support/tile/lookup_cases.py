"""Lookups of buffers, compared with the reference bit for bit."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from sdykit.sparsecore.quantization import Quantization
from sdykit.sparsecore.reference import lookup
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
        max_ids=draw(st.sampled_from([0, 1, 8, 30])),
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
