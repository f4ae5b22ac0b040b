"""sdykit as a peer of the embedding benchmark."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from embedding_cells import ACCUMULATOR, LEARNING_RATE, ROWS, Batch, Cell, Peer, Task, table

Layout = Literal["sdykit", "jax_tpu_embedding"]

SPARSE_CORES = 4
UNLIMITED = 2**30


class Ours(Peer):
    """`sdykit.sparsecore.lookup` and `grad_update` on ids as they are."""

    def load(self, width: int, task: Task) -> None:
        # The package comes before JAX's backend, so that XLA has threads for both cores.
        from sdykit import sparsecore

        assert sparsecore.lookup
        import jax

        from sdykit.sparsecore.optimizers import SGD, Adagrad

        self.jax, self.sparsecore, self.task = jax, sparsecore, task
        self.table = jax.device_put(self.laid_out(table(width)))
        slot = {"accumulator": jax.numpy.full_like(self.table, ACCUMULATOR)}
        self.slots = slot if task == "adagrad" else {}
        self.optimizer = (Adagrad if task == "adagrad" else SGD)(learning_rate=LEARNING_RATE)
        self.lookup = jax.jit(sparsecore.lookup)
        self.step = jax.jit(self._one_step, donate_argnums=(0, 1))

    def laid_out(self, natural: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Return the table as lookups take it."""
        return natural

    def preparation(self, cell: Cell, drawn: list[Batch]) -> Callable[[Any], Any]:
        """Return what is done with ids before they go to the device."""
        return lambda ids: ids

    def calls(self, cell: Cell, drawn: list[Batch]) -> list[Callable[[], Any]]:
        prepare, put = self.preparation(cell, drawn), self.jax.device_put
        if self.task == "forward":
            return [partial(self._forward, put(prepare(each.ids))) for each in drawn]
        return [partial(self._train, prepare, each.ids, put(each.gradients)) for each in drawn]

    def _forward(self, ids: Any) -> Any:
        return self.lookup(self.table, ids).block_until_ready()

    def _train(self, prepare: Any, ids: npt.NDArray[np.int32], gradients: Any) -> Any:
        given = (self.table, self.slots, prepare(ids), gradients)
        self.table, self.slots, sums = self.jax.block_until_ready(self.step(*given))
        return sums

    def _one_step(self, table: Any, slots: Any, ids: Any, gradients: Any) -> Any:
        sums = self.sparsecore.lookup(table, ids)
        # Gradients come out of the sums in a model, so that the update waits for the lookup.
        rate = self.jax.numpy.where(sums[0, 0] == np.inf, 0, LEARNING_RATE)
        table, slots = self.sparsecore.grad_update(
            table, slots, ids, None, gradients, optimizer=self.optimizer, learning_rate=rate
        )
        return table, slots, sums

    def rows(self, ids: npt.NDArray[np.int32]) -> npt.NDArray[np.float32]:
        return np.asarray(self.table)[ids]


def call_costs() -> dict[str, float]:
    """Time jitted calls that do next to nothing, in seconds."""
    import ffi
    import jax

    from sdykit.sparsecore import lookup

    ffi.register_empty()
    numpy = jax.numpy
    rows, ids, x = numpy.ones((1000, 8)), numpy.zeros((8, 1), numpy.int32), numpy.ones(8)
    look_up, empty = jax.jit(lookup), jax.jit(ffi.empty)
    calls: dict[str, Callable[[], Any]] = {
        "lookup": lambda: look_up(rows, ids).block_until_ready(),
        "empty": lambda: empty(x).block_until_ready(),
    }
    return ffi.best(calls, runs=300, repeat=20)


class Buffers(Ours):
    """The same on the buffers that `preprocess` makes of the ids."""

    layout: ClassVar[Layout] = "sdykit"

    def laid_out(self, natural: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        parts = natural.reshape(-1, SPARSE_CORES, natural.shape[1])
        return parts.swapaxes(0, 1).reshape(natural.shape)

    def preparation(self, cell: Cell, drawn: list[Batch]) -> Callable[[Any], Any]:
        from sdykit.sparsecore import DeviceBuffers
        from sdykit.sparsecore.preprocess import preprocess

        def preprocessed(ids: npt.NDArray[np.int32], stack: Any) -> Any:
            return preprocess({"f": ids}, [stack], _system(), config=_config(), layout=self.layout)

        generous = _stack(cell, cell.batch * cell.valency + 64)
        needs = [preprocessed(each.ids, generous).statistics["t"] for each in drawn]
        exact = _stack(cell, max(int(each.required_buffer_size.max()) for each in needs))
        limit = max(int(each.max_ids.max()) for each in needs)

        def prepare(ids: npt.NDArray[np.int32]) -> Any:
            buffers = preprocessed(ids, exact).buffers["t"]
            found = DeviceBuffers.from_stack(buffers, exact, _system())
            return dataclasses.replace(found, max_ids_per_partition=limit)

        return prepare

    def rows(self, ids: npt.NDArray[np.int32]) -> npt.NDArray[np.float32]:
        part = ROWS // SPARSE_CORES
        return super().rows(ids % SPARSE_CORES * part + ids // SPARSE_CORES)


class Packed(Buffers):
    """The same on buffers without an index by sample, as those of jax-tpu-embedding are."""

    layout: ClassVar[Layout] = "jax_tpu_embedding"


def _system() -> Any:
    from sdykit.sparsecore import System

    return System(1, SPARSE_CORES)


def _config() -> Any:
    from sdykit.sparsecore import SparsecoreConfig

    return SparsecoreConfig(max_ids_per_chip_per_sample=UNLIMITED)


def _stack(cell: Cell, entries: int) -> Any:
    """Make the stack of a table, with buffers of so many entries for each SparseCore."""
    from sdykit.sparsecore import FeatureSpec, TableSpec
    from sdykit.sparsecore.stacking import stack

    spec = TableSpec(
        "t",
        ROWS,
        cell.width,
        max_ids_per_partition=UNLIMITED,
        max_unique_ids_per_partition=UNLIMITED,
        buffer_size_per_device=entries * SPARSE_CORES,
    )
    return stack([FeatureSpec("f", spec, cell.batch)], _system())[0]
