"""Ids as they are, against sums in numpy in the order that is defined: bit for bit."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdykit.sparsecore.optimizers import SGD, Adagrad, Adam
from sdykit.sparsecore.reference.updates import update_rows
from sdykit.sparsecore.tile.lookup.build import lookup_arguments
from sdykit.sparsecore.tile.spec import CustomUpdateSpec, LookupSpec, TileSpec, UpdateSpec
from sdykit.sparsecore.tile.update.build import update_arguments
from sparsecore.tile.test_bounds import message
from support.tile.tile_cases import CHIPS, COMPILE, Arrays, Compiler, run_tile, same_bits

SAME_EVERY_TIME = settings(derandomize=True, deadline=None, max_examples=25)
SGD_STABLEHLO = """
func.func @main(%g: tensor<1x4xf32>, %w: tensor<1x4xf32>, %lr: tensor<1x4xf32>)
    -> tensor<1x4xf32> {
  %0 = stablehlo.multiply %lr, %g : tensor<1x4xf32>
  %1 = stablehlo.subtract %w, %0 : tensor<1x4xf32>
  return %1 : tensor<1x4xf32>
}
"""


@dataclasses.dataclass(frozen=True, eq=False)
class Case:
    """Ids and gains of all devices' samples, and the whole table."""

    ids: np.ndarray
    gains: np.ndarray
    table: np.ndarray
    devices: int

    @property
    def rows(self) -> int:
        return len(self.table) // self.devices

    @property
    def samples(self) -> int:
        """Of a device."""
        return len(self.ids) // self.devices

    def given(self, device: int) -> Arrays:
        """Give what all programs take."""
        part = slice(device * self.rows, (device + 1) * self.rows)
        return {
            "device": np.array(device, np.int32),
            "ids": self.ids,
            "gains": self.gains,
            "table": self.table[part],
        }


def make_case(
    rng: np.random.Generator, spec: TileSpec, valency: int, rows: int, live: float = 0.8
) -> Case:
    devices = spec.num_devices
    shape = (spec.samples, valency)
    ids = (rng.integers(0, rows * devices, shape) * rng.random(shape)).astype(np.int32)
    dead = rng.random(shape) >= live
    ids[dead] = rng.integers(-(2**31), 0, shape)[dead]
    gains = rng.uniform(-2, 2, shape) if spec.gains else np.ones(shape)
    gains = gains.astype(np.float32)
    gains[dead] = np.nan
    table = rng.standard_normal((rows * devices, spec.dim)).astype(np.float32)
    return Case(ids, gains, table, devices)


def expected_part(case: Case, owner: int) -> np.ndarray:
    """Sum what an owner's rows give, over the positions of each sample."""
    sums = np.zeros((len(case.ids), case.table.shape[1]), np.float32)
    for sample, (ids, gains) in enumerate(zip(case.ids, case.gains, strict=True)):
        for id_, gain in zip(ids, gains, strict=True):
            if id_ >= 0 and id_ // case.rows == owner:
                sums[sample] += gain * case.table[id_]
    return sums


def expected_gradients(case: Case, gradients: np.ndarray) -> dict[int, np.ndarray]:
    """Sum the gradient of each row that is touched: over samples, then over devices."""
    parts: dict[tuple[int, int], np.ndarray] = {}
    for sample, (ids, gains) in enumerate(zip(case.ids, case.gains, strict=True)):
        for id_, gain in zip(ids, gains, strict=True):
            if id_ >= 0:
                zeros = np.zeros(gradients.shape[1], np.float32)
                part = parts.setdefault((int(id_), sample // case.samples), zeros)
                part += gain * gradients[sample]
    sums: dict[int, np.ndarray] = {}
    for (id_, _), part in sorted(parts.items(), key=lambda item: item[0]):
        sums[id_] = sums.get(id_, np.zeros(gradients.shape[1], np.float32)) + part
    return sums


def check_lookup(
    spec: LookupSpec, case: Case, threads: int = 1, compiled: Compiler = COMPILE
) -> None:
    for device in range(case.devices):
        found, kept = run_tile(spec, case.given(device), threads, compiled)
        assert kept
        assert not found["status"].any()
        assert same_bits(found["activations"], expected_part(case, device))


def check_update(
    rng: np.random.Generator,
    spec: UpdateSpec,
    case: Case,
    threads: int = 1,
    compiled: Compiler = COMPILE,
) -> None:
    optimizer = spec.optimizer
    gradients = rng.standard_normal((spec.samples, spec.dim)).astype(np.float32)
    slots = {
        name: rng.uniform(0.1, 3, case.table.shape).astype(np.float32) for name in optimizer.slots
    }
    hyperparameters = optimizer.hyperparameters(2)
    sums = expected_gradients(case, gradients)
    touched = np.array(sorted(sums), np.int64)
    rows, row_slots = update_rows(
        optimizer,
        np.array([sums[row] for row in touched], np.float32).reshape(-1, spec.dim),
        case.table[touched],
        {name: array[touched] for name, array in slots.items()},
        hyperparameters,
    )
    table, after = case.table.copy(), {name: array.copy() for name, array in slots.items()}
    table[touched] = rows
    for name, array in after.items():
        array[touched] = row_slots[name]
    for device in range(case.devices):
        part = slice(device * case.rows, (device + 1) * case.rows)
        given = case.given(device) | {"gradients": gradients}
        given |= {name: np.array(hyperparameters[name], np.float32) for name in spec.scalars}
        given |= {f"slot_{name}": array[part] for name, array in slots.items()}
        found, kept = run_tile(spec, given, threads, compiled)
        assert kept
        assert not found["status"].any()
        assert same_bits(found["table"], table[part])
        for name, array in after.items():
            assert same_bits(found[f"slot_{name}"], array[part]), name


@SAME_EVERY_TIME
@given(st.data())
def test_equals_the_sums(data: st.DataObject) -> None:
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
    check_update(rng, UpdateSpec(**fields, optimizer=optimizer), case, threads)


@pytest.mark.parametrize("dim", [3, 300])
def test_a_sample_has_more_ids_than_a_tile_holds(dim: int) -> None:
    rng = np.random.default_rng(5)
    spec = LookupSpec(dim=dim, samples_per_core=1, chip="v6e", layout="ids")
    case = make_case(rng, spec, valency=2500, rows=50)
    check_lookup(spec, case)
    check_update(rng, UpdateSpec(dim=dim, samples_per_core=1, chip="v6e", layout="ids"), case)


def test_a_user_update() -> None:
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
def test_an_id_outside_of_the_vocabulary(devices: int) -> None:
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


def test_arguments() -> None:
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
        ("parts", (1, 3)),
        ("counts", (8, 2064)),
        ("status", (8,)),
    ]
