"""Lookups and updates of several devices, each run on its part of the table."""

from __future__ import annotations

import numpy as np

from sdykit.sparsecore.reference import update
from sdykit.sparsecore.tile.spec import LookupSpec, UpdateSpec
from support.tile.tile_cases import (
    CHIPS,
    COMPILE,
    Buffers,
    Compiler,
    run_tile,
    same_bits,
)


def shards_of(
    rng: np.random.Generator, buffers: Buffers, chip: str, devices: int, dim: int
) -> np.ndarray:
    shape = (devices, buffers.rows_per_core * CHIPS[chip], dim)
    return rng.standard_normal(shape).astype(np.float32)


def run_lookup(
    spec: LookupSpec, buffers: Buffers, shards: np.ndarray, compiled: Compiler = COMPILE
) -> np.ndarray:
    """Run each device, exchange the parts, and add them in the order of owners."""
    devices, dim = spec.num_devices, spec.dim
    total = np.zeros((devices, spec.samples // devices, dim), np.float32)
    for number, shard in enumerate(shards):
        given = {**buffers.arrays, "table": shard, "device": np.array(number, np.int32)}
        found, kept = run_tile(spec, given, compiled=compiled)
        assert kept
        total += found["activations"].reshape(total.shape)
    return total


def check_update(
    rng: np.random.Generator, spec: UpdateSpec, buffers: Buffers, compiled: Compiler = COMPILE
) -> None:
    """Run each device; compare tables and slots."""
    devices, optimizer = spec.num_devices, spec.optimizer
    shards = shards_of(rng, buffers, spec.chip, devices, spec.dim)
    slots = {name: rng.uniform(0.1, 3, shards.shape).astype(np.float32) for name in optimizer.slots}
    gradients = rng.standard_normal((spec.samples, spec.dim)).astype(np.float32)
    hyperparameters = optimizer.hyperparameters(3)
    expected, expected_slots = update(
        shards,
        slots,
        buffers.entries,
        gradients.reshape(devices, -1, spec.dim),
        optimizer=optimizer,
        hyperparameters=hyperparameters,
    )
    for number in range(devices):
        given = {**buffers.arrays, "gradients": gradients, "device": np.array(number, np.int32)}
        given |= {name: np.array(hyperparameters[name], np.float32) for name in spec.scalars}
        given |= {f"slot_{name}": array[number] for name, array in slots.items()}
        found, kept = run_tile(spec, {**given, "table": shards[number]}, compiled=compiled)
        assert kept
        assert same_bits(found["table"], expected[number])
        for name, array in expected_slots.items():
            assert same_bits(found[f"slot_{name}"], array[number]), name
