"""Lookups with gather, all-to-all, de-duplication and sums apart: the bits of the reference."""

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
from sparsecore.tile.test_bounds import arrays_for, message
from sparsecore.tile.test_devices import run_lookup, shards_of
from sparsecore.tile.test_ids import check_lookup, make_case
from sparsecore.tile.test_lookup import QUANTIZATION, check, lookups, table_of
from support.tile.fusion_cases import compile_after
from support.tile.tile_cases import Buffers, Compiler, make_buffers, run_tile, same_bits

SAME_EVERY_TIME = settings(derandomize=True, deadline=None, max_examples=15)
FUSIONS = (
    "sparsecore-fuse-all-to-all",
    "sparsecore-fuse-gather-reduce",
    "sparsecore-fuse-deduplication",
)
MARKS = ("sparsecore.all_to_all", "sparsecore.gathered", "sparsecore.deduplication")


def apart(fused: int) -> Compiler:
    """Give what compiles a program as it is built, but for the first so many fusions."""

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
def test_buffers(case: tuple[Buffers, LookupSpec, np.ndarray], fused: int, threads: int) -> None:
    check(*case, threads, apart(fused))


@SAME_EVERY_TIME
@given(st.data(), st.integers(0, 2))
def test_ids(data: st.DataObject, fused: int) -> None:
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
    check_lookup(spec, case, 2, apart(fused))


@pytest.mark.parametrize("rows", [20, 10000])
def test_ids_in_several_blocks(rows: int) -> None:
    spec = LookupSpec(dim=3, samples_per_core=1, layout="ids", chip="v6e")
    check_lookup(spec, make_case(np.random.default_rng(rows), spec, 3000, rows), 1, apart(0))


@pytest.mark.parametrize("minibatching", ["off", "vocabulary"])
@pytest.mark.parametrize("fused", [0, 1, 2])
def test_buffers_of_two_devices(minibatching: Minibatching, fused: int) -> None:
    rng = np.random.default_rng(fused)
    # In tiles there is room for 8 entries.
    buffers = make_buffers(
        rng, "v5p", limit=8, most_ids=20, minibatching=minibatching, num_devices=2, dropping=True
    )
    spec = LookupSpec(
        dim=9,
        samples_per_core=5,
        num_devices=2,
        minibatches=minibatching != "off",
        max_ids_per_partition=8,
    )
    shards = shards_of(rng, buffers, "v5p", 2, 9)
    found = run_lookup(spec, buffers, shards, apart(fused))
    assert same_bits(found, lookup(shards, buffers.entries))


@pytest.mark.parametrize(
    ("dtype", "quantization", "fused"),
    [
        ("bfloat16", None, 0),
        ("int8", None, 0),
        ("int32", None, 0),
        # It is of what is read from the table where it is used.
        ("float32", QUANTIZATION, 2),
        ("bfloat16", QUANTIZATION, 2),
        ("int8", QUANTIZATION, 2),
    ],
)
def test_types_of_tables(dtype: Dtype, quantization: Quantization | None, fused: int) -> None:
    rng = np.random.default_rng(7)
    buffers = make_buffers(rng, "v5p")
    table = table_of(rng, buffers, "v5p", 21)
    if dtype == "int8":
        table = to_int8(table, QUANTIZATION)
    else:
        table = (table * 100).astype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)
    spec = LookupSpec(dim=21, samples_per_core=5, dtype=dtype, quantization=quantization)
    assert np.any(check(buffers, spec, table, 1, apart(fused)))


@pytest.mark.parametrize("limit", [2, 1000])
def test_a_tile_holds_as_many_rows_as_the_limit_allows(limit: int) -> None:
    rng = np.random.default_rng(9)
    # Each of 4 partitions has 2 rows.
    buffers = make_buffers(rng, "v5p", vocabulary=8, samples_per_core=16, most_ids=60)
    spec = LookupSpec(
        dim=5,
        samples_per_core=16,
        max_ids_per_partition=160,
        max_unique_ids_per_partition=limit,
    )
    most = min(limit * 4, 160 * 4 // 16)
    text = build_tile(spec).text
    assert f'{{sparsecore.gathered}} : memref<{most}x5xf32, "spmem">' in text
    check(buffers, spec, table_of(rng, buffers, "v5p", 5), 2, apart(0))


@pytest.mark.parametrize(("devices", "minibatches", "rows"), [(1, False, 4), (8, True, 256)])
def test_unique_ids_of_a_sparse_core(devices: int, rows: int, *, minibatches: bool) -> None:
    spec = LookupSpec(
        dim=5,
        samples_per_core=16,
        num_devices=devices,
        minibatches=minibatches,
        max_unique_ids_per_partition=1,
    )
    assert spec.unique_ids == rows


@pytest.mark.parametrize("fused", [0, 1, 2, 3])
def test_distinct_rows_are_read_as_long_as_they_are_gathered(fused: int) -> None:
    rng = np.random.default_rng(11)
    samples, tiles = 40, 16
    spec = LookupSpec(
        dim=12, samples_per_core=samples, chip="v6e", layout="ids", counters=True, gains=False
    )
    ids = rng.integers(-20, 40, (2 * samples, 30)).astype(np.int32)
    arrays = {"ids": ids, "table": np.ones((40, 12), np.float32)}
    found, _ = run_tile(spec, arrays, 2, apart(fused))
    read = []
    for core in ids.reshape(2, samples, -1):
        for tile in range(tiles):
            held = core[tile * samples // tiles : (tile + 1) * samples // tiles]
            held = held[held >= 0]
            read.append(len(np.unique(held) if fused < 2 else held))
    columns = re.search(r"sparsecore.counted = \[(.*?)\]", apart(fused)(spec).source.text)
    assert columns is not None
    column = columns[1].replace('"', "").split(", ").index("bytes read from table")
    assert (found["counters"][:, column] // 48).tolist() == read


def test_a_nan_is_seen_in_what_is_gathered() -> None:
    rng = np.random.default_rng(2)
    arrays = arrays_for(rng, make_buffers(rng, "v5p"), 12)
    arrays["table"] = np.full_like(arrays["table"], np.nan)
    spec = LookupSpec(dim=12, samples_per_core=5, check_nan=True)
    found, _ = run_tile(spec, arrays, 1, apart(0))
    assert message(spec, found["status"]).startswith("NaN read from table at or after [")


def test_ids_of_no_row_are_told() -> None:
    spec = LookupSpec(dim=4, samples_per_core=2, chip="v6e", layout="ids", gains=False)
    ids = np.array([[0, 1], [2, 9], [3, 3], [3, 3]], np.int32)
    arrays = {"ids": ids, "table": np.ones((4, 4), np.float32)}
    found, _ = run_tile(spec, arrays, 1, apart(0))
    assert found["status"][:6].tolist() == [1, 1, 1, 9, 4, 0]
