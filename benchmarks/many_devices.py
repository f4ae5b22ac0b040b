"""Time training steps on 1 to 16 devices of one process, at a fixed batch in all.

    python benchmarks/many_devices.py                          # print the tables
    python benchmarks/many_devices.py --quick                  # two cells, fewer runs
    python benchmarks/many_devices.py --write docs/benchmarks.md

A step looks up rows and updates them, in one program; table and slots are donated. It is given raw ids, or
buffers of preprocessing without an index, or calls the primitives of jax-tpu-embedding on these. On each number
of devices it runs in the memory that they share, and by XLA's collectives, as devices of several processes
do. Buffers have more row pointers and padding on more devices: how much is in a table of its own. An empty step has two programs for all devices that do nothing: what it takes is not the step's. All take
turns in one process; figures are medians. The aim is, on any number of devices, 1.3 times the time of one
device and that of the empty step.
"""

from __future__ import annotations

import dataclasses
import os
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from unittest import mock

from report import Cells, Figures, Table, arguments, figure, publish, seconds
from rich.console import Console

BATCH, ELEMENTS, ZIPF, AIM = 16_384, 1 << 26, 1.2, 1.3
DEVICES, SPARSE_CORES = (1, 2, 4, 8, 16), 4
os.environ["XLA_FLAGS"] = (
    f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count={DEVICES[-1]}"
)

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


IDS, BUFFERS, LIBRARY = "ids", "buffers", "primitives"
SOURCES = (IDS, BUFFERS, LIBRARY)
QUICK = [
    Cell(*each, source)
    for each in ((1, 64, "uniform", "SGD"), (16, 16, "zipf", "Adagrad"))
    for source in SOURCES
]
CELLS = [
    Cell(valency, width, ids, optimizer, source)
    for source in SOURCES
    for valency in (1, 16)
    for width in (16, 64, 128)
    for ids in ("uniform", "zipf")
    for optimizer in ("SGD", "Adagrad")
]


def main() -> None:
    """Run the benchmark."""
    args = arguments(__doc__, quick="two cells, fewer runs").parse_args()
    cells, runs = (QUICK, 7) if args.quick else (CELLS, 21)
    rows: list[Cells] = []
    missed: set[int] = set()
    with Console(stderr=True).status("measuring") as status:
        for cell in cells:
            status.update(str(cell))
            measured = medians(cell, runs)
            empty = [figure(1e3 * measured["empty", devices], ".2f") for devices in DEVICES]
            if is_missed(measured):
                missed.add(len(rows))
            rows.append([str(cell), *(shown(measured, devices) for devices in DEVICES), empty[-1]])
    heads = ["step, width x valency", "1 device", *(f"{each} devices" for each in DEVICES[1:])]
    heads.append("empty step on 16")
    notes = [
        f"ms: by collectives → in memory (aim: {AIM} times one device, and the empty step).",
    ]
    publish("many_devices.py", [Table("Devices of a process", heads, rows, missed, notes)], args)


Measured = dict[tuple[str, int], float]


def allowed(measured: Measured, devices: int) -> float:
    """Return the time that the aim allows a step, in seconds."""
    return AIM * measured["memory", 1] + measured["empty", devices]


def is_missed(measured: Measured) -> bool:
    """Return whether a step takes more than the aim allows."""
    several = DEVICES[1:]
    return any(measured["memory", each] > allowed(measured, each) for each in several)


def shown(measured: Measured, devices: int) -> Figures:
    """Return the cell of the table for a number of devices."""
    now = 1e3 * measured["memory", devices]
    if devices == 1:
        return figure(now, ".2f")
    before = 1e3 * measured["collectives", devices]
    aim = 1e3 * allowed(measured, devices)
    return Figures(f"{before:.1f} → {now:.2f} ({aim:.2f})", (now, before))


def medians(cell: Cell, runs: int) -> Measured:
    """Return the median time of each kind of step on each number of devices, in seconds."""
    steps: dict[tuple[str, int], Callable[[], object]] = {}
    for devices in DEVICES:
        state = make_state(cell, devices)
        steps["memory", devices] = make_step(cell, devices, state)
        if devices > 1:
            with mock.patch("sdykit.bridge.embedding.axes.Axes.are_in_one_process") as are_near:
                are_near.return_value = False
                steps["collectives", devices] = make_step(cell, devices, state)
        steps["empty", devices] = make_empty_step(devices)
    times: dict[tuple[str, int], list[float]] = {key: [] for key in steps}
    for _ in range(runs):
        for key, step in steps.items():
            times[key].append(seconds(step))
    return {key: statistics.median(each) for key, each in times.items()}


def make_state(cell: Cell, devices: int) -> dict[str, Any]:
    """Return the mesh, the table and the slots, and the ids of a batch."""
    import jax
    import jax.numpy as jnp
    import numpy as np
    from jax.sharding import Mesh, NamedSharding, PartitionSpec

    mesh = Mesh(np.array(jax.devices()[:devices]), ("x",))
    split = NamedSharding(mesh, PartitionSpec("x"))
    random = np.random.default_rng(0)
    shape = (BATCH, cell.valency)
    if cell.ids == "zipf":
        ids = np.minimum(random.zipf(ZIPF, shape), 2**60) % cell.rows
    else:
        ids = random.integers(0, cell.rows, shape)
    ones = jax.jit(lambda: jnp.ones((cell.rows, cell.width), jnp.float32), out_shardings=split)
    slots = {"accumulator": ones()} if cell.optimizer == "Adagrad" else {}
    batch: Any = ids.astype(np.int32)
    if cell.source != IDS:
        batch = preprocessed(cell, batch, devices)
    return {"mesh": mesh, "held": (ones(), slots), "batch": jax.device_put(batch, split)}


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


if __name__ == "__main__":
    main()
