"""Programs on raw ids equal sums in numpy, in the defined order, bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdykit.sparsecore.optimizers import SGD, Adagrad, Adam
from sdykit.sparsecore.tile.lookup.build import lookup_arguments
from sdykit.sparsecore.tile.spec import CustomUpdateSpec, LookupSpec, Reading, UpdateSpec
from sdykit.sparsecore.tile.update.build import update_arguments
from support.amounts import examples
from support.tile.id_cases import SGD_STABLEHLO, check_lookup, check_update, make_case
from support.tile.tile_cases import CHIPS, message, run_tile, same_bits

SAME_EVERY_TIME = settings(derandomize=True, deadline=None, max_examples=examples(25))


@SAME_EVERY_TIME
@given(st.data())
def test_programs_on_raw_ids_equal_the_sums_in_numpy(data: st.DataObject) -> None:
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    fields: dict[str, Any] = {
        "dim": data.draw(st.integers(1, 40) | st.sampled_from([130])),
        "samples_per_core": data.draw(st.sampled_from([1, 3, 17])),
        "num_devices": data.draw(st.sampled_from([1, 2, 4, 8])),
        "chip": data.draw(st.sampled_from(sorted(CHIPS))),
        "layout": "ids",
        "gains": data.draw(st.booleans()),
    }
    threads = data.draw(st.integers(1, 3))
    spec = LookupSpec(**fields)
    case = make_case(
        rng,
        spec,
        valency=data.draw(st.sampled_from([0, 1, 2, 9])),
        rows=data.draw(st.sampled_from([1, 3, 64, 5000])),
        live=data.draw(st.sampled_from([0.0, 0.5, 1.0])),
    )
    check_lookup(spec, case, threads)
    optimizer = data.draw(st.sampled_from([SGD(0.1), Adagrad(0.1), Adam(0.1)]))
    reading: Reading = data.draw(st.sampled_from(["cpu", "chip"]))
    check_update(rng, UpdateSpec(**fields, optimizer=optimizer, reading=reading), case, threads)


@pytest.mark.parametrize("dim", [3, 300])
def test_a_sample_may_have_more_ids_than_a_block(dim: int) -> None:
    rng = np.random.default_rng(5)
    spec = LookupSpec(dim=dim, samples_per_core=1, chip="v6e", layout="ids")
    case = make_case(rng, spec, valency=2500, rows=50)
    check_lookup(spec, case)
    check_update(rng, UpdateSpec(dim=dim, samples_per_core=1, chip="v6e", layout="ids"), case)


@pytest.mark.parametrize("rows", [1, 2048, 2**20, 2**22, 2**22 + 1, 2**23])
def test_rows_of_two_digits_and_of_three_are_grouped(rows: int) -> None:
    rng = np.random.default_rng(8)
    fields: dict[str, Any] = {"dim": 1, "samples_per_core": 40, "layout": "ids"}
    case = make_case(rng, LookupSpec(**fields), valency=7, rows=rows)
    check_update(rng, UpdateSpec(**fields), case, threads=3)


@pytest.mark.parametrize("hot", [1, 2, 50])
def test_partitions_share_hot_rows(hot: int) -> None:
    rng = np.random.default_rng(9)
    fields: dict[str, Any] = {"dim": 2, "samples_per_core": 100, "layout": "ids", "gains": False}
    case = make_case(rng, LookupSpec(**fields), valency=5, rows=2**20, live=1.0)
    # Most ids name few rows, equal in their low bits.
    is_hot = rng.random(case.ids.shape) < 0.9
    case.ids[is_hot] = 3 + 1024 * rng.integers(0, hot, is_hot.sum())
    check_update(rng, UpdateSpec(**fields), case, threads=3)


def test_a_user_update_of_raw_ids_equals_the_built_in_one() -> None:
    rng = np.random.default_rng(6)
    fields: dict[str, Any] = {"dim": 4, "samples_per_core": 5, "layout": "ids"}
    custom = CustomUpdateSpec(**fields, stablehlo=SGD_STABLEHLO)
    case = make_case(rng, custom, valency=3, rows=40)
    gradients = rng.standard_normal((custom.samples, 4)).astype(np.float32)
    given = case.given(0) | {"gradients": gradients, "learning_rate": np.array(0.1, np.float32)}
    found, _ = run_tile(custom, given)
    expected, _ = run_tile(UpdateSpec(**fields, optimizer=SGD(0.1)), given)
    assert same_bits(found["table"], expected["table"])
    assert not same_bits(found["table"], case.table)


@pytest.mark.parametrize("devices", [1, 2])
def test_an_id_outside_of_the_vocabulary_is_reported(devices: int) -> None:
    rng = np.random.default_rng(7)
    fields: dict[str, Any] = {
        "dim": 8,
        "samples_per_core": 5,
        "num_devices": devices,
        "layout": "ids",
    }
    lookup, update = LookupSpec(**fields), UpdateSpec(**fields, optimizer=SGD(0.1))
    case = make_case(rng, lookup, valency=3, rows=40)
    case.ids[7, 2] = 2**31 - 1
    case.ids[8, 1] = 40 * devices
    given = case.given(devices - 1)
    given |= {
        "gradients": np.ones((lookup.samples, 8), np.float32),
        "learning_rate": np.array(0.1, np.float32),
    }
    for spec in (lookup, update):
        found, _ = run_tile(spec, given)
        assert message(spec, found["status"]) == (
            "ids: sample 7, position 2: id 2147483647 is not in the vocabulary of "
            f"{40 * devices} rows; expected an id in [0, {40 * devices}), or a negative one for no row"
        )


def test_programs_in_layout_ids_have_these_arguments() -> None:
    fields: dict[str, Any] = {"dim": 8, "samples_per_core": 16, "layout": "ids", "num_devices": 2}
    found = lookup_arguments(LookupSpec(**fields))
    assert [(each.name, each.shape, each.role) for each in found] == [
        ("device", (), "input"),
        ("ids", (128, "valency"), "input"),
        ("gains", (128, "valency"), "input"),
        ("table", ("rows", 8), "input"),
        ("activations", (128, 8), "output"),
        ("status", (8,), "status"),
    ]
    updated = update_arguments(UpdateSpec(**fields, optimizer=Adagrad(0.1)))
    assert [(each.name, each.shape) for each in updated if each.role != "input"] == [
        ("table", ("rows", 8)),
        ("slot_accumulator", ("rows", 8)),
        ("words", (2, "entries")),
        ("pairs", ("entries",)),
        ("parts", (1, 2)),
        ("starts", (4, 2056)),
        ("status", (8,)),
    ]
