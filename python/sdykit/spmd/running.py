"""`run`: a module on its devices, simulated on this machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from sdykit.core.diagnostics import emit
from sdykit.mlir import ir
from sdykit.plurals import counted
from sdykit.spmd.devices import parts
from sdykit.spmd.devices.client import XlaError, run_replicas
from sdykit.spmd.errors import SpmdError
from sdykit.spmd.from_jax import Program, lowered
from sdykit.spmd.inserting import Collectives, module_of, with_collectives
from sdykit.spmd.partitioning import Partitioned, Value, partition_function
from sdykit.spmd.values import array_for, dtype_of

Devices = Literal["simulated"]
"""Where programs run: on CPU devices of this process, as many as the mesh has."""

_COMBINE: dict[str, parts.Combine] = {
    "stablehlo.add": np.add,
    "stablehlo.and": np.bitwise_and,
    "stablehlo.maximum": np.maximum,
    "stablehlo.minimum": np.minimum,
    "stablehlo.multiply": np.multiply,
    "stablehlo.or": np.bitwise_or,
}


def run(
    module: Program,
    inputs: Sequence[Any],
    function: str | None = None,
    *,
    devices: Devices = "simulated",
    collectives: Collectives | None = None,
    mesh: Any = None,
    in_shardings: Any = None,
    out_shardings: Any = None,
) -> list[np.ndarray]:
    """Run a module on all devices of its mesh, each with its parts of the tensors, and return its results.

    Each device runs the same local program, which XLA compiles for as many CPU devices of this process
    as the mesh has. Where an op cannot be run on parts as they are, tensors are gathered, and a remark
    says so, once for each kind of op.

    Args:
        module: the module, which is not changed, or its text; or a JAX function.
        inputs: an array for each argument, of its global shape and dtype; the arguments of a JAX
            function, arrays or trees of them.
        function: the function of the module to run; by default `main`, or the only one.
        devices: where to run: on simulated devices.
        collectives: who moves data between devices: the `explicit` collectives of the program and
            nothing else; `implicit`, whatever its shardings ask for; or those that our passes `insert`
            first. None: `explicit` if it has collectives, else `insert`.
        mesh: the mesh of a JAX function, which needs no devices; see `sdykit.bridge.from_jax.lower`.
        in_shardings: the shardings of its arguments.
        out_shardings: the shardings of its results.

    Returns:
        The results, arrays of their global shapes; of a JAX function the leaves of what it returns.

    Raises:
        SpmdError: the module is invalid, the inputs do not fit it, an op cannot be run, or devices that
            should hold the same part of a result hold other values.
    """
    if devices != "simulated":
        raise SpmdError(f"devices: expected 'simulated', found {devices!r}")
    module, arrays = lowered(
        module, inputs, mesh=mesh, in_shardings=in_shardings, out_shardings=out_shardings
    )
    program = partition(module, function, collectives=collectives)
    for note in program.notes:
        emit(note)
    return run_partitioned(program, random_inputs(program) if arrays is None else arrays)


def partition(
    module: ir.Module | str,
    function: str | None = None,
    *,
    collectives: Collectives | None = None,
) -> Partitioned:
    """Return the program of one device of a module; see `run`.

    Raises:
        SpmdError: the module is invalid, or has an op that cannot be run.
    """
    copy = module_of(module)
    communication = with_collectives(copy, collectives)
    return partition_function(copy, communication, function)


def run_partitioned(program: Partitioned, inputs: Sequence[Any]) -> list[np.ndarray]:
    """Run a partitioned program; see `run`.

    Raises:
        SpmdError: the inputs do not fit it, XLA fails, or devices disagree.
    """
    arrays = run_on_devices(program, check_inputs(program, inputs))
    return [joined(value, each) for value, each in zip(program.results, arrays, strict=True)]


def run_on_devices(program: Partitioned, arrays: Sequence[np.ndarray]) -> list[list[np.ndarray]]:
    """Return what each device holds of each result, for global arrays.

    Raises:
        SpmdError: XLA cannot compile the program, or fails.
    """
    split = [
        parts.split(array, value.layout, program.devices)
        for array, value in zip(arrays, program.arguments, strict=True)
    ]
    try:
        return run_replicas(program.text, split, program.devices)
    except XlaError as error:
        raise SpmdError(f"XLA cannot run the program of a device: {error}") from None


def joined(value: Value, arrays: Sequence[np.ndarray]) -> np.ndarray:
    """Return a global array from what devices hold of it.

    Raises:
        SpmdError: devices that should hold the same part hold other values.
    """
    try:
        return parts.join(arrays, value.layout, value.shape, _COMBINE[value.reduction])
    except parts.ReplicasDiffer as error:
        raise SpmdError(f"{value.name}: {error}") from None


def check_inputs(program: Partitioned, inputs: Sequence[Any]) -> list[np.ndarray]:
    """Return the inputs as arrays.

    Raises:
        SpmdError: their number, a shape or a dtype is not what the function expects.
    """
    if len(inputs) != len(program.arguments):
        raise SpmdError(
            f"@{program.name} takes {counted(len(program.arguments), 'argument')}, found {len(inputs)}"
        )
    arrays = []
    for value, array in zip(program.arguments, inputs, strict=True):
        if not isinstance(value.type, ir.RankedTensorType):
            raise SpmdError(f"{value.name} has a type that cannot be run: {value.type}")
        try:
            arrays.append(array_for(value.name, value.type, array))
        except ValueError as error:
            raise SpmdError(str(error)) from None
    return arrays


def random_inputs(program: Partitioned, seed: int = 0) -> list[np.ndarray]:
    """Return random inputs: normal floats, small integers, booleans.

    Raises:
        SpmdError: an argument has elements that numpy cannot hold, or the seed is negative.
    """
    if seed < 0:
        raise SpmdError(f"seed: found {seed}; expected 0 or more")
    generator = np.random.default_rng(seed)
    return [_random(generator, value) for value in program.arguments]


def _random(generator: np.random.Generator, value: Value) -> np.ndarray:
    tensor = value.type
    dtype = dtype_of(tensor.element_type) if isinstance(tensor, ir.RankedTensorType) else None
    if dtype is None:
        raise SpmdError(f"{value.name} has a type that cannot be run: {tensor}")
    if dtype == np.bool_:
        return generator.integers(0, 2, value.shape).astype(dtype)
    if np.issubdtype(dtype, np.integer):
        return generator.integers(0, 4, value.shape).astype(dtype)
    numbers = generator.standard_normal(value.shape)
    if np.issubdtype(dtype, np.complexfloating):
        numbers = numbers + 1j * generator.standard_normal(value.shape)
    return np.asarray(numbers).astype(dtype)
