"""Lookups as they are built, with gather, all-to-all and sums apart: the same bits."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from sdykit.core import run_pipeline
from sdykit.sparsecore.codegen import Program, compile_module, run
from sdykit.sparsecore.specs import Dtype
from sdykit.sparsecore.tile.build import build_tile
from sdykit.sparsecore.tile.compile import compile_tile, parse_tile
from sdykit.sparsecore.tile.spec import LookupSpec
from sparsecore.tile.tile_cases import make_buffers, same_bits

GATHERED = "sparsecore.gathered"
ALL_TO_ALL = "sparsecore.all_to_all"


def apart(spec: LookupSpec) -> Program:
    """Compile a program as it is built."""
    text = build_tile(spec).text
    assert GATHERED in text
    assert ALL_TO_ALL in text
    return compile_module(text, cache=None)


def fused(spec: LookupSpec) -> Program:
    """Compile a program as it is used."""
    tile = compile_tile(spec, cache=None)
    assert GATHERED not in tile.source.text
    return tile.code


@pytest.mark.parametrize(
    ("dim", "dtype"), [(5, "float32"), (8, "bfloat16"), (136, "float32"), (24, "int8")]
)
def test_of_ids(dim: int, dtype: Dtype) -> None:
    rng = np.random.default_rng(dim)
    spec = LookupSpec(dim=dim, samples_per_core=40, layout="ids", chip="v6e", dtype=dtype)
    ids = rng.integers(-3, 50, (80, 70)).astype(np.int32)
    gains = rng.uniform(-1, 1, ids.shape).astype(np.float32)
    table = (10 * rng.standard_normal((50, dim))).astype(
        ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype
    )
    sums = []
    for program in (apart(spec), fused(spec)):
        sums.append(np.full((80, dim), np.nan, np.float32))
        run(program, [ids, gains, table, sums[-1], np.zeros(8, np.int64)], threads=2)
    assert same_bits(*sums)


def test_of_a_device_of_two() -> None:
    rng = np.random.default_rng(2)
    spec = LookupSpec(dim=16, samples_per_core=4, layout="ids", num_devices=2, gains=False)
    ids = rng.integers(-3, 100, (32, 300)).astype(np.int32)
    table = rng.standard_normal((50, 16)).astype(np.float32)
    sums = []
    for program in (apart(spec), fused(spec)):
        sums.append(np.full((32, 16), np.nan, np.float32))
        run(
            program, [np.array(1, np.int32), ids, table, sums[-1], np.zeros(8, np.int64)], threads=2
        )
    assert same_bits(*sums)


def test_of_an_index_in_several_blocks() -> None:
    buffers = make_buffers(np.random.default_rng(3), "v5p", samples_per_core=40, most_ids=30)
    table = np.random.default_rng(4).standard_normal((buffers.rows_per_core * 4, 13), np.float32)
    # Tiles have room for 8 entries.
    spec = LookupSpec(dim=13, samples_per_core=40, max_ids_per_partition=2)
    index = [buffers.arrays[name] for name in ("splits", "sample_rows", "sample_gains")]
    sums = []
    for program in (apart(spec), fused(spec)):
        sums.append(np.full((160, 13), np.nan, np.float32))
        run(program, [*index, table, sums[-1]], threads=2)
    assert same_bits(*sums)


def test_each_pass_fuses_one_thing() -> None:
    module = parse_tile(build_tile(LookupSpec(dim=8, samples_per_core=16)).text)
    run_pipeline(module, "sparsecore-fuse-all-to-all")
    assert ALL_TO_ALL not in str(module)
    assert GATHERED in str(module)
    run_pipeline(module, "sparsecore-fuse-gather-reduce")
    assert GATHERED not in str(module)
