"""Runs programs on eight CPU devices, in a process of its own: the tests' process has one device."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any, Self, TypeVar

import jax
import numpy as np

from sdykit.mlir import ir, make_context
from sdykit.mpmd import Executable, ExecutionError, Span, interpret
from sdykit.mpmd.program import topology_of
from support.mpmd.checks import inputs_of, main_function
from support.mpmd.programs import random_program

DEVICES = 8

Result = TypeVar("Result")


@dataclass(frozen=True)
class Ran:
    """The outcome of a run of a program, as it can be pickled."""

    results: list[np.ndarray]
    devices: list[list[int]]
    """The ids of the devices of each result."""
    parts: list[list[np.ndarray]]
    """The parts of each result, in the order of its devices."""
    kinds: list[str | None]
    """The memory kind of each result."""
    deleted: list[bool]
    """Whether each input has been deleted."""
    spans: list[Span]


class OnDevices:
    """A process with eight devices."""

    def __init__(self) -> None:
        self._pool = ProcessPoolExecutor(1, get_context("spawn"), _start)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown()

    def __call__(self, fn: Callable[..., Result], *args: Any, **kwargs: Any) -> Result:
        """Call a function of a module there; its arguments and result are pickled."""
        return self._pool.submit(fn, *args, **kwargs).result(timeout=300)

    def run(self, text: str, *inputs: np.ndarray, **kwargs: Any) -> Ran:
        return self(ran, text, inputs, **kwargs)


def _start() -> None:
    jax.config.update("jax_num_cpu_devices", DEVICES)


def ran(
    text: str,
    inputs: Sequence[np.ndarray],
    devices: dict[str, list[int]] | None = None,
    times: int = 1,
) -> Ran:
    """Run a program, and return the last run; devices are given by ids.

    The inputs are placed as it expects them, so that they need not be copied.
    """
    wanted = None
    if devices is not None:
        wanted = {name: [jax.devices()[at] for at in ids] for name, ids in devices.items()}
    program = Executable(text, devices=wanted)
    results, arrays, spans = [], [], []
    for _ in range(times):
        with jax.enable_x64(True):
            arrays = [
                jax.device_put(each, argument.sharding, may_alias=False)
                for each, argument in zip(inputs, program.arguments, strict=True)
            ]
        results, spans = program.timed(arrays)
    return Ran(
        [np.asarray(each) for each in results],
        [[device.id for device in _devices(each)] for each in results],
        [_parts(each) for each in results],
        [each.sharding.memory_kind for each in results],
        [each.is_deleted() for each in arrays],
        spans,
    )


def _parts(array: jax.Array) -> list[np.ndarray]:
    on = {shard.device: np.asarray(shard.data) for shard in array.addressable_shards}
    return [on[device] for device in _devices(array)]


def _devices(array: jax.Array) -> list[Any]:
    """Return the devices of an array in the order of its mesh."""
    sharding: Any = array.sharding
    return list(sharding.mesh.devices.flat)


def compared(seed: int) -> str:
    """Run a random program here and by the interpreter: `equal`, or what differs or is rejected.

    All meshes share devices: there are not enough for each to have its own.
    """
    text = random_program(seed)
    module = ir.Module.parse(text, make_context())
    inputs = inputs_of(module, seed)
    topology = topology_of(main_function(module))
    assert topology is not None
    devices = {each.name: jax.devices()[: each.mesh.total_size] for each in topology.meshes}
    try:
        expected = interpret(text, inputs)
        found = Executable(text, devices=devices)(inputs)
    except ExecutionError as error:
        return f"rejected: {error}"
    for index, (one, other) in enumerate(zip(expected, found, strict=True)):
        if not np.allclose(_wide(one), _wide(other), rtol=1e-2, equal_nan=True):
            return f"differs: program {seed}, result #{index}: {one} and {other}"
    return "equal"


def _wide(array: Any) -> np.ndarray:
    """Return an array with elements that numpy can compare."""
    array = np.asarray(array)
    return array.astype(complex if array.dtype.kind == "c" else float)
