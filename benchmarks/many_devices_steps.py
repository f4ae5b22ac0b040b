"""Steps that `many_devices` times: what they are called with, and what they call."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

BATCH, ELEMENTS, ZIPF, SPARSE_CORES = 16_384, 1 << 26, 1.2, 4
IDS, BUFFERS, LIBRARY = "ids", "buffers", "primitives"
"""Where ids come from: raw ones, buffers, or buffers for the primitives of jax-tpu-embedding."""

EMPTY = """
func.func @empty(%place: memref<2xi32> {{sparsecore.place}}, %x: memref<1xf32>,
                 %offsets: memref<2x{devices}xi64> {{sparsecore.offsets}})
    attributes {{sparsecore.entry}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%c1) step (%c1) {{
    %value = memref.load %x[%c0] : memref<1xf32>
    memref.store %value, %x[%c0] : memref<1xf32>
  }}
  return
}}
"""


@dataclass(frozen=True)
class Cell:
    """A training step."""

    valency: int
    width: int
    ids: str
    optimizer: str
    source: str = "ids"

    def __str__(self) -> str:
        return f"{self.source}, {self.optimizer}, {self.ids}, {self.width} x {self.valency}"

    @property
    def rows(self) -> int:
        """The number of rows of the table: a million, or fewer of wide ones."""
        return min(1 << 20, ELEMENTS // self.width)


def make_state(cell: Cell, devices: int) -> dict[str, Any]:
    """Return the mesh, the table and the slots, and the ids of a batch."""
    import jax
    import jax.numpy as jnp
    import numpy as np
    from jax.sharding import Mesh, NamedSharding, PartitionSpec

    mesh = Mesh(np.array(jax.devices()[:devices]), ("x",))
    split = NamedSharding(mesh, PartitionSpec("x"))
    ones = jax.jit(lambda: jnp.ones((cell.rows, cell.width), jnp.float32), out_shardings=split)
    slots = {"accumulator": ones()} if cell.optimizer == "Adagrad" else {}
    batch = draw(cell)
    if cell.source != IDS:
        batch = preprocessed(cell, batch, devices)
    return {"mesh": mesh, "held": (ones(), slots), "batch": jax.device_put(batch, split)}


def draw(cell: Cell) -> Any:
    """Return the raw ids of a batch."""
    import numpy as np

    random = np.random.default_rng(0)
    shape = (BATCH, cell.valency)
    if cell.ids == "zipf":
        ids = np.minimum(random.zipf(ZIPF, shape), 2**60) % cell.rows
    else:
        ids = random.integers(0, cell.rows, shape)
    return ids.astype(np.int32)


def preprocessed(cell: Cell, ids: Any, devices: int) -> Any:
    """Return a batch as buffers without an index by sample, which have room for its entries alone."""
    from sdykit.sparsecore import DeviceBuffers, FeatureSpec, SparsecoreConfig, System, TableSpec
    from sdykit.sparsecore.preprocess import preprocess
    from sdykit.sparsecore.stacking import stack

    system, many = System(devices, SPARSE_CORES), 1 << 30
    config = SparsecoreConfig(max_ids_per_chip_per_sample=many)

    def made(entries: int) -> tuple[Any, Any]:
        table = TableSpec(
            "t",
            cell.rows,
            cell.width,
            max_ids_per_partition=many,
            max_unique_ids_per_partition=many,
            buffer_size_per_device=entries,
        )
        (found,) = stack([FeatureSpec("f", table, BATCH)], system)
        return found, preprocess(
            {"f": ids}, [found], system, config=config, layout="jax_tpu_embedding"
        )

    # Each of a SparseCore's segments is padded to 8.
    generous = ids.size // devices + 8 * SPARSE_CORES**2 * devices
    _, first = made(SPARSE_CORES * generous)
    needed = first.statistics["t"]
    found, done = made(SPARSE_CORES * int(needed.required_buffer_size.max()))
    buffers = DeviceBuffers.from_stack(done.buffers["t"], found, system)
    limit = int(needed.max_ids.max())
    return dataclasses.replace(
        buffers, max_ids_per_partition=limit, max_unique_ids_per_partition=limit
    )


def make_step(cell: Cell, devices: int, state: dict[str, Any]) -> Callable[[], object]:
    """Return a function that runs a step, which has been compiled and has run."""
    import jax
    from jax.sharding import PartitionSpec

    import sdykit.sparsecore as sc
    from sdykit.sparsecore.optimizers import SGD, Adagrad

    optimizer = {"SGD": SGD(0.01), "Adagrad": Adagrad(0.01)}[cell.optimizer]

    def own_step(held: Any, batch: Any) -> Any:
        table, slots = held
        rows = sc.lookup(table, batch)
        return sc.grad_update(table, slots, batch, None, rows, optimizer=optimizer)

    step = step_of_library(cell) if cell.source == LIBRARY else own_step
    if devices > 1:
        split = PartitionSpec("x")
        mapped = jax.shard_map(
            step, mesh=state["mesh"], in_specs=split, out_specs=split, check_vma=False
        )
    else:
        mapped = step
    jitted = jax.jit(mapped, donate_argnums=0)

    def run() -> object:
        state["held"] = jax.block_until_ready(jitted(state["held"], state["batch"]))
        return state

    run()
    return run


def step_of_library(cell: Cell) -> Callable[[Any, Any], Any]:
    """Return a step by the primitives of jax-tpu-embedding."""
    import jax.numpy as jnp
    from jax_tpu_embedding.sparsecore.lib.core.primitives import (
        sparse_dense_matmul_csr,
        sparse_dense_matmul_grad_with_adagrad,
        sparse_dense_matmul_grad_with_sgd,
    )

    look_up = sparse_dense_matmul_csr.tpu_sparse_dense_matmul_csr_primitive
    update = {
        "SGD": sparse_dense_matmul_grad_with_sgd.tpu_sparse_dense_matmul_grad_with_sgd_primitive,
        "Adagrad": (
            sparse_dense_matmul_grad_with_adagrad.tpu_sparse_dense_matmul_grad_with_adagrad_primitive
        ),
    }[cell.optimizer]

    def step(held: Any, batch: Any) -> Any:
        table, slots = held
        limits = {
            "max_ids_per_partition": batch.max_ids_per_partition,
            "max_unique_ids_per_partition": batch.max_unique_ids_per_partition,
        }
        samples = batch.samples_per_core * batch.sparse_cores
        arrays = (batch.row_pointers, batch.embedding_ids, batch.sample_ids, batch.gains)
        given = (*arrays, jnp.int32(1))
        rows = look_up.bind(
            *given,
            table,
            device_batch_size=samples,
            sharding_strategy=1,
            quantization_config=None,
            enable_minibatching=False,
            **limits,
        )
        found = update.bind(
            *given,
            table,
            *slots.values(),
            rows,
            jnp.float32(0.01),
            computation_name="t",
            sharding_strategy=1,
            enable_minibatching=False,
            **limits,
        )
        table, *others = found if update.multiple_results else [found]
        return table, dict(zip(slots, others, strict=True))

    return step


def make_empty_step(devices: int) -> Callable[[], object]:
    """Return a function that runs two programs for all devices, which do nothing."""
    import jax
    import numpy as np
    from jax.sharding import Mesh, NamedSharding, PartitionSpec

    from sdykit.bridge import ffi
    from sdykit.bridge.embedding.axes import Axes

    mesh, split = Mesh(np.array(jax.devices()[:devices]), ("x",)), PartitionSpec("x")
    axes, program = Axes(("x",), (devices,)), EMPTY.format(devices=devices)

    def step(x: Any) -> Any:
        for _ in range(2):
            (x,) = ffi.call(program, [x], [x], input_output_aliases={1: 0}, place=axes.place())
        return x

    jitted = jax.jit(
        jax.shard_map(step, mesh=mesh, in_specs=split, out_specs=split), donate_argnums=0
    )
    held = [jax.device_put(np.ones(devices, np.float32), NamedSharding(mesh, split))]

    def run() -> object:
        held[0] = jitted(held[0])
        return held[0].block_until_ready()

    run()
    return run


def added_by_format(buffers: Any) -> tuple[int, int]:
    """Return the numbers of row pointers, and of entries that pad segments, on all devices."""
    import numpy as np

    width = max(buffers.num_devices * buffers.sparse_cores, 8)
    pointers = np.asarray(buffers.row_pointers).reshape(-1, width)
    ends = pointers[:, : buffers.num_devices * buffers.sparse_cores]
    return pointers.size, int((-ends % 8).sum())
