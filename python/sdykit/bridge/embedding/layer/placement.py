"""Placement of a layer's arrays: on one device, or split over axes of a mesh."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jax.experimental import multihost_utils
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec, SingleDeviceSharding

from sdykit.bridge.embedding.axes import AxisName
from sdykit.bridge.errors import BridgeError
from sdykit.bridge.host_devices import warn_of_few_threads

_HALF_BITS = 32


@dataclass(frozen=True)
class Place:
    """The devices of a layer's arrays, in the order that numbers them.

    Attributes:
        mesh: the mesh; None: one device, JAX's default.
        names: the names of the axes that arrays are split over.
    """

    mesh: Mesh | None
    names: tuple[str, ...]

    @property
    def devices(self) -> int:
        """Number of devices that a table is split over."""
        return 1 if self.mesh is None else math.prod(self.mesh.shape[name] for name in self.names)

    @property
    def spec(self) -> PartitionSpec:
        """The partition spec of arrays."""
        return PartitionSpec(self.names) if self.names else PartitionSpec()

    @property
    def sharding(self) -> jax.sharding.Sharding:
        """The sharding of arrays."""
        if self.mesh is None:
            return SingleDeviceSharding(jax.local_devices()[0])
        return NamedSharding(self.mesh, self.spec)

    @property
    def processes(self) -> int:
        """Number of processes that have devices of the mesh."""
        if self.mesh is None:
            return 1
        return len({device.process_index for device in self.mesh.devices.flat})

    @property
    def local_devices(self) -> int:
        """Number of parts of an array that this process has."""
        return self.devices // self.processes

    def _is_inside(self) -> bool:
        """Return whether a function is traced for a part of the arrays, in a `shard_map`."""
        manual = jax.sharding.get_abstract_mesh().manual_axes
        return bool(self.names) and all(name in manual for name in self.names)

    def run(self, function: Callable[..., Any], *trees: Any, scalars: tuple[Any, ...] = ()) -> Any:
        """Call a function with this device's parts of pytrees, in a new `shard_map` unless inside one.

        `scalars` are further arguments: numbers and None stay what they are, arrays are replicated.
        """
        if self.mesh is None or self._is_inside():
            return function(*trees, *scalars)
        known = [each is None or isinstance(each, int | float) for each in scalars]
        traced = [each for each, is_known in zip(scalars, known, strict=True) if not is_known]

        def on_parts(*args: Any) -> Any:
            rest = iter(args[len(trees) :])
            values = [
                each if is_known else next(rest)
                for each, is_known in zip(scalars, known, strict=True)
            ]
            return function(*args[: len(trees)], *values)

        specs = (*[self.spec] * len(trees), *[PartitionSpec()] * len(traced))
        run = jax.shard_map(
            on_parts,
            mesh=self.mesh,
            in_specs=specs,
            out_specs=self.spec,
            axis_names=set(self.names),
        )
        return jax.jit(run)(*jax.tree.map(self._placed, trees), *traced)

    def _placed(self, x: Any) -> Any:
        """Return an argument of `run` on the devices of this placement."""
        if self.mesh is None:
            return x
        if isinstance(x, Tracer):
            # XLA moves arrays whose sharding it chooses; with explicit axes the type has the sharding.
            explicit = AxisType.Explicit in self.mesh.axis_types
            is_here = not explicit or _first(jax.typeof(x).sharding.spec) == self.names
            return x if is_here else jax.reshard(x, self.sharding)
        is_here = isinstance(x, jax.Array) and x.sharding.is_equivalent_to(self.sharding, x.ndim)
        return x if is_here else jax.device_put(x, self.sharding)

    def put(self, local: Any) -> jax.Array:
        """Return the array that holds this process's parts, split along the first dimension."""
        if self.mesh is None:
            return jax.device_put(local, self.sharding)
        return jax.make_array_from_process_local_data(self.sharding, local)

    def put_parts(self, make: Callable[[int], np.ndarray], rows: int, dim: int) -> jax.Array:
        """Return the array whose parts `[rows, dim]` a function returns for each device's number."""
        if self.mesh is None:
            return jax.device_put(make(0), self.sharding)

        def part(index: Any) -> np.ndarray:
            return make((index[0].start or 0) // rows)

        return jax.make_array_from_callback((rows * self.devices, dim), self.sharding, part)

    def make(self, function: Callable[..., jax.Array], value: Any) -> jax.Array:
        """Return an array that is computed on the devices.

        `function(device, value)` returns the part of the device of this number.
        """
        if self.mesh is None:
            run = jax.jit(lambda value: function(jnp.int32(0), value), out_shardings=self.sharding)
            return run(value)

        def part(value: Any) -> jax.Array:
            return function(jnp.asarray(jax.lax.axis_index(self.names), jnp.int32), value)

        run = jax.shard_map(
            part,
            mesh=self.mesh,
            in_specs=PartitionSpec(),
            out_specs=self.spec,
            axis_names=set(self.names),
            check_vma=False,
        )
        return jax.jit(run)(value)

    def fetch(self, array: jax.Array) -> np.ndarray:
        """Return a whole array on the host."""
        if self.processes == 1:
            return np.asarray(array)
        return np.asarray(multihost_utils.process_allgather(array, tiled=True))


def _first(spec: PartitionSpec) -> tuple[str, ...]:
    """Return the axes that the first dimension is split over."""
    first = spec[0] if len(spec) else None
    return (first,) if isinstance(first, str) else tuple(first or ())


def make_place(mesh: Mesh | None, axis_name: AxisName) -> Place:
    """Return the placement of a layer's arrays.

    Raises:
        BridgeError: the mesh has no such axis, or not all processes would have a part.
    """
    if mesh is None:
        if axis_name is not None:
            raise BridgeError(
                f"Embedding: axis_name is {axis_name!r} without a mesh; expected None"
            )
        return Place(None, ())
    if not isinstance(mesh, Mesh):
        raise BridgeError(f"Embedding: mesh is {mesh!r}; expected a jax.sharding.Mesh, or None")
    names = (axis_name,) if isinstance(axis_name, str) else tuple(axis_name or mesh.axis_names)
    for number, name in enumerate(names):
        if name not in mesh.axis_names or name in names[:number]:
            raise BridgeError(
                f"Embedding: axis_name is {axis_name!r}; expected each axis once, among "
                f"{', '.join(map(repr, mesh.axis_names))}"
            )
    place = Place(mesh, names)
    if place.processes > 1 and place.devices != mesh.size:
        raise BridgeError(
            f"Embedding: axis_name is {axis_name!r}, {place.devices} of {mesh.size} devices; "
            f"expected all axes of the mesh, as it has {place.processes} processes"
        )
    warn_of_few_threads()
    return place


def agree_over_processes(bits: int) -> int:
    """Return the bitwise or of the bits of all processes, which must call this equally often."""
    # JAX has 64-bit numbers only if they are enabled.
    halves = np.array([bits & (2**_HALF_BITS - 1), bits >> _HALF_BITS], np.uint32)
    everyone = np.asarray(multihost_utils.process_allgather(halves)).reshape(-1, 2)
    low, high = (functools.reduce(operator.or_, map(int, each)) for each in everyone.T)
    return low | high << _HALF_BITS
