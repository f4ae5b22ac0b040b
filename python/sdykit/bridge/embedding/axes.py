"""The devices that a table is split over: axes of the mesh of `jax.shard_map`."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from jax._src import core

from sdykit.bridge.errors import BridgeError

AxisName = str | Sequence[str] | None

_BRANCHES = ("cond", "switch")
"""Functions of `jax.lax` with branches that may not run on all devices."""


@dataclass(frozen=True)
class Axes:
    """Manual axes of the mesh where a function is traced, in the order that numbers the devices.

    Attributes:
        names: the names of the axes; empty: the table is on one device.
        sizes: the size of each axis.
        in_branch: whether the function is traced in a branch, which other devices may not run.
    """

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    in_branch: bool = False

    @property
    def devices(self) -> int:
        """Number of devices that a table is split over."""
        return math.prod(self.sizes)

    def device(self) -> jax.Array:
        """Return the number of this device, an int32 scalar."""
        return jnp.asarray(jax.lax.axis_index(self.names), jnp.int32)

    def place(self) -> jax.Array:
        """Return the number of the group of devices that share a table, and this one's in it, int32 `[2]`."""
        others = tuple(
            name for name, size in manual_axes().items() if size > 1 and name not in self.names
        )
        group = jnp.asarray(jax.lax.axis_index(others), jnp.int32) if others else jnp.int32(0)
        device = self.device()
        axes = tuple(varying(device) | varying(group))
        pair = [
            jax.lax.pcast(each, tuple(set(axes) - varying(each)), to="varying")
            if set(axes) - varying(each)
            else each
            for each in (group, device)
        ]
        return jnp.stack(pair)

    def are_in_one_process(self) -> bool:
        """Return whether the devices are known to be of this process, and their places are known."""
        mesh = jax.sharding.get_abstract_mesh()
        are_manual = all(size == 1 or name in mesh.manual_axes for name, size in mesh.shape.items())
        return are_manual and jax.process_count() == 1

    def gather(self, x: jax.Array) -> jax.Array:
        """Return the arrays of all devices concatenated along the first dimension."""
        return jax.lax.all_gather(self.vary(x), self.names, axis=0, tiled=True)

    def exchange(self, parts: jax.Array) -> jax.Array:
        """Send the d-th part of the first dimension to device d; return the parts for this device."""
        return jax.lax.all_to_all(parts, self.names, split_axis=0, concat_axis=0, tiled=True)

    def vary(self, x: jax.Array) -> jax.Array:
        """Return an array whose type says that it may differ from device to device."""
        if not self._is_tracked():
            return x
        missing = tuple(name for name in self.names if name not in varying(x))
        return jax.lax.pcast(x, missing, to="varying") if missing else x

    def check_split(self, where: str, x: jax.Array) -> None:
        """Check that an array is not known to be the same on all devices.

        Raises:
            BridgeError: it is, along one of the axes.
        """
        if not self._is_tracked():
            return
        long = [name for name, size in zip(self.names, self.sizes, strict=True) if size > 1]
        same = [name for name in long if name not in varying(x)]
        if same:
            raise BridgeError(
                f"{where} is the same on all devices along {_quoted(same)}; expected a part of it "
                f"on each, by in_specs as P({_quoted(self.names)}), or an axis_name without it"
            )

    def _is_tracked(self) -> bool:
        """Return whether types tell what varies; they do not with `shard_map(..., check_vma=False)`."""
        return bool(self.names) and bool(varying(jax.lax.axis_index(self.names)))


def differing_axes(axes: Axes, arrays: Iterable[jax.Array]) -> Axes:
    """Return the axes along which devices may have different arrays.

    In a branch, they are those of the table: a collective over others would wait for devices that
    run another branch.

    Args:
        axes: the axes that the table is split over; they are among those that are returned.
        arrays: arrays of this device.
    """
    if axes.in_branch:
        return axes
    manual = manual_axes()
    everything = make_axes(tuple(name for name in manual if manual[name] > 1), manual)
    if not everything._is_tracked():
        return everything
    known = frozenset[Any](axes.names).union(*map(varying, arrays))
    return make_axes(tuple(name for name in everything.names if name in known), manual)


def _is_in_branch() -> bool:
    """Return whether a branch is traced within the innermost `shard_map`."""
    trace: Any = core.trace_ctx.trace  # JAX has no public name for it.
    while trace is not None:
        info = getattr(getattr(trace, "frame", None), "debug_info", None)
        function = getattr(info, "traced_for", None)
        if function in _BRANCHES:
            return True
        trace = None if function == "shard_map" else getattr(trace, "parent_trace", None)
    return False


def varying(x: Any) -> frozenset[Any]:
    """Return the axes that an array is known to vary over."""
    return jax.typeof(x).manual_axis_type.varying


def find_axes(where: str, axis_name: AxisName, devices: int | None) -> Axes:
    """Return the axes over which a table is split, where a user's function is traced.

    Args:
        where: the name of the function, for errors.
        axis_name: axes of the mesh; None: all that are manual, or with `devices` the only ones that
            have so many devices.
        devices: the number of devices that buffers were made for; None: not known.

    Raises:
        BridgeError: there is no such axis, or the number of devices is another.
    """
    axes = _find(where, axis_name, devices)
    return dataclasses.replace(axes, in_branch=_is_in_branch())


def _find(where: str, axis_name: AxisName, devices: int | None) -> Axes:
    manual = manual_axes()
    if axis_name is None:
        return _inferred(where, manual, devices)
    names = (axis_name,) if isinstance(axis_name, str) else tuple(axis_name)
    for number, name in enumerate(names):
        if name not in manual:
            known = _quoted(manual) if manual else "none: the call is not in a jax.shard_map"
            raise BridgeError(
                f"{where}: axis_name names {name!r}; the manual axes of the mesh are {known}"
            )
        if name in names[:number]:
            raise BridgeError(f"{where}: axis_name names {name!r} twice; expected each axis once")
    axes = make_axes(names, manual)
    if devices not in (None, axes.devices):
        raise _other_devices(where, axes, devices)
    return axes


def manual_axes() -> dict[str, int]:
    """Return the axes that are manual where a function is traced, with their sizes."""
    mesh = jax.sharding.get_abstract_mesh()
    return {name: mesh.shape[name] for name in mesh.axis_names if name in mesh.manual_axes}


def _inferred(where: str, manual: dict[str, int], devices: int | None) -> Axes:
    # Axes of one device do not matter.
    long = tuple(name for name in manual if manual[name] > 1)
    everything = make_axes(long, manual)
    if devices in (None, everything.devices):
        return everything
    choices = [axes for axes in fewer_axes(manual) if axes.devices == devices]
    if len(choices) > 1:
        shown = " or ".join(_quoted(axes.names) for axes in choices)
        raise BridgeError(
            f"{where}: ids are made for {devices} devices, which may be those of {shown}; "
            "expected axis_name with the axes that the table is split over"
        )
    if not choices:
        raise _other_devices(where, everything, devices)
    return choices[0]


def fewer_axes(manual: dict[str, int]) -> list[Axes]:
    """Return all choices of some, but not all, of the manual axes of more than one device."""
    long = [name for name in manual if manual[name] > 1]
    return [
        make_axes(names, manual)
        for count in range(len(long))
        for names in itertools.combinations(long, count)
    ]


def make_axes(names: tuple[str, ...], manual: dict[str, int]) -> Axes:
    """Return the axes of these names among the manual ones."""
    return Axes(names, tuple(manual[name] for name in names))


def _other_devices(where: str, axes: Axes, devices: int | None) -> BridgeError:
    place = f"along {_quoted(axes.names)}" if axes.names else "(it is not in a jax.shard_map)"
    return BridgeError(
        f"{where}: ids are made for {devices} devices; the call has {axes.devices} {place}; expected "
        "ids that are preprocessed for these devices"
    )


def _quoted(names: Any) -> str:
    texts = [repr(name) for name in names]
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"
