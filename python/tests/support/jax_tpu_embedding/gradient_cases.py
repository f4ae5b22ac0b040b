"""Batches for the library's gradients, and what the reference makes of them."""

from __future__ import annotations

import dataclasses
import functools
import importlib
from collections.abc import Callable
from importlib import metadata
from typing import Any

import jax
import numpy as np

from sdykit.bridge.jax_tpu_embedding.primitives import custom, gradients
from sdykit.sparsecore import reference
from sdykit.sparsecore.optimizers import (
    F2A,
    FTRL,
    SGD,
    Adagrad,
    AdagradMomentum,
    Adam,
    LaProp,
    Optimizer,
)
from sdykit.sparsecore.specs import System
from support.sparsecore.reference_cases import Packed, library_buffers, random_batch

IS_OLD = metadata.version("jax-tpu-embedding").startswith("0.1.")
"""0.1 has no tables of one dimension, and a user's update as a jaxpr."""
PRIMITIVES = "jax_tpu_embedding.sparsecore.lib.core.primitives"
OWN = "optimizer_grad"
"""The primitive with a user's own update."""
OPTIMIZERS: tuple[Optimizer, ...] = (
    SGD(0.1),
    Adagrad(0.1),
    AdagradMomentum(0.1, momentum=0.7, beta2=0.8),
    AdagradMomentum(0.1, exponent=3.0, use_nesterov=True),
    Adam(0.1),
    FTRL(0.1, l1_regularization_strength=0.05, l2_regularization_strength=0.3, beta=0.2),
    FTRL(0.1, learning_rate_power=-0.7, multiply_linear_by_learning_rate=True),
    LaProp(0.1),
    F2A(0.1, l1_regularization_strength=0.01, l2_regularization_strength=0.02),
)
STEP = 3
LIMITS: dict[str, Any] = {"max_ids_per_partition": 256, "max_unique_ids_per_partition": 256}
LIMIT = 2
"""The maximum ids of a partition without minibatches."""


@dataclasses.dataclass(frozen=True, eq=False)
class Case:
    """A batch of all devices, preprocessed by the library.

    Attributes:
        packed: its buffers.
        entries: what is in them, for the reference.
        table: `[devices, rows, dim]`.
        gradient: `[devices, samples, dim]`.
    """

    packed: Packed
    entries: reference.Entries
    table: np.ndarray
    gradient: np.ndarray

    @property
    def buffers(self) -> tuple[Any, ...]:
        """The first five operands, of all devices; the last is the same for each."""
        flat = (np.asarray(each).reshape(-1) for each in self.packed.buffers)
        return *flat, np.int32(self.packed.num_minibatches or 1)

    @property
    def is_minibatched(self) -> bool:
        """Whether the buffers have room for minibatches."""
        return self.packed.num_minibatches is not None

    @property
    def untouched(self) -> np.ndarray:
        """Which rows no id names, `[devices, rows]`."""
        rows = self.table.shape[1] // self.entries.system.sparse_cores_per_device
        sums = reference.gradient_sums(self.entries, self.gradient, rows)
        found = np.ones(self.table.shape[:2], bool)
        found[sums.device, sums.row] = False
        return found

    def slots(self, optimizer: Optimizer) -> dict[str, np.ndarray]:
        """Make slots that no optimizer divides by zero with, `[devices, rows, dim]`."""
        rng = np.random.default_rng(len(optimizer.slots))
        shape = self.table.shape
        return {name: rng.uniform(0.1, 2, shape).astype(np.float32) for name in optimizer.slots}

    def expected(self, optimizer: Optimizer) -> list[np.ndarray]:
        """Return table and slots after a step, as the reference has them."""
        table, slots = reference.update(
            self.table,
            self.slots(optimizer),
            self.entries,
            self.gradient,
            optimizer=optimizer,
            hyperparameters=optimizer.hyperparameters(STEP),
        )
        return [table, *slots.values()]


def make_case(seed: int, system: System, *, minibatching: bool = False, dim: int = 8) -> Case:
    """Preprocess samples of 0 to 12 ids; counts, duplicates and gains differ by device."""
    rng = np.random.default_rng(seed)
    batch = random_batch(rng, system, combiner=("sum", "mean", "sqrtn")[seed % 3], rows_per_core=40)
    limit = LIMIT if minibatching else 256
    # A bucket above the limit would end the process.
    packed = library_buffers(batch, limit=limit, minibatching=minibatching, dropping=True)
    assert not minibatching or (packed.num_minibatches or 0) > 1
    rows = batch.vocabulary // system.num_devices
    samples = batch.batch_size // system.num_devices
    table = rng.normal(size=(system.num_devices, rows, dim)).astype(np.float32)
    gradient = rng.normal(size=(system.num_devices, samples, dim)).astype(np.float32)
    return Case(packed, packed.entries(batch), table, gradient)


def primitive_of(name: str) -> Any:
    """Return a primitive of the library, lowered for CPUs by us."""
    part = name if name == OWN else f"grad_with_{name}"
    module = importlib.import_module(f"{PRIMITIVES}.sparse_dense_matmul_{part}")
    (custom if name == OWN else gradients).register(module)
    return getattr(module, f"tpu_sparse_dense_matmul_{part}_primitive")


def newest(name: str) -> Callable[..., Any]:
    """Return a function of the operands and parameters of a primitive's newest version."""
    if not IS_OLD:
        return primitive_of(name).bind
    return custom.update if name == OWN else functools.partial(gradients.update, name)


def update(
    optimizer: Optimizer,
    case: Case,
    buffers: tuple[Any, ...],
    tables: list[Any],
    gradient: Any,
    **options: Any,
) -> list[jax.Array]:
    """Call the primitive of an optimizer, as the library does; traced."""
    if isinstance(optimizer, FTRL):
        options["multiply_linear_by_learning_rate"] = optimizer.multiply_linear_by_learning_rate
    found = primitive_of(optimizer.name).bind(
        *buffers,
        *tables,
        gradient,
        *optimizer.hyperparameters(STEP).values(),
        enable_minibatching=case.is_minibatched,
        **LIMITS,
        **options,
    )
    return list(found) if isinstance(found, list | tuple) else [found]


def same(found: Any, expected: np.ndarray) -> bool:
    """Compare bits."""
    array = np.asarray(found)
    return (array.dtype, array.size, array.tobytes()) == (
        expected.dtype,
        expected.size,
        expected.tobytes(),
    )
