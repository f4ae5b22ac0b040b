"""Where a layer's arrays are: on one device, or split over axes of a mesh."""

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

_HALF = 32


@dataclass(frozen=True)
class Place:
    """Devices, in the order in which they count.

    Attributes:
        mesh: None: one device, JAX's default.
        names: axes that arrays are split over.
    """

    mesh: Mesh | None
    names: tuple[str, ...]

    @property
    def devices(self) -> int:
        """Devices that hold a table together."""
        return 1 if self.mesh is None else math.prod(self.mesh.shape[name] for name in self.names)

    @property
    def spec(self) -> PartitionSpec:
        """How arrays are split."""
        return PartitionSpec(self.names) if self.names else PartitionSpec()

    @property
    def sharding(self) -> jax.sharding.Sharding:
        """Where arrays are."""
        if self.mesh is None:
            return SingleDeviceSharding(jax.local_devices()[0])
        return NamedSharding(self.mesh, self.spec)

    @property
    def processes(self) -> int:
        """Processes that have devices of the mesh."""
        if self.mesh is None:
            return 1
        return len({device.process_index for device in self.mesh.devices.flat})

    @property
    def local_devices(self) -> int:
        """Parts of an array that this process has."""
        return self.devices // self.processes

    def _is_inside(self) -> bool:
        """Tell whether a function is traced for a part of the arrays."""
        manual = jax.sharding.get_abstract_mesh().manual_axes
        return bool(self.names) and all(name in manual for name in self.names)

    def run(self, function: Callable[..., Any], *trees: Any, scalars: tuple[Any, ...] = ()) -> Any:
        """Call a function on this device's parts of pytrees, in a `shard_map` if in none."""
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
        """Bring what `run` is given to where it belongs, if it is elsewhere."""
        if self.mesh is None:
            return x
        if isinstance(x, Tracer):
            # XLA moves arrays where it chooses shardings; elsewhere types say where they are.
            explicit = AxisType.Explicit in self.mesh.axis_types
            is_here = not explicit or _first(jax.typeof(x).sharding.spec) == self.names
            return x if is_here else jax.reshard(x, self.sharding)
        is_here = isinstance(x, jax.Array) and x.sharding.is_equivalent_to(self.sharding, x.ndim)
        return x if is_here else jax.device_put(x, self.sharding)

    def put(self, local: Any) -> jax.Array:
        """Put what this process has of an array, along its first dimension."""
        if self.mesh is None:
            return jax.device_put(local, self.sharding)
        return jax.make_array_from_process_local_data(self.sharding, local)

    def put_parts(self, make: Callable[[int], np.ndarray], rows: int, dim: int) -> jax.Array:
        """Put the parts `[rows, dim]` that a function gives for the devices of this process."""
        if self.mesh is None:
            return jax.device_put(make(0), self.sharding)

        def part(index: Any) -> np.ndarray:
            return make((index[0].start or 0) // rows)

        return jax.make_array_from_callback((rows * self.devices, dim), self.sharding, part)

    def make(self, function: Callable[..., jax.Array], value: Any) -> jax.Array:
        """Make an array on the devices: `function(number of the device, value)` gives its part."""
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
        """Bring an array to the host, whole."""
        if self.processes == 1:
            return np.asarray(array)
        return np.asarray(multihost_utils.process_allgather(array, tiled=True))


def _first(spec: PartitionSpec) -> tuple[str, ...]:
    """Give the axes that the first dimension is split over."""
    first = spec[0] if len(spec) else None
    return (first,) if isinstance(first, str) else tuple(first or ())


def make_place(mesh: Mesh | None, axis_name: AxisName) -> Place:
    """Find the devices of a layer.

    Raises:
        BridgeError: the mesh has no such axis, or the processes have no part each.
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
                f"Embedding: axis_name is {axis_name!r}; expected different axes among "
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
    """Give the bitwise or of what all processes pass; each calls this equally often."""
    # JAX has no 64 bits unless it is told to.
    halves = np.array([bits & (2**_HALF - 1), bits >> _HALF], np.uint32)
    everyone = np.asarray(multihost_utils.process_allgather(halves)).reshape(-1, 2)
    low, high = (functools.reduce(operator.or_, map(int, each)) for each in everyone.T)
    return low | high << _HALF
