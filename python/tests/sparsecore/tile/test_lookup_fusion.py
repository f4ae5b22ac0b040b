"""Lookups whose steps are joined, but not yet moved to a CPU's loops, equal the reference."""

from __future__ import annotations

import dataclasses
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
from sdykit.sparsecore.tile.compile import CompiledTile
from sdykit.sparsecore.tile.spec import LookupSpec, Reading, TileSpec
from support.amounts import examples
from support.tile.device_cases import run_lookup, shards_of
from support.tile.fusion_cases import compile_after
from support.tile.id_cases import check_lookup, make_case
from support.tile.lookup_cases import QUANTIZATION, check, lookups, table_of
from support.tile.tile_cases import (
    Buffers,
    arrays_for,
    make_buffers,
    message,
    run_tile,
    same_bits,
)

SAME_EVERY_TIME = settings(derandomize=True, deadline=None, max_examples=examples(15))


def fused(spec: TileSpec) -> CompiledTile:
    """Compile the chip's program after the steps that bring rows have been joined."""
    passes = ["sparsecore-fuse-lookup", "sparsecore-verify-steps"]
    if isinstance(spec, LookupSpec) and spec.quantization is not None:
        passes.append("sparsecore-quantize")
    tile = compile_after(spec, *passes)
    assert "sparsecore.step" in tile.source.text
    assert not re.search(r'step = "(gather|all_to_all|exchange_ids|deduplicate)"', tile.source.text)
    return tile


@SAME_EVERY_TIME
@given(lookups(), st.integers(1, 3))
def test_a_lookup_of_buffers_whose_steps_are_joined_equals_the_reference(
    case: tuple[Buffers, LookupSpec, np.ndarray], threads: int
) -> None:
    buffers, spec, table = case
    check(buffers, dataclasses.replace(spec, reading="chip"), table, threads, fused)


@SAME_EVERY_TIME
@given(st.data())
def test_a_lookup_of_ids_whose_steps_are_joined_equals_the_sums(data: st.DataObject) -> None:
    spec = LookupSpec(
        dim=data.draw(st.sampled_from([1, 5, 8, 136, 300])),
        samples_per_core=data.draw(st.sampled_from([1, 3, 17])),
        num_devices=data.draw(st.sampled_from([1, 2, 4])),
        chip=data.draw(st.sampled_from(["v5p", "v6e"])),
        layout="ids",
        gains=data.draw(st.booleans()),
        reading="chip",
    )
    case = make_case(
        np.random.default_rng(data.draw(st.integers(0, 2**32))),
        spec,
        valency=data.draw(st.sampled_from([0, 1, 9, 40])),
        rows=data.draw(st.sampled_from([1, 3, 64, 5000])),
        live=data.draw(st.sampled_from([0.0, 0.5, 1.0])),
    )
    check_lookup(spec, case, 2, fused)


@pytest.mark.parametrize("rows", [20, 10000])
def test_ids_of_several_blocks_equal_the_sums(rows: int) -> None:
    spec = LookupSpec(dim=3, samples_per_core=1, layout="ids", chip="v6e")
    check_lookup(spec, make_case(np.random.default_rng(rows), spec, 3000, rows), 1)


@pytest.mark.parametrize("minibatching", ["off", "vocabulary"])
def test_a_lookup_on_two_devices_whose_steps_are_joined_equals_the_reference(
    minibatching: Minibatching,
) -> None:
    rng = np.random.default_rng(1)
    buffers = make_buffers(
        rng, "v5p", limit=8, max_ids=20, minibatching=minibatching, num_devices=2, dropping=True
    )
    spec = LookupSpec(
        dim=9,
        samples_per_core=5,
        num_devices=2,
        minibatches=minibatching != "off",
        max_ids_per_partition=8,
        reading="chip",
    )
    shards = shards_of(rng, buffers, "v5p", 2, 9)
    found = run_lookup(spec, buffers, shards, fused)
    assert same_bits(found, lookup(shards, buffers.entries))


@pytest.mark.parametrize(
    ("dtype", "quantization"),
    [
        ("bfloat16", None),
        ("int8", None),
        ("int32", None),
        ("float32", QUANTIZATION),
        ("bfloat16", QUANTIZATION),
        ("int8", QUANTIZATION),
    ],
)
def test_a_table_of_every_type_equals_the_reference_when_steps_are_joined(
    dtype: Dtype, quantization: Quantization | None
) -> None:
    rng = np.random.default_rng(7)
    buffers = make_buffers(rng, "v5p")
    table = table_of(rng, buffers, "v5p", 21)
    if dtype == "int8":
        table = to_int8(table, QUANTIZATION)
    else:
        table = (table * 100).astype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)
    spec = LookupSpec(
        dim=21, samples_per_core=5, dtype=dtype, quantization=quantization, reading="chip"
    )
    assert np.any(check(buffers, spec, table, 1, fused))


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


def test_a_nan_in_gathered_rows_is_reported() -> None:
    rng = np.random.default_rng(2)
    arrays = arrays_for(rng, make_buffers(rng, "v5p"), 12)
    arrays["table"] = np.full_like(arrays["table"], np.nan)
    spec = LookupSpec(dim=12, samples_per_core=5, check_nan=True, reading="chip")
    found, _ = run_tile(spec, arrays)
    assert message(spec, found["status"]).startswith("NaN read from table at or after [")


@pytest.mark.parametrize("reading", ["cpu", "chip"])
def test_an_id_of_no_row_is_reported(reading: Reading) -> None:
    spec = LookupSpec(
        dim=4, samples_per_core=2, chip="v6e", layout="ids", gains=False, reading=reading
    )
    ids = np.array([[0, 1], [2, 9], [3, 3], [3, 3]], np.int32)
    arrays = {"ids": ids, "table": np.ones((4, 4), np.float32)}
    found, _ = run_tile(spec, arrays)
    assert found["status"][:6].tolist() == [1, 1, 1, 9, 4, 0]
