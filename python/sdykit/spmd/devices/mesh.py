"""The devices of a mesh: their coordinates, and the groups that collectives work in."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from sdykit.dialects import sdy
from sdykit.passes.sdy._propagation.axes import Axes, Axis, product


@dataclass(frozen=True)
class DeviceMesh:
    """A mesh with at least one axis.

    Attributes:
        axes: the names and sizes of its axes, major first.
        ids: the device at each position, row-major.
    """

    axes: tuple[tuple[str, int], ...]
    ids: tuple[int, ...]

    def index(self, axes: Axes, device: int) -> int:
        """Return the position of a device along axes, the first one major."""
        index = 0
        coordinates = self._coordinates(device)
        for axis in axes:
            index = index * axis.size + self._digit(axis, coordinates[axis.name])
        return index

    def indices(self, axes: Axes) -> tuple[int, ...]:
        """Return the positions of all devices along axes, by device."""
        return _indices(self, axes)

    def groups(self, axes: Axes) -> list[list[int]]:
        """Return the devices that differ along axes only, each group ordered by its position along them."""
        found: dict[tuple[int, ...], dict[int, int]] = {}
        for device in range(len(self.ids)):
            rest = self._without(axes, device)
            found.setdefault(rest, {})[self.index(axes, device)] = device
        return [[group[index] for index in range(product(axes))] for group in found.values()]

    def _without(self, axes: Axes, device: int) -> tuple[int, ...]:
        coordinates = self._coordinates(device)
        for axis in axes:
            stride = self._stride(axis)
            coordinates[axis.name] -= self._digit(axis, coordinates[axis.name]) * stride
        return tuple(coordinates.values())

    def _coordinates(self, device: int) -> dict[str, int]:
        rest = self.ids.index(device)
        found: dict[str, int] = {}
        for name, size in reversed(self.axes):
            rest, found[name] = divmod(rest, size)
        return found

    def _stride(self, axis: Axis) -> int:
        return dict(self.axes)[axis.name] // axis.next

    def _digit(self, axis: Axis, coordinate: int) -> int:
        return coordinate // self._stride(axis) % axis.size


@cache
def _indices(mesh: DeviceMesh, axes: Axes) -> tuple[int, ...]:
    return tuple(mesh.index(axes, device) for device in range(len(mesh.ids)))


def device_mesh(mesh: sdy.MeshAttr) -> DeviceMesh | None:
    """Return the devices of a mesh; None if it has no axes."""
    if not mesh.axes:
        return None
    axes = tuple((axis.name, axis.size) for axis in mesh.axes)
    return DeviceMesh(axes, mesh.device_ids or tuple(range(mesh.total_size)))
