"""Run a program on random inputs, to see its schedule."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from sdykit.bridge.host_devices import ensure_threads
from sdykit.mlir import ir
from sdykit.mpmd.execution.devices import count_needed
from sdykit.mpmd.execution.executable import Executable
from sdykit.mpmd.execution.workers import Span
from sdykit.mpmd.program import program_of, topology_of


def run_sample(module: ir.Module | str, function: str, runs: int) -> tuple[Executable, list[Span]]:
    """Run a program on random inputs, and return it with the spans of the last run.

    JAX gets as many CPU devices as the meshes need, if it has not been used in this process.

    Args:
        module: the program, or its text.
        function: the name of the function to run.
        runs: the number of runs; the first one is slower than the others.

    Raises:
        ExecutionError: see `Executable`.
    """
    topology = topology_of(program_of(module).function(function))
    if topology is not None:
        jax.config.update("jax_num_cpu_devices", max(1, count_needed(topology)))
        ensure_threads()
    executable = Executable(module, function)
    random = np.random.default_rng(0)
    inputs = [_drawn(random, each) for each in executable.arguments]
    spans: list[Span] = []
    for _ in range(runs):
        _, spans = executable.timed(inputs)
    return executable, spans


def _drawn(random: np.random.Generator, argument: jax.ShapeDtypeStruct) -> Any:
    """Return an array for an argument: small numbers around 0, or zeros for what may be an index."""
    dtype = np.dtype(argument.dtype)
    if dtype.kind in "iub":
        return np.zeros(argument.shape, dtype)
    return (0.1 * random.normal(size=argument.shape)).astype(dtype)
