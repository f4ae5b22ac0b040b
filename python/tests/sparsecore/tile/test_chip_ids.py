"""Lookups of raw ids as the chip runs them, step by step: bit for bit the sums in numpy."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdykit.core.sparsecore.steps import steps_in
from sdykit.sparsecore.codegen import run
from sdykit.sparsecore.tile.build import build_module
from sdykit.sparsecore.tile.builder.contexts import tile_context
from sdykit.sparsecore.tile.spec import LookupSpec, Reading
from support.amounts import examples
from support.tile.chip_files import chip_file
from support.tile.id_cases import check_lookup, make_case
from support.tile.tile_cases import CHIPS, COMPILE, message, run_tile

SAME_EVERY_TIME = settings(derandomize=True, deadline=None, max_examples=examples(25))


@SAME_EVERY_TIME
@given(st.data())
def test_a_lookup_of_raw_ids_equals_the_sums_in_numpy(data: st.DataObject) -> None:
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    spec = LookupSpec(
        dim=data.draw(st.integers(1, 40) | st.sampled_from([130])),
        samples_per_core=data.draw(st.sampled_from([1, 3, 17, 40])),
        num_devices=data.draw(st.sampled_from([1, 2, 4])),
        chip=data.draw(st.sampled_from(sorted(CHIPS))),
        layout="ids",
        gains=data.draw(st.booleans()),
        reading="chip",
    )
    case = make_case(
        rng,
        spec,
        valency=data.draw(st.sampled_from([0, 1, 2, 9, 70])),
        rows=data.draw(st.sampled_from([1, 3, 64, 5000])),
        live=data.draw(st.sampled_from([0.0, 0.5, 1.0])),
    )
    check_lookup(spec, case, data.draw(st.integers(1, 3)))


@pytest.mark.parametrize("valency", [1024, 2500])
@pytest.mark.parametrize("devices", [1, 2])
def test_a_sample_may_have_more_ids_than_a_block(valency: int, devices: int) -> None:
    rng = np.random.default_rng(5)
    spec = LookupSpec(
        dim=3,
        samples_per_core=1,
        chip="v6e",
        layout="ids",
        num_devices=devices,
        reading="chip",
    )
    check_lookup(spec, make_case(rng, spec, valency=valency, rows=700))


@pytest.mark.parametrize(("tiles", "lanes"), [(1, 8), (5, 16), (16, 1), (40, 4), (3, 64)])
def test_any_number_of_tiles_and_lanes_will_do(tmp_path: Path, tiles: int, lanes: int) -> None:
    spec = LookupSpec(
        dim=5,
        samples_per_core=23,
        chip=chip_file(tmp_path, tiles, lanes),
        layout="ids",
        reading="chip",
    )
    rng = np.random.default_rng(tiles)
    check_lookup(spec, make_case(rng, spec, valency=90, rows=3000))


@pytest.mark.parametrize("devices", [1, 2])
def test_an_id_outside_of_the_vocabulary_is_reported(devices: int) -> None:
    rng = np.random.default_rng(7)
    spec = LookupSpec(dim=8, samples_per_core=5, num_devices=devices, layout="ids", reading="chip")
    case = make_case(rng, spec, valency=3, rows=40)
    case.ids[7, 2] = 90
    for device in range(devices):
        status = run_tile(spec, case.given(device))[0]["status"]
        assert message(spec, status) == (
            f"ids: sample 7, position 2: id 90 is not in the vocabulary of {40 * devices} rows; "
            f"expected an id in [0, {40 * devices}), or a negative one for no row"
        )


def test_the_steps_of_a_block_are_those_of_a_chip() -> None:
    spec = LookupSpec(dim=8, samples_per_core=5, layout="ids", reading="chip")
    with tile_context() as context:
        names = [step.name for step in steps_in(build_module(context, spec).operation)]
    assert names[1:] == ["load", "sort", "deduplicate", "gather", "reduce", "store"]


@pytest.mark.parametrize("reading", get_args(Reading))
def test_the_lowest_id_names_no_row_of_a_table_of_more_than_2_to_the_31_rows(
    reading: Reading,
) -> None:
    rows = 1_200_000_000
    spec = LookupSpec(
        dim=1, samples_per_core=1, layout="ids", num_devices=2, dtype="int8", reading=reading
    )
    table = np.zeros((rows, 1), np.int8)  # Of which only the page of a row takes memory.
    lowest = -(2**31)
    # The row in 32 bits.
    table[(lowest - rows) % 2**32] = 7
    arrays = {
        "device": np.array(1, np.int32),
        "ids": np.full((spec.samples, 1), lowest, np.int32),
        "gains": np.ones((spec.samples, 1), np.float32),
        "table": table,
        "activations": np.full((spec.samples, 1), np.nan, np.float32),
        "status": np.zeros(8, np.int64),
    }
    tile = COMPILE(spec)
    run(tile.code, [arrays[each.name] for each in tile.source.arguments])
    assert not arrays["status"].any()
    assert not arrays["activations"].any()
