"""Operands of the library's primitives, made by its own plain preprocessing."""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import numpy as np
from jax.sharding import Mesh
from jax_tpu_embedding.sparsecore.lib.core import input_preprocessing
from jax_tpu_embedding.sparsecore.lib.core.primitives import sparse_dense_matmul_csr
from jax_tpu_embedding.sparsecore.utils import utils

csr = sparse_dense_matmul_csr.tpu_sparse_dense_matmul_csr_primitive

CORES = 4
"""SparseCores of a device."""
VOCABULARY = 256
DIM = 8
BATCH = 8
"""Samples of a device in a minibatch."""
LIMITS: dict[str, Any] = {"max_ids_per_partition": 32, "max_unique_ids_per_partition": 32}


@dataclasses.dataclass(frozen=True, eq=False)
class Case:
    """Operands of all devices, and what a user expects of them.

    Attributes:
        buffers: row pointers, embedding ids, sample ids, gains.
        table: `[devices * rows, DIM]`, as the devices hold it.
        dense: `[VOCABULARY, DIM]`, the same table.
        matrix: `[samples, VOCABULARY]`, gains.
        gradient: of the activations.
    """

    buffers: tuple[np.ndarray, ...]
    table: np.ndarray
    dense: np.ndarray
    matrix: np.ndarray
    gradient: np.ndarray
    minibatches: int

    @property
    def activations(self) -> np.ndarray:
        return (self.matrix @ self.dense).astype(np.float32)

    @property
    def touched(self) -> np.ndarray:
        """Tell which rows are looked up, `[VOCABULARY, 1]`."""
        return np.asarray(self.matrix.any(axis=0)).reshape(-1, 1)

    @property
    def sums(self) -> np.ndarray:
        """The gradient of each row."""
        return (self.matrix.T @ self.gradient).astype(np.float32)

    def lookup(self, *operands: Any, **more: Any) -> Any:
        """Call the primitive with the operands of a device."""
        batched = {"enable_minibatching": True} if self.minibatches > 1 else {}
        return csr.bind(*operands, device_batch_size=BATCH, **LIMITS, **batched, **more)

    @property
    def operands(self) -> tuple[Any, ...]:
        return (*self.buffers, np.int32(self.minibatches), self.table)


def make_case(devices: int = 1, minibatches: int = 1, seed: int = 0) -> Case:
    """Draw samples of 3 ids, some of them twice; rows of a minibatch appear in no other."""
    chance = np.random.default_rng(seed)
    mesh = Mesh(jax.devices()[:devices], ["x"])
    many = minibatches > 1
    ids = chance.integers(0, VOCABULARY, (devices, BATCH, 3)) // chance.integers(1, 9)
    gains = chance.integers(1, 5, ids.shape).astype(np.float32)
    parts, matrix = [], np.zeros((devices * BATCH, VOCABULARY))
    for device, (own, weights) in enumerate(zip(ids, gains, strict=True)):
        np.add.at(matrix, (device * BATCH + np.arange(BATCH)[:, None], own), weights)
        keep = [own // 16 % minibatches == number for number in range(minibatches)]
        parts.append(
            input_preprocessing.preprocess_sparse_dense_matmul_input(
                _split(own, keep) if many else own,
                _split(weights, keep) if many else weights,
                mesh,
                **LIMITS,
                num_sc_per_device=CORES,
                enable_minibatching=many,
            )
        )
    dense = chance.integers(-9, 10, (VOCABULARY, DIM)).astype(np.float32)
    buffers = tuple(np.concatenate([np.asarray(p[i]) for p in parts]) for i in range(4))
    gradient = chance.integers(-5, 6, (devices * BATCH, DIM)).astype(np.float32)
    return Case(buffers, held(dense, devices), dense, matrix, gradient, minibatches)


def _split(samples: np.ndarray, keep: list[np.ndarray]) -> Any:
    """Return each minibatch's part of each sample."""
    return [[row[of] for row, of in zip(samples, mask, strict=True)] for mask in keep]


def same(found: Any, expected: Any) -> None:
    np.testing.assert_array_equal(np.asarray(found), np.asarray(expected), strict=True)


def held(dense: Any, devices: int = 1) -> np.ndarray:
    """Return a table as the devices hold it."""
    found = utils.shard_emb_table(dense, num_devices=devices, num_sc_per_device=CORES)
    return np.reshape(found, (-1, DIM))
