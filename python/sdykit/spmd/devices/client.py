"""Compile StableHLO and run it on CPU devices of this process, with XLA's CPU client."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import jax
import numpy as np
from jax.core import ShapedArray
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from jaxlib import xla_client

from sdykit.errors import SdykitError

_KEPT_EXECUTABLES = 16
"""The number of executables that are kept in any case: nobody looks how much memory they have mapped."""
_USUAL_LIMIT = 65530
_THREADS_PER_DEVICE = 2
"""The part of a collective of each device waits for the others on a thread of XLA's pool."""


class XlaError(SdykitError):
    """XLA rejects a computation, or fails while it runs; the text is XLA's."""


def run(text: str, arrays: Sequence[jax.Array]) -> list[jax.Array]:
    """Run `@main` of a StableHLO module on one device; each distinct text is compiled once.

    Raises:
        XlaError: it cannot be compiled, or fails.
    """
    with _xla_errors():
        return jax.block_until_ready(_executable(text, 1).execute(list(arrays)))


def run_replicas(
    text: str, inputs: Sequence[Sequence[np.ndarray]], devices: int
) -> list[list[np.ndarray]]:
    """Run `@main` of a StableHLO module on each of several devices at once; each text is compiled once.

    Args:
        text: the module.
        inputs: for each argument the array of each device.
        devices: the number of devices, which are XLA's replicas.

    Returns:
        For each result the array of each device.

    Raises:
        XlaError: it cannot be compiled, or fails.
    """
    with _xla_errors(), jax.enable_x64(True):
        executable = _executable(text, devices)
        arguments = [_on_devices(parts, devices) for parts in inputs]
        results = executable.execute_sharded(arguments).disassemble_into_single_device_arrays()
        return [[np.asarray(part) for part in parts] for parts in results]


def to_device(array: np.ndarray) -> jax.Array:
    """Return an array on the first device with its own dtype: JAX would narrow 64 bits to 32."""
    with jax.enable_x64(True):
        return jax.device_put(array, _client(1).local_devices()[0])


def to_numpy(array: jax.Array) -> np.ndarray:
    """Return a copy of an array on the host."""
    return np.array(array)


@contextmanager
def _xla_errors() -> Iterator[None]:
    try:
        yield
    except jax.errors.JaxRuntimeError as error:
        raise XlaError(str(error).strip()) from None


def _on_devices(parts: Sequence[np.ndarray], devices: int) -> Any:
    """Return an array of JAX whose shards are the parts, stacked along a new first dimension."""
    first = parts[0]
    if not first.ndim:  # A sharding needs a dimension, an executable does not look at the shape.
        spec, shape = PartitionSpec(), ()
    else:
        spec, shape = PartitionSpec("device"), (first.shape[0] * devices, *first.shape[1:])
    sharding = NamedSharding(_mesh(devices), spec)
    aval = ShapedArray(shape, first.dtype)
    buffers = [np.ascontiguousarray(part) for part in parts]
    return xla_client.batched_device_put(
        aval, sharding, buffers, list(_client(devices).local_devices())
    )


@cache
def _mesh(devices: int) -> Mesh:
    return Mesh(np.array(_client(devices).local_devices()), ("device",))


@cache
def _client(devices: int) -> Any:
    """Return a client of its own: JAX's has as many devices as its flags say, if it may have any."""
    before = os.environ.get("NPROC")
    os.environ["NPROC"] = str(max(_threads(before), _THREADS_PER_DEVICE * devices))
    try:
        return xla_client.make_cpu_client(num_devices=devices)
    finally:
        if before is None:
            del os.environ["NPROC"]
        else:
            os.environ["NPROC"] = before


def _threads(text: str | None) -> int:
    """Return the number of threads that XLA would have: `NPROC`, or else the number of cores."""
    return int(text) if text and text.isdigit() else os.cpu_count() or 1


def _executable(text: str, devices: int) -> Any:
    """Return a compiled program; those that were compiled before are kept while there is room for them."""
    if _compiled.cache_info().currsize >= _KEPT_EXECUTABLES and _mappings() > _limit() // 2:
        _compiled.cache_clear()
    return _compiled(text, devices)


def _mappings() -> int:
    """Return the number of memory mappings of this process, of which each kernel has its own; 0 if unknown."""
    try:
        return Path("/proc/self/maps").read_bytes().count(b"\n")
    except OSError:
        return 0


@cache
def _limit() -> int:
    """Return how many mappings a process may have; beyond, XLA ends it with a segmentation fault."""
    try:
        return int(Path("/proc/sys/vm/max_map_count").read_text())
    except OSError:
        return _USUAL_LIMIT


@lru_cache(maxsize=1024)
def _compiled(text: str, devices: int) -> Any:
    options = xla_client.CompileOptions()
    options.num_replicas = devices
    build = options.executable_build_options
    build.num_replicas = devices
    build.device_assignment = xla_client.DeviceAssignment.create(
        np.arange(devices).reshape(devices, 1)
    )
    # Most programs run once, so compile time matters more than run time.
    build.debug_options.xla_backend_optimization_level = 0
    client = _client(devices)
    return client.compile_and_load(
        text, xla_client.DeviceList(tuple(client.local_devices())), options
    )
