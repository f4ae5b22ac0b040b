"""Lookups before and after each fusion equal the reference bit for bit."""

from __future__ import annotations

import re

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdykit.sparsecore.preprocess import Minibatching
from sdykit.sparsecore.quantization import Quantization
from sdykit.sparsecore.reference import lookup, to_int8
from sdykit.sparsecore.specs import Dtype
from sdykit.sparsecore.tile.build import build_tile
from sdykit.sparsecore.tile.compile import CompiledTile
from sdykit.sparsecore.tile.spec import LookupSpec, TileSpec
from support.tile.device_cases import run_lookup, shards_of
from support.tile.fusion_cases import compile_after
from support.tile.id_cases import check_lookup, make_case
from support.tile.lookup_cases import QUANTIZATION, check, lookups, table_of
from support.tile.tile_cases import (
    Buffers,
    Compiler,
    arrays_for,
    make_buffers,
    message,
    run_tile,
    same_bits,
)

SAME_EVERY_TIME = settings(derandomize=True, deadline=None, max_examples=15)
FUSIONS = (
    "sparsecore-fuse-all-to-all",
    "sparsecore-fuse-gather-reduce",
    "sparsecore-fuse-deduplication",
)
MARKS = ("sparsecore.all_to_all", "sparsecore.gathered", "sparsecore.deduplication")


def compiler_after(fused: int) -> Compiler:
    """Return a compiler of programs after only the first fusions, `fused` of them."""

    def compiled(spec: TileSpec) -> CompiledTile:
        passes = FUSIONS[:fused]
        if isinstance(spec, LookupSpec) and spec.quantization is not None:
            passes = (*passes, "sparsecore-quantize")
        tile = compile_after(spec, *passes)
        found = [mark in tile.source.text for mark in MARKS]
        assert found == [number >= fused for number in range(len(MARKS))]
        return tile

    return compiled


@SAME_EVERY_TIME
@given(lookups(), st.integers(0, 2), st.integers(1, 3))
def test_a_lookup_of_buffers_equals_the_reference_after_any_fusions(
    case: tuple[Buffers, LookupSpec, np.ndarray], fused: int, threads: int
) -> None:
    check(*case, threads, compiler_after(fused))


@SAME_EVERY_TIME
@given(st.data(), st.integers(0, 2))
def test_a_lookup_of_ids_equals_the_sums_after_any_fusions(data: st.DataObject, fused: int) -> None:
    spec = LookupSpec(
        dim=data.draw(st.sampled_from([1, 5, 8, 136, 300])),
        samples_per_core=data.draw(st.sampled_from([1, 3, 17])),
        num_devices=data.draw(st.sampled_from([1, 2, 4])),
        chip=data.draw(st.sampled_from(["v5p", "v6e"])),
        layout="ids",
        gains=data.draw(st.booleans()),
    )
    case = make_case(
        np.random.default_rng(data.draw(st.integers(0, 2**32))),
        spec,
        valency=data.draw(st.sampled_from([0, 1, 9, 40])),
        rows=data.draw(st.sampled_from([1, 3, 64, 5000])),
        live=data.draw(st.sampled_from([0.0, 0.5, 1.0])),
    )
    check_lookup(spec, case, 2, compiler_after(fused))


@pytest.mark.parametrize("rows", [20, 10000])
def test_ids_of_several_blocks_equal_the_sums(rows: int) -> None:
    spec = LookupSpec(dim=3, samples_per_core=1, layout="ids", chip="v6e")
    check_lookup(
        spec, make_case(np.random.default_rng(rows), spec, 3000, rows), 1, compiler_after(0)
    )


@pytest.mark.parametrize("minibatching", ["off", "vocabulary"])
@pytest.mark.parametrize("fused", [0, 1, 2])
def test_a_lookup_on_two_devices_equals_the_reference_after_any_fusions(
    minibatching: Minibatching, fused: int
) -> None:
    rng = np.random.default_rng(fused)
    # In tiles there is room for 8 entries.
    buffers = make_buffers(
        rng, "v5p", limit=8, max_ids=20, minibatching=minibatching, num_devices=2, dropping=True
    )
    spec = LookupSpec(
        dim=9,
        samples_per_core=5,
        num_devices=2,
        minibatches=minibatching != "off",
        max_ids_per_partition=8,
    )
    shards = shards_of(rng, buffers, "v5p", 2, 9)
    found = run_lookup(spec, buffers, shards, compiler_after(fused))
    assert same_bits(found, lookup(shards, buffers.entries))


@pytest.mark.parametrize(
    ("dtype", "quantization", "fused"),
    [
        ("bfloat16", None, 0),
        ("int8", None, 0),
        ("int32", None, 0),
        # Elements are quantized where they are read from the table.
        ("float32", QUANTIZATION, 2),
        ("bfloat16", QUANTIZATION, 2),
        ("int8", QUANTIZATION, 2),
    ],
)
def test_a_table_of_every_type_equals_the_reference_before_fusion(
    dtype: Dtype, quantization: Quantization | None, fused: int
) -> None:
    rng = np.random.default_rng(7)
    buffers = make_buffers(rng, "v5p")
    table = table_of(rng, buffers, "v5p", 21)
    if dtype == "int8":
        table = to_int8(table, QUANTIZATION)
    else:
        table = (table * 100).astype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)
    spec = LookupSpec(dim=21, samples_per_core=5, dtype=dtype, quantization=quantization)
    assert np.any(check(buffers, spec, table, 1, compiler_after(fused)))


@pytest.mark.parametrize("limit", [2, 1000])
def test_a_tile_holds_as_many_rows_as_the_limit_allows(limit: int) -> None:
    rng = np.random.default_rng(9)
    # Each of 4 partitions has 2 rows.
    buffers = make_buffers(rng, "v5p", vocabulary=8, samples_per_core=16, max_ids=60)
    spec = LookupSpec(
        dim=5,
        samples_per_core=16,
        max_ids_per_partition=160,
        max_unique_ids_per_partition=limit,
    )
    max_rows = min(limit * 4, 160 * 4 // 16)
    text = build_tile(spec).text
    assert f'{{sparsecore.gathered}} : memref<{max_rows}x5xf32, "spmem">' in text
    check(buffers, spec, table_of(rng, buffers, "v5p", 5), 2, compiler_after(0))


@pytest.mark.parametrize(("devices", "minibatches", "rows"), [(1, False, 4), (8, True, 256)])
def test_unique_ids_is_the_limit_for_all_partitions_and_minibatches(
    devices: int, rows: int, *, minibatches: bool
) -> None:
    spec = LookupSpec(
        dim=5,
        samples_per_core=16,
        num_devices=devices,
        minibatches=minibatches,
        max_unique_ids_per_partition=1,
    )
    assert spec.unique_ids == rows


@pytest.mark.parametrize("fused", [0, 1, 2, 3])
def test_each_distinct_row_is_read_once_while_rows_are_gathered(fused: int) -> None:
    rng = np.random.default_rng(11)
    samples, tiles = 40, 16
    spec = LookupSpec(
        dim=12, samples_per_core=samples, chip="v6e", layout="ids", counters=True, gains=False
    )
    ids = rng.integers(-20, 40, (2 * samples, 30)).astype(np.int32)
    arrays = {"ids": ids, "table": np.ones((40, 12), np.float32)}
    found, _ = run_tile(spec, arrays, 2, compiler_after(fused))
    read = []
    for core in ids.reshape(2, samples, -1):
        for tile in range(tiles):
            held = core[tile * samples // tiles : (tile + 1) * samples // tiles]
            held = held[held >= 0]
            read.append(len(np.unique(held) if fused < 2 else held))
    columns = re.search(r"sparsecore.counted = \[(.*?)\]", compiler_after(fused)(spec).source.text)
    assert columns is not None
    column = columns[1].replace('"', "").split(", ").index("bytes read from table")
    assert (found["counters"][:, column] // 48).tolist() == read


def test_a_nan_in_gathered_rows_is_reported() -> None:
    rng = np.random.default_rng(2)
    arrays = arrays_for(rng, make_buffers(rng, "v5p"), 12)
    arrays["table"] = np.full_like(arrays["table"], np.nan)
    spec = LookupSpec(dim=12, samples_per_core=5, check_nan=True)
    found, _ = run_tile(spec, arrays, 1, compiler_after(0))
    assert message(spec, found["status"]).startswith("NaN read from table at or after [")


def test_an_id_of_no_row_is_reported_before_fusion() -> None:
    spec = LookupSpec(dim=4, samples_per_core=2, chip="v6e", layout="ids", gains=False)
    ids = np.array([[0, 1], [2, 9], [3, 3], [3, 3]], np.int32)
    arrays = {"ids": ids, "table": np.ones((4, 4), np.float32)}
    found, _ = run_tile(spec, arrays, 1, compiler_after(0))
    assert found["status"][:6].tolist() == [1, 1, 1, 9, 4, 0]
