"""torch, fbgemm and jax.numpy as peers of the embedding benchmark."""

# torch and fbgemm are installed by `make peers` only.
# pyright: reportMissingImports=false

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from embedding_cells import (
    ACCUMULATOR,
    LEARNING_RATE,
    ROWS,
    THREADS,
    Batch,
    Cell,
    Peer,
    Task,
    table,
)


class _OnTorch(Peer):
    """What takes ids and offsets as torch does."""

    torch: Any
    task: Task

    def calls(self, cell: Cell, drawn: list[Batch]) -> list[Callable[[], Any]]:
        torch = self.torch
        offsets = torch.arange(0, cell.batch * cell.valency + 1, cell.valency, dtype=torch.int32)
        call = self._forward if self.task == "forward" else self._step
        return [
            partial(
                call,
                torch.from_numpy(each.ids).reshape(-1),
                offsets,
                torch.from_numpy(each.gradients),
            )
            for each in drawn
        ]

    def _forward(self, ids: Any, offsets: Any, gradients: Any) -> Any:
        raise NotImplementedError

    def _step(self, ids: Any, offsets: Any, gradients: Any) -> Any:
        raise NotImplementedError


class Torch(_OnTorch):
    """`torch.nn.functional.embedding_bag`; training with its sparse gradient."""

    def load(self, width: int, task: Task) -> None:
        import torch

        torch.set_num_threads(THREADS)
        self.torch, self.task = torch, task
        self.table = torch.nn.Parameter(torch.from_numpy(table(width)), task != "forward")
        if task == "sgd":
            self.optimizer = torch.optim.SGD([self.table], LEARNING_RATE)
        if task == "adagrad":
            self.optimizer = torch.optim.Adagrad(
                [self.table], LEARNING_RATE, initial_accumulator_value=ACCUMULATOR
            )

    def _forward(self, ids: Any, offsets: Any, gradients: Any) -> Any:
        return self.torch.nn.functional.embedding_bag(
            ids,
            self.table,
            offsets,
            mode="sum",
            sparse=self.task != "forward",
            include_last_offset=True,
        )

    def _step(self, ids: Any, offsets: Any, gradients: Any) -> Any:
        self.optimizer.zero_grad(set_to_none=True)
        sums = self._forward(ids, offsets, gradients)
        sums.backward(gradients)
        self.optimizer.step()
        return sums.detach()

    def rows(self, ids: npt.NDArray[np.int32]) -> npt.NDArray[np.float32]:
        return self.table.detach().numpy()[ids]


class Fbgemm(_OnTorch):
    """`SplitTableBatchedEmbeddingBagsCodegen` on the CPU, without its check of ids."""

    def load(self, width: int, task: Task) -> None:
        import torch
        from fbgemm_gpu import split_table_batched_embeddings_ops_common as common
        from fbgemm_gpu import split_table_batched_embeddings_ops_training as training
        from fbgemm_gpu.split_embedding_configs import EmbOptimType

        torch.set_num_threads(THREADS)
        self.torch, self.task = torch, task
        adagrad = task == "adagrad"
        place = (common.EmbeddingLocation.HOST, training.ComputeDevice.CPU)
        self.bags: Any = training.SplitTableBatchedEmbeddingBagsCodegen(
            [(ROWS, width, *place)],
            optimizer=EmbOptimType.EXACT_ADAGRAD if adagrad else EmbOptimType.EXACT_SGD,
            learning_rate=LEARNING_RATE,
            eps=1e-10,
            bounds_check_mode=common.BoundsCheckMode.NONE,
            embedding_table_index_type=torch.int32,
            embedding_table_offset_type=torch.int32,
            device="cpu",
        )
        self.weights().copy_(torch.from_numpy(table(width)))
        if adagrad:
            self.bags.momentum1_host.detach().fill_(ACCUMULATOR)

    def weights(self) -> Any:
        """Return the table."""
        return self.bags.split_embedding_weights()[0]

    def _forward(self, ids: Any, offsets: Any, gradients: Any) -> Any:
        with self.torch.no_grad():
            return self.bags(ids, offsets)

    def _step(self, ids: Any, offsets: Any, gradients: Any) -> Any:
        sums = self.bags(ids, offsets)
        sums.backward(gradients)  # The optimizer's step is part of it.
        return sums.detach()

    def rows(self, ids: npt.NDArray[np.int32]) -> npt.NDArray[np.float32]:
        return self.weights().detach().numpy()[ids]


class Jnp(Peer):
    """jax.numpy: a gather and a sum; training with a dense gradient."""

    def load(self, width: int, task: Task) -> None:
        import jax

        self.jax, self.task = jax, task
        self.table = jax.device_put(table(width))
        self.slots = jax.numpy.full_like(self.table, ACCUMULATOR) if task == "adagrad" else None
        self.step = jax.jit(partial(_jnp_step, jax), donate_argnums=(0, 1))
        self.lookup = jax.jit(partial(_jnp_lookup, jax))

    def calls(self, cell: Cell, drawn: list[Batch]) -> list[Callable[[], Any]]:
        put = self.jax.device_put
        if self.task == "forward":
            return [partial(self._forward, put(each.ids)) for each in drawn]
        return [partial(self._step, each.ids, put(each.gradients)) for each in drawn]

    def _forward(self, ids: Any) -> Any:
        return self.lookup(self.table, ids).block_until_ready()

    def _step(self, ids: npt.NDArray[np.int32], gradients: Any) -> Any:
        given = (self.table, self.slots, ids, gradients)
        self.table, self.slots, sums = self.jax.block_until_ready(self.step(*given))
        return sums

    def rows(self, ids: npt.NDArray[np.int32]) -> npt.NDArray[np.float32]:
        return np.asarray(self.table[ids])


def _jnp_lookup(jax: Any, table: Any, ids: Any) -> Any:
    return jax.numpy.take(table, ids, axis=0, mode="clip").sum(axis=1)


def _jnp_step(jax: Any, table: Any, slots: Any, ids: Any, gradients: Any) -> Any:
    sums, pull_back = jax.vjp(lambda table: _jnp_lookup(jax, table, ids), table)
    (gradient,) = pull_back(gradients)
    if slots is None:
        return table - LEARNING_RATE * gradient, None, sums
    slots = slots + gradient * gradient
    return table - LEARNING_RATE * gradient / jax.numpy.sqrt(slots), slots, sums
