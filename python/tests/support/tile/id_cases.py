"""Batches of raw ids, and sums in numpy that programs on them must equal bit for bit."""

from __future__ import annotations

import dataclasses

import numpy as np

from sdykit.sparsecore.reference.updates import update_rows
from sdykit.sparsecore.tile.spec import LookupSpec, TileSpec, UpdateSpec
from support.tile.tile_cases import COMPILE, Arrays, Compiler, run_tile, same_bits

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
        """The number of samples of a device."""
        return len(self.ids) // self.devices

    def given(self, device: int) -> Arrays:
        """Return the inputs that all programs take, for a device."""
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
    """Sum the rows of one owner, over the positions of each sample."""
    sums = np.zeros((len(case.ids), case.table.shape[1]), np.float32)
    for sample, (ids, gains) in enumerate(zip(case.ids, case.gains, strict=True)):
        for id_, gain in zip(ids, gains, strict=True):
            if id_ >= 0 and id_ // case.rows == owner:
                sums[sample] += gain * case.table[id_]
    return sums


def expected_gradients(case: Case, gradients: np.ndarray) -> dict[int, np.ndarray]:
    """Sum the gradients of each row in the batch: over samples, then over devices."""
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
    updated = np.array(sorted(sums), np.int64)
    rows, row_slots = update_rows(
        optimizer,
        np.array([sums[row] for row in updated], np.float32).reshape(-1, spec.dim),
        case.table[updated],
        {name: array[updated] for name, array in slots.items()},
        hyperparameters,
    )
    table, after = case.table.copy(), {name: array.copy() for name, array in slots.items()}
    table[updated] = rows
    for name, array in after.items():
        array[updated] = row_slots[name]
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
