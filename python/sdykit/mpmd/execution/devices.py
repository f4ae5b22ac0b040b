"""The devices of the meshes of a topology."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np
from jax.sharding import Mesh

from sdykit.bridge.host_devices import ensure_threads
from sdykit.core.mpmd.program import CPU_SUFFIX
from sdykit.dialects import mpmd
from sdykit.mpmd.errors import ExecutionError

Devices = Mapping[str, Sequence[jax.Device] | Mesh]
"""The devices of each mesh, in the order of its elements: the last axis varies fastest."""


def devices_of(topology: mpmd.TopologyAttr, wanted: Devices | None) -> dict[str, tuple[Any, ...]]:
    """Return the devices of each mesh.

    Args:
        topology: the meshes.
        wanted: the devices that the user wants; None takes JAX's CPU devices in order. A mesh
            `m/cpu` has the devices of `m`, if `wanted` does not say otherwise.

    Raises:
        ExecutionError: there are too few devices, or `wanted` does not fit the topology.
    """
    sizes, owners = _sizes(topology), _owners(topology)
    if wanted is None:
        found = _in_order({name: size for name, size in sizes.items() if name not in owners})
    else:
        found = _as_wanted(wanted, sizes, owners)
    for name, owner in owners.items():
        if name not in found:
            found[name] = found[owner][: sizes[name]]
            _check_count(name, found[name], sizes)
    return found


def count_needed(topology: mpmd.TopologyAttr) -> int:
    """Return the number of devices that the meshes of a topology take if none is shared.

    Raises:
        ExecutionError: a mesh has `device_ids`.
    """
    owners = _owners(topology)
    return sum(size for name, size in _sizes(topology).items() if name not in owners)


def _sizes(topology: mpmd.TopologyAttr) -> dict[str, int]:
    return {each.name: _size(each) for each in topology.meshes}


def _owners(topology: mpmd.TopologyAttr) -> dict[str, str]:
    """Return for each mesh of CPUs the mesh whose devices it uses."""
    owners = {name: name.removesuffix(CPU_SUFFIX) for name in topology.names}
    return {name: owner for name, owner in owners.items() if name != owner in topology.names}


def _size(named: mpmd.NamedMeshAttr) -> int:
    if named.mesh.device_ids:
        ids = list(named.mesh.device_ids)
        raise ExecutionError(
            f'mesh "{named.name}" has device_ids={ids}, which cannot be run; leave them out of the'
            f' program, and list the devices in this order: devices={{"{named.name}":'
            f" [jax.devices()[at] for at in {ids}]}}"
        )
    return named.mesh.total_size


def _in_order(sizes: Mapping[str, int]) -> dict[str, tuple[Any, ...]]:
    devices = _cpu_devices()
    needed = sum(sizes.values())
    if needed > len(devices):
        meshes = ", ".join(f'"{name}" ({size})' for name, size in sizes.items())
        raise ExecutionError(
            f"the meshes {meshes} need {needed} devices, but JAX has {len(devices)} CPU"
            f' device{"s" if len(devices) > 1 else ""}; call jax.config.update("jax_num_cpu_devices",'
            f" {needed}) before JAX is used, or let meshes share devices: devices={{...}}"
        )
    found, start = {}, 0
    for name, size in sizes.items():
        found[name] = tuple(devices[start : start + size])
        start += size
    return found


def _cpu_devices() -> list[Any]:
    ensure_threads()
    try:
        return jax.devices("cpu")
    except RuntimeError:
        raise ExecutionError("JAX has no CPU device; JAX_PLATFORMS may exclude it") from None


def _as_wanted(
    wanted: Any, sizes: Mapping[str, int], owners: Mapping[str, str]
) -> dict[str, tuple[Any, ...]]:
    if not isinstance(wanted, Mapping):
        raise ExecutionError(
            f"devices: expected the devices of each mesh, a mapping, found {wanted!r}"
        )
    names = ", ".join(f'"{name}"' for name in sizes)
    for name in wanted:
        if name not in sizes:
            raise ExecutionError(f"devices: the topology has no mesh {name!r}; it has {names}")
    missing = [name for name in sizes if name not in wanted and owners.get(name) not in wanted]
    if missing:
        raise ExecutionError(f'devices: mesh "{missing[0]}" has none; expected an entry for it')
    return {name: _checked(name, each, sizes) for name, each in wanted.items()}


def _checked(name: str, given: Any, sizes: Mapping[str, int]) -> tuple[Any, ...]:
    if isinstance(given, Mesh):
        given = list(given.devices.flat)
    if not isinstance(given, Sequence | np.ndarray):
        raise ExecutionError(
            f"devices[{name!r}]: expected JAX devices or a jax.sharding.Mesh, found {given!r}"
        )
    devices = tuple(given)
    for device in devices:
        if not isinstance(device, jax.Device) or device.platform != "cpu":
            raise ExecutionError(
                f"devices[{name!r}]: expected CPU devices of JAX, found {device!r}"
            )
    if len(set(devices)) < len(devices):
        raise ExecutionError(f"devices[{name!r}]: a device occurs twice: {list(devices)}")
    _check_count(name, devices, sizes)
    return devices


def _check_count(name: str, devices: Sequence[Any], sizes: Mapping[str, int]) -> None:
    if len(devices) != sizes[name]:
        raise ExecutionError(
            f'mesh "{name}" takes {sizes[name]} devices, found {len(devices)}: {list(devices)}'
        )


def groups_of(devices: Mapping[str, Sequence[Any]]) -> dict[str, str]:
    """Return for each mesh the name of its group: meshes that share devices are in one group."""
    groups: dict[str, str] = {}
    for name, own in devices.items():
        touched = {groups[other] for other in groups if set(own) & set(devices[other])}
        merged = min(touched, default=name)
        groups[name] = merged
        groups |= {other: merged for other, group in groups.items() if group in touched}
    return groups
