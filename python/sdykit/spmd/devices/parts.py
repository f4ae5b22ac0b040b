"""Splitting global arrays into the parts of devices, and joining them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from sdykit.passes.sdy._propagation.axes import Axes
from sdykit.spmd.comparing import agree, difference
from sdykit.spmd.devices.layout import Layout
from sdykit.spmd.devices.mesh import DeviceMesh


class ReplicasDiffer(Exception):
    """Two devices that should hold the same part hold other values; the text says which."""


Combine = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""Combines two arrays, element by element."""


def split(array: np.ndarray, layout: Layout, devices: int) -> list[np.ndarray]:
    """Return the part of an array that each device holds; padding is zero.

    Of an array with unreduced axes the first devices along them hold all, the others zeros.
    """
    shape = layout.local(array.shape)
    return [_part(array, layout, shape, device) for device in range(devices)]


def _part(array: np.ndarray, layout: Layout, shape: tuple[int, ...], device: int) -> np.ndarray:
    if layout.unreduced and _index(layout.mesh, layout.unreduced, device):
        return np.zeros(shape, array.dtype)
    if layout.is_whole:
        return array
    starts = [
        _index(layout.mesh, axes, device) * size
        for axes, size in zip(layout.dims, shape, strict=True)
    ]
    part = array[tuple(slice(at, at + size) for at, size in zip(starts, shape, strict=True))]
    missing = [(0, size - has) for size, has in zip(shape, part.shape, strict=True)]
    return np.pad(part, missing) if any(after for _, after in missing) else part


def join(
    parts: Sequence[np.ndarray], layout: Layout, shape: tuple[int, ...], combine: Combine = np.add
) -> np.ndarray:
    """Return the array whose parts devices hold; those along unreduced axes are combined.

    Raises:
        ReplicasDiffer: devices that hold the same part hold other values.
    """
    if layout.mesh is None:
        _check_equal(parts, range(len(parts)))
        return np.array(parts[0])
    local = layout.local(shape)
    counts = [layout.count(dim) for dim in range(len(shape))]
    joined = np.zeros(
        [size * count for size, count in zip(local, counts, strict=True)], parts[0].dtype
    )
    for index, devices in _holders(layout, len(parts)).items():
        place = [slice(at * size, (at + 1) * size) for at, size in zip(index, local, strict=True)]
        joined[(*place, ...)] = _combined(parts, layout, devices, combine)
    return joined[(*(slice(0, size) for size in shape), ...)]


def _holders(layout: Layout, devices: int) -> dict[tuple[int, ...], list[int]]:
    """Return the devices that hold each part, by its number in each dimension."""
    found: dict[tuple[int, ...], list[int]] = {}
    for device in range(devices):
        index = tuple(_index(layout.mesh, axes, device) for axes in layout.dims)
        found.setdefault(index, []).append(device)
    return found


def _combined(
    parts: Sequence[np.ndarray], layout: Layout, devices: Sequence[int], combine: Combine
) -> np.ndarray:
    """Combine what devices hold of a part; those at one position along unreduced axes hold the same."""
    by_position: dict[int, list[int]] = {}
    for device in devices:
        by_position.setdefault(_index(layout.mesh, layout.unreduced, device), []).append(device)
    total: np.ndarray | None = None
    for position in sorted(by_position):
        alike = by_position[position]
        _check_equal([parts[device] for device in alike], alike)
        part = parts[alike[0]]
        total = part if total is None else combine(total, part)
    assert total is not None
    return total


def _check_equal(parts: Sequence[np.ndarray], devices: Sequence[int]) -> None:
    first = parts[0]
    for part, device in zip(parts[1:], devices[1:], strict=True):
        if not agree(part, first):
            raise ReplicasDiffer(
                f"devices {devices[0]} and {device} should hold the same part, but device {device} has"
                f" {difference(part, first)}"
            )


def _index(mesh: DeviceMesh | None, axes: Axes, device: int) -> int:
    return mesh.indices(axes)[device] if mesh is not None and axes else 0
