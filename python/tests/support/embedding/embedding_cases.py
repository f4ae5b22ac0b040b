"""Batches for lookups and updates in JAX, with the results of the reference."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from sdykit.bridge.embedding import DeviceBuffers
from sdykit.sparsecore import reference
from sdykit.sparsecore.config import SparsecoreConfig
from sdykit.sparsecore.inputs import Ragged
from sdykit.sparsecore.optimizers import (
    F2A,
    FTRL,
    SGD,
    Adagrad,
    AdagradMomentum,
    Adam,
    Custom,
    LaProp,
    Optimizer,
    RowWiseAdagrad,
)
from sdykit.sparsecore.preprocess import Layout, Minibatching, preprocess
from sdykit.sparsecore.quantization import Quantization
from sdykit.sparsecore.reference import Entries
from sdykit.sparsecore.specs import Combiner, FeatureSpec, System, TableSpec
from sdykit.sparsecore.stacking import stack

CONFIG = SparsecoreConfig(max_ids_per_chip_per_sample=2**30)
CORES = 4
"""SparseCores of a device of the default chip."""


def momentum(gradient: Any, table: Any, velocity: Any, rate: Any, decay: Any) -> Any:
    """Return a user's own update."""
    velocity = decay * velocity + gradient
    return table - rate * velocity, velocity


OPTIMIZERS: tuple[Optimizer, ...] = (
    SGD(0.1, max_value=2.0),
    Adagrad(0.1),
    RowWiseAdagrad(0.1),
    AdagradMomentum(0.1, use_nesterov=True),
    Adam(0.1),
    FTRL(0.1, l1_regularization_strength=0.01),
    LaProp(0.1),
    F2A(0.1),
    Custom(
        0.1,
        update=momentum,
        slot_values=(("velocity", 0.5),),
        more_hyperparameters=(("decay", 0.75),),
    ),
)


@dataclasses.dataclass(frozen=True, eq=False)
class Case:
    """A batch of all devices.

    Attributes:
        ids: raw ids, or buffers.
        weights: the weights of raw ids.
        combiner: the combiner of raw ids.
        entries: the same ids for the reference.
        table: the table, `[devices, rows, dim]`.
    """

    ids: Any
    weights: np.ndarray | None
    combiner: Combiner
    entries: Entries
    table: np.ndarray

    @property
    def flat(self) -> np.ndarray:
        """The table as one array, `[devices * rows, dim]`."""
        return self.table.reshape(-1, self.table.shape[2])

    @property
    def samples(self) -> int:
        """Number of samples of all devices."""
        return self.entries.samples_per_device * self.entries.system.num_devices

    def lookup(self, quantization: Quantization | None = None) -> np.ndarray:
        """Return the activations."""
        found = reference.lookup(self.table, self.entries, quantization)
        return found.reshape(self.samples, -1)

    def dense_gradient(self, gradients: np.ndarray) -> np.ndarray:
        """Return the gradient of the table."""
        devices = self.entries.system.num_devices
        rows = self.table.shape[1] // self.entries.system.sparse_cores_per_device
        sums = reference.gradient_sums(
            self.entries, gradients.reshape(devices, -1, gradients.shape[1]), rows
        )
        found = np.zeros_like(self.table)
        found[sums.device, sums.row] = sums.gradient
        return found.reshape(self.flat.shape)

    def update(
        self,
        slots: dict[str, np.ndarray],
        gradients: np.ndarray,
        optimizer: Optimizer,
        step: int | None,
        learning_rate: float | None = None,
    ) -> dict[str, np.ndarray]:
        """Return the table and the slots after a step, by name."""
        devices = self.entries.system.num_devices
        parts = self.table.shape[:2]
        shards = {name: each.reshape(*parts, each.shape[1]) for name, each in slots.items()}
        table, held = reference.update(
            self.table,
            shards,
            self.entries,
            gradients.reshape(devices, -1, gradients.shape[1]),
            optimizer=optimizer,
            hyperparameters=optimizer.hyperparameters(step, learning_rate),
        )
        return {
            name: each.reshape(-1, each.shape[2]) for name, each in {"table": table, **held}.items()
        }


def buffers_case(
    seed: int,
    devices: int = 1,
    *,
    dim: int = 8,
    samples_per_core: int = 3,
    vocabulary: int = 90,
    minibatching: Minibatching = "off",
    layout: Layout = "sdykit",
    combiner: Combiner = "sum",
    limit: int = 1000,
    tiles: int = 0,
) -> Case:
    """Preprocess samples of 0 to 6 ids; duplicates, weights and counts differ from device to device."""
    rng = np.random.default_rng(seed)
    system = System(devices, CORES)
    batch = samples_per_core * system.num_sparse_cores
    spec = TableSpec(
        "table",
        vocabulary,
        dim,
        combiner=combiner,
        max_ids_per_partition=limit,
        max_unique_ids_per_partition=limit,
    )
    (made,) = stack([FeatureSpec("feature", spec, batch)], system)
    splits = np.concatenate([[0], np.cumsum(rng.integers(0, 7, batch))])
    ids = rng.integers(0, vocabulary, splits[-1]) // rng.integers(1, 9, splits[-1])
    done = preprocess(
        {"feature": Ragged(ids, splits)},
        [made],
        system,
        weights={"feature": rng.uniform(0.1, 3, len(ids)).astype(np.float32)},
        config=CONFIG,
        layout=layout,
        minibatching=minibatching,
        tiles=tiles,
    )
    count = None if minibatching == "off" else done.num_minibatches
    found = done.buffers["table"]
    entries = reference.entries_from_packed(
        found.row_pointers,
        found.embedding_ids,
        found.sample_ids,
        found.gains,
        samples_per_core=samples_per_core,
        system=system,
        num_minibatches=count,
    )
    buffers = DeviceBuffers.from_stack(found, made, system, num_minibatches=count)
    shape = (devices, made.vocabulary_size // devices, dim)
    table = rng.normal(size=shape).astype(np.float32)
    return Case(buffers, None, "sum", entries, table)


def raw_case(
    seed: int,
    devices: int = 1,
    *,
    dim: int = 8,
    samples: int = 10,
    valency: int = 3,
    rows: int = 24,
    combiner: Combiner = "sum",
    weighted: bool = True,
) -> Case:
    """Make raw ids, some of them padding; `samples` and `rows` are those of a device."""
    rng = np.random.default_rng(seed)
    ids = rng.integers(-1, rows * devices, (samples * devices, valency)).astype(np.int32)
    ids //= rng.integers(1, 5, ids.shape, dtype=np.int32)
    weights = rng.uniform(0.1, 3, ids.shape).astype(np.float32) if weighted else None
    sample, position = np.nonzero(ids >= 0)
    live = ids[sample, position].astype(np.int64)
    own = np.ones(len(live), np.float32) if weights is None else weights[sample, position]
    entries = Entries(
        system=System(devices, 1),
        samples_per_core=samples,
        device=sample // samples,
        core=np.zeros_like(sample),
        minibatch=np.zeros_like(sample),
        partition=live // rows,
        local_id=live % rows,
        local_sample=sample % samples,
        gain=reference.fold_gains(combiner, sample, own),
    )
    table = rng.normal(size=(devices, rows, dim)).astype(np.float32)
    return Case(ids, weights, combiner, entries, table)


def make_slots(case: Case, optimizer: Optimizer, seed: int) -> dict[str, np.ndarray]:
    """Make slots with which no optimizer divides by zero."""
    rng = np.random.default_rng(seed)
    rows, dim = case.flat.shape
    found = {}
    for name in optimizer.slots:
        shape = (rows, 1 if name in optimizer.row_slots else dim)
        found[name] = rng.uniform(0.1, 2, shape).astype(np.float32)
    return found


def same(found: Any, expected: np.ndarray) -> bool:
    """Return whether two arrays are equal bit for bit."""
    array = np.asarray(found)
    return (array.dtype, array.shape, array.tobytes()) == (
        expected.dtype,
        expected.shape,
        expected.tobytes(),
    )
