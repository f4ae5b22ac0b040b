"""The devices that hold a table together: axes of the mesh that `jax.shard_map` runs over."""

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
"""Functions of `jax.lax` whose branches not all devices may run."""


@dataclass(frozen=True)
class Axes:
    """Axes that are manual where a function is traced, in the order in which devices count.

    Attributes:
        names: none, if the table is on one device.
        sizes: of each.
        in_branch: whether the function is traced in a branch, which other devices may not run.
    """

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    in_branch: bool = False

    @property
    def devices(self) -> int:
        """Devices that hold a table together."""
        return math.prod(self.sizes)

    def device(self) -> jax.Array:
        """Give the number of this device, an int32 scalar."""
        return jnp.asarray(jax.lax.axis_index(self.names), jnp.int32)

    def gather(self, x: jax.Array) -> jax.Array:
        """Put all devices' arrays one after another, along the first dimension."""
        return jax.lax.all_gather(self.vary(x), self.names, axis=0, tiled=True)

    def exchange(self, parts: jax.Array) -> jax.Array:
        """Give the d-th part of the first dimension to device d; get its part for this one."""
        return jax.lax.all_to_all(parts, self.names, split_axis=0, concat_axis=0, tiled=True)

    def vary(self, x: jax.Array) -> jax.Array:
        """Let the type of an array say that it may differ from device to device."""
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
                f"{where} is the same on all devices along {_shown(same)}; expected a part of it "
                f"on each, by in_specs as P({_shown(self.names)}), or an axis_name without it"
            )

    def _is_tracked(self) -> bool:
        """Tell whether types say what varies: `shard_map` has been told `check_vma=False` if not."""
        return bool(self.names) and bool(varying(jax.lax.axis_index(self.names)))


def differing_axes(axes: Axes, arrays: Iterable[jax.Array]) -> Axes:
    """Return the axes along which devices may have different arrays.

    In a branch, they are those of the table: a collective of more would wait for devices that run
    another branch.

    Args:
        axes: of the devices that hold a table together; they are among those that are returned.
        arrays: of a device.
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
    """Give the axes that an array is known to vary over."""
    return jax.typeof(x).manual_axis_type.varying


def find_axes(where: str, axis_name: AxisName, devices: int | None) -> Axes:
    """Find the axes over which a table is split, where the function of a user is traced.

    Args:
        where: the function, for errors.
        axis_name: axes of the mesh; None: all that are manual, or, if `devices` says how many
            devices they must be together, the only ones of that size.
        devices: what buffers were made for; None: not known.

    Raises:
        BridgeError: there is no such axis, or the devices are another number.
    """
    axes = _found(where, axis_name, devices)
    return dataclasses.replace(axes, in_branch=_is_in_branch())


def _found(where: str, axis_name: AxisName, devices: int | None) -> Axes:
    manual = manual_axes()
    if axis_name is None:
        return _inferred(where, manual, devices)
    names = (axis_name,) if isinstance(axis_name, str) else tuple(axis_name)
    for number, name in enumerate(names):
        if name not in manual:
            known = _shown(manual) if manual else "none: the call is not in a jax.shard_map"
            raise BridgeError(
                f"{where}: axis_name names {name!r}; the manual axes of the mesh are {known}"
            )
        if name in names[:number]:
            raise BridgeError(f"{where}: axis_name names {name!r} twice; expected different axes")
    axes = make_axes(names, manual)
    if devices not in (None, axes.devices):
        raise _other_devices(where, axes, devices)
    return axes


def manual_axes() -> dict[str, int]:
    """Give the axes that are manual where a function is traced, and their sizes."""
    mesh = jax.sharding.get_abstract_mesh()
    return {name: mesh.shape[name] for name in mesh.axis_names if name in mesh.manual_axes}


def _inferred(where: str, manual: dict[str, int], devices: int | None) -> Axes:
    # Axes of one device count for nothing.
    long = tuple(name for name in manual if manual[name] > 1)
    everything = make_axes(long, manual)
    if devices in (None, everything.devices):
        return everything
    choices = [axes for axes in fewer_axes(manual) if axes.devices == devices]
    if len(choices) > 1:
        shown = " or ".join(_shown(axes.names) for axes in choices)
        raise BridgeError(
            f"{where}: ids are made for {devices} devices, which may be those of {shown}; "
            "expected axis_name to say which"
        )
    if not choices:
        raise _other_devices(where, everything, devices)
    return choices[0]


def fewer_axes(manual: dict[str, int]) -> list[Axes]:
    """Give all choices of some of the manual axes, not of all; without those of one device."""
    long = [name for name in manual if manual[name] > 1]
    return [
        make_axes(names, manual)
        for count in range(len(long))
        for names in itertools.combinations(long, count)
    ]


def make_axes(names: tuple[str, ...], manual: dict[str, int]) -> Axes:
    """Give some of the manual axes."""
    return Axes(names, tuple(manual[name] for name in names))


def _other_devices(where: str, axes: Axes, devices: int | None) -> BridgeError:
    place = f"along {_shown(axes.names)}" if axes.names else "(it is not in a jax.shard_map)"
    return BridgeError(
        f"{where}: ids are made for {devices} devices; the call has {axes.devices} {place}"
    )


def _shown(names: Any) -> str:
    texts = [repr(name) for name in names]
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"
