"""Methods of meshes and axis references: each class is a base of the view it is named after.

The views are generated with these classes as bases, so nothing here can import a view: a
protocol declares what the methods read of one.
"""

from __future__ import annotations

import math
from typing import Protocol


class _MeshAxis(Protocol):
    """The fields of `MeshAxisAttr`."""

    @property
    def name(self) -> str: ...
    @property
    def size(self) -> int: ...


class _SubAxisInfo(Protocol):
    """The fields of `SubAxisInfoAttr`."""

    @property
    def pre_size(self) -> int: ...
    @property
    def size(self) -> int: ...


class MeshAttrMethods:
    """Methods of `MeshAttr`."""

    __slots__ = ()

    axes: tuple[_MeshAxis, ...]
    device_ids: tuple[int, ...]

    def __post_init__(self) -> None:
        # MLIR drops device ids in the default order; the view of such a mesh must be equal.
        ids = self.device_ids
        if ids and self.axes and len(ids) == self.total_size and ids == tuple(range(len(ids))):
            object.__setattr__(self, "device_ids", ())

    @property
    def total_size(self) -> int:
        """Number of devices; 1 for a maximal or an empty mesh."""
        return math.prod([axis.size for axis in self.axes])

    @property
    def is_maximal(self) -> bool:
        """Whether the mesh is a single device: no axes and one device id."""
        return not self.axes and len(self.device_ids) == 1

    @property
    def is_empty(self) -> bool:
        """Whether the mesh has neither axes nor device ids."""
        return not self.axes and not self.device_ids

    @property
    def axis_names(self) -> tuple[str, ...]:
        """Names of the axes, from major to minor."""
        return tuple(axis.name for axis in self.axes)

    def has_axis(self, name: str) -> bool:
        """Return whether the mesh has an axis of this name."""
        return any(axis.name == name for axis in self.axes)

    def axis_size(self, name: str) -> int:
        """Return the size of an axis.

        Raises:
            LookupError: the mesh has no such axis.
        """
        return self.axes[self._position(name)].size

    def axis_key(self, axis: AxisRefAttrMethods | str) -> tuple[int, int, int]:
        """Return a key that sorts axes in the order of the mesh: `sorted(axes, key=...)`.

        References to the same axis are sorted by the position of the sub-axis, then by its size.

        Raises:
            LookupError: the mesh has no such axis.
        """
        name = axis if isinstance(axis, str) else axis.name
        position = self._position(name)
        part = None if isinstance(axis, str) else axis.sub_axis_info
        if part is None:
            return position, 1, self.axes[position].size
        return position, part.pre_size, part.size

    def _position(self, name: str) -> int:
        for position, axis in enumerate(self.axes):
            if axis.name == name:
                return position
        raise LookupError(f"mesh {self} has no axis {name!r}")


class AxisRefAttrMethods:
    """Methods of `AxisRefAttr`."""

    __slots__ = ()

    name: str
    sub_axis_info: _SubAxisInfo | None

    def size_in(self, mesh: MeshAttrMethods) -> int:
        """Return the number of parts that the axis splits a dimension into.

        Raises:
            LookupError: the mesh has no such axis.
        """
        part = self.sub_axis_info
        return mesh.axis_size(self.name) if part is None else part.size
