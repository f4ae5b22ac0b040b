"""Lookups of buffers as the chip runs them, step by step: bit for bit the reference."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdykit.core.sparsecore.steps import steps_in
from sdykit.sparsecore.codegen import compile_module, run
from sdykit.sparsecore.quantization import Quantization
from sdykit.sparsecore.reference import lookup, to_int8
from sdykit.sparsecore.specs import Dtype
from sdykit.sparsecore.tile.build import arguments_of, build_module, build_tile
from sdykit.sparsecore.tile.builder.contexts import tile_context
from sdykit.sparsecore.tile.compile import lay_out, parse_tile
from sdykit.sparsecore.tile.spec import LookupSpec
from support.amounts import examples
from support.tile.chip_files import chip_file
from support.tile.device_cases import run_lookup, shards_of
from support.tile.drawn_buffers import draw_buffers
from support.tile.lookup_cases import QUANTIZATION, check, lookups, table_of
from support.tile.tile_cases import (
    Buffers,
    make_buffers,
    message,
    run_tile,
    same_bits,
)

SAME_EVERY_TIME = settings(derandomize=True, deadline=None, max_examples=examples(30))


@SAME_EVERY_TIME
@given(lookups(), st.integers(1, 3))
def test_a_lookup_equals_the_reference(
    case: tuple[Buffers, LookupSpec, np.ndarray], threads: int
) -> None:
    buffers, spec, table = case
    check(buffers, dataclasses.replace(spec, reading="chip"), table, threads)


@SAME_EVERY_TIME
@given(st.data())
def test_lookups_on_several_devices_equal_the_reference(data: st.DataObject) -> None:
    drawn = draw_buffers(data, devices=(2, 4))
    spec = LookupSpec(
        dim=data.draw(st.integers(1, 40) | st.sampled_from([130])), **drawn.fields, reading="chip"
    )
    shards = shards_of(drawn.rng, drawn.buffers, spec.chip, spec.num_devices, spec.dim)
    expected = lookup(shards, drawn.buffers.entries)
    assert same_bits(run_lookup(spec, drawn.buffers, shards), expected)


@pytest.mark.parametrize("chip", ["v5p", "v6e"])
@pytest.mark.parametrize(
    ("dtype", "quantization"),
    [
        ("float32", QUANTIZATION),
        ("bfloat16", None),
        ("bfloat16", QUANTIZATION),
        ("int8", None),
        ("int8", QUANTIZATION),
        ("int32", None),
    ],
)
def test_a_lookup_in_a_table_of_every_type_equals_the_reference(
    chip: str, dtype: Dtype, quantization: Quantization | None
) -> None:
    rng = np.random.default_rng(7)
    buffers = make_buffers(rng, chip)
    table = table_of(rng, buffers, chip, 21)
    if dtype == "int8":
        table = to_int8(table, QUANTIZATION)
    elif dtype == "int32":
        table = (table * 1e8).astype(np.int32)
    else:
        table = table.astype(ml_dtypes.bfloat16 if dtype == "bfloat16" else np.float32)
    spec = LookupSpec(
        dim=21,
        samples_per_core=5,
        chip=chip,
        dtype=dtype,
        quantization=quantization,
        reading="chip",
    )
    assert np.any(check(buffers, spec, table))


def test_a_printed_program_has_the_names_of_its_buffers() -> None:
    text = build_tile(LookupSpec(dim=8, samples_per_core=5, reading="chip")).text
    assert re.search(r"scf.parallel \(%core\) = ", text)
    assert re.search(r"%entry_ids = memref.alloc\(\) ", text)
    assert re.search(r"vector.compressstore %unique_ids\[", text)
    assert re.search(r"memref.subview %table\[", text)
    assert len(re.findall(r"scf.parallel \(%tile\) = ", text)) == 10


def test_the_steps_are_those_of_a_chip() -> None:
    spec = LookupSpec(dim=8, samples_per_core=5, reading="chip")
    with tile_context() as context:
        names = [step.name for step in steps_in(build_module(context, spec).operation)]
    assert list(dict.fromkeys(names[1:])) == [
        "load",
        "deduplicate",
        "exchange_ids",
        "gather",
        "all_to_all",
        "reduce",
        "store",
    ]


@pytest.mark.parametrize(("tiles", "lanes"), [(1, 8), (5, 16), (16, 1), (40, 4), (3, 64)])
def test_any_number_of_tiles_and_lanes_will_do(tmp_path: Path, tiles: int, lanes: int) -> None:
    rng = np.random.default_rng(tiles)
    buffers = make_buffers(rng, "v5p", samples_per_core=23, max_ids=20)
    table = table_of(rng, buffers, "v5p", 21)
    spec = LookupSpec(
        dim=21,
        samples_per_core=23,
        chip=chip_file(tmp_path, tiles, lanes),
        max_ids_per_partition=203,
        reading="chip",
    )
    assert np.any(check(buffers, spec, table))


def test_a_lookup_that_takes_rows_of_another_partition_is_wrong() -> None:
    """Every SparseCore asks the next one for its rows: nothing else could find that out."""
    rng = np.random.default_rng(9)
    buffers = make_buffers(rng, "v5p")
    table = table_of(rng, buffers, "v5p", 8)
    spec = LookupSpec(dim=8, samples_per_core=5, max_ids_per_partition=64, reading="chip")
    built = build_tile(spec).text
    found = []
    for owner in ("%partition", "%next"):
        text, count = re.subn(
            r"( *)%first_row = arith.muli %partition, (%\S+) : index",
            rf"\1%one = arith.constant 1 : index\n\1%next = arith.xori %partition, %one : index\n"
            rf"\1%first_row = arith.muli {owner}, \2 : index",
            built,
        )
        assert count == 1
        module = parse_tile(text)
        lay_out(module, "chip")
        arrays = {**buffers.arrays, "table": table, "status": np.zeros(8, np.int64)}
        arrays["activations"] = np.full((spec.samples, 8), np.nan, np.float32)
        given = [arrays[each.name] for each in arguments_of(spec)]
        run(compile_module(module, cache=None), given)
        found.append(arrays["activations"])
    expected = lookup(table[None], buffers.entries)[0]
    assert same_bits(found[0], expected)
    assert not same_bits(found[1], expected)


def test_a_nan_is_reported() -> None:
    rng = np.random.default_rng(3)
    buffers = make_buffers(rng, "v5p")
    table = table_of(rng, buffers, "v5p", 8)
    table[:, 3] = np.nan
    spec = LookupSpec(
        dim=8, samples_per_core=5, max_ids_per_partition=64, check_nan=True, reading="chip"
    )
    status = run_tile(spec, {**buffers.arrays, "table": table})[0]["status"]
    assert re.fullmatch(r"NaN read from table at or after \[\d+, 3\]", message(spec, status))
