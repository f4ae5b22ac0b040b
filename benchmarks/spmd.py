"""Time of `sdykit.spmd.run` beside plain JAX: a training step on eight simulated devices.

    python benchmarks/spmd.py

Both take arrays of the host and return such; ours splits and joins them in Python, and compiles without
optimizations. The medians of runs that take turns are compared.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P
from report import Cells, Table, arguments, figure, publish, seconds

sys.path.insert(0, str(Path(__file__).parents[1]))

from examples.models import recommender, transformer
from examples.models.program import Program
from sdykit import spmd

DEVICES = 8
RUNS = 7


def subjects(quick: bool) -> dict[str, Program]:
    """Return the programs by name."""
    found = {"recommender": recommender.program(), "transformer": transformer.program()}
    if not quick:
        loop = transformer.Config(scan=True, layers=8)
        found["transformer, 8 layers in a loop"] = transformer.program(loop)
    return found


def with_jax(program: Program) -> Callable[[list[np.ndarray]], Any]:
    """Return a function of the arrays that runs a program with JAX, on a mesh like its own."""
    sizes = tuple(program.mesh.shape.values())
    mesh = Mesh(np.array(jax.devices("cpu")[:DEVICES]).reshape(sizes), program.mesh.axis_names)

    def bound(specs: Any) -> Any:
        return jax.tree.map(
            lambda spec: NamedSharding(mesh, spec), specs, is_leaf=lambda each: isinstance(each, P)
        )

    jitted = jax.jit(
        program.fn,
        in_shardings=bound(program.in_shardings),
        out_shardings=bound(program.out_shardings),
    )
    tree = jax.tree.structure(program.args)

    def run(arrays: list[np.ndarray]) -> Any:
        with jax.set_mesh(mesh):
            return jax.device_get(jitted(*jax.tree.unflatten(tree, arrays)))

    return run


def measure(name: str, program: Program) -> Cells:
    """Return the row of a program."""
    text = program.text()
    made: list[spmd.Partitioned] = []
    partition = seconds(lambda: made.append(spmd.partition(text)))
    (partitioned,) = made
    inputs = [abs(each) for each in spmd.random_inputs(partitioned)]
    theirs = with_jax(program)
    first = seconds(lambda: spmd.run_partitioned(partitioned, inputs))
    first_of_jax = seconds(lambda: theirs(inputs))
    ours, jaxs = [], []
    for _ in range(RUNS):
        ours.append(seconds(lambda: spmd.run_partitioned(partitioned, inputs)))
        jaxs.append(seconds(lambda: theirs(inputs)))
    milliseconds = median(ours) * 1e3, median(jaxs) * 1e3
    return [
        name,
        figure(partition, ".2f", " s"),
        figure(first, ".2f", " s"),
        figure(first_of_jax, ".2f", " s"),
        *(figure(each, ".1f", " ms") for each in milliseconds),
        figure(milliseconds[0] / milliseconds[1], ".2f", "x"),
    ]


def main() -> None:
    """Measure all programs."""
    args = arguments(__doc__, quick="without the largest program").parse_args()
    jax.config.update("jax_num_cpu_devices", DEVICES)
    rows = [measure(name, program) for name, program in subjects(args.quick).items()]
    heads = ["training step", "partition", "first run", "of JAX", "run", "of JAX", "run/JAX"]
    publish("spmd.py", [Table("Partitioned programs on 8 simulated devices", heads, rows)], args)


if __name__ == "__main__":
    main()
