"""Methods of `sdy` attributes: each class here is a base of the view it is named after."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sdykit.dialects._sdy_attrs_gen import (
        AxisRefAttr,
        DimensionShardingAttr,
        MeshAttr,
        MeshAxisAttr,
        SubAxisInfoAttr,
    )


class MeshAttrMethods:
    """Methods of `MeshAttr`."""

    __slots__ = ()

    axes: tuple[MeshAxisAttr, ...]
    device_ids: tuple[int, ...]

    def __post_init__(self) -> None:
        # MLIR drops device ids in the default order; so do we, to be equal to it.
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
        """Whether the mesh has an axis of this name."""
        return any(axis.name == name for axis in self.axes)

    def axis_size(self, name: str) -> int:
        """Return the size of an axis.

        Raises:
            LookupError: the mesh has no such axis.
        """
        return self.axes[self._position(name)].size

    def axis_key(self, axis: AxisRefAttr | str) -> tuple[int, int, int]:
        """Return a key that sorts axes in the order of the mesh: `sorted(axes, key=...)`.

        References to one axis are sorted by the place of the sub-axis, then by its size.

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
    sub_axis_info: SubAxisInfoAttr | None

    def size_in(self, mesh: MeshAttr) -> int:
        """Return the number of parts that the axis splits a dimension into.

        Raises:
            LookupError: the mesh has no such axis.
        """
        part = self.sub_axis_info
        return mesh.axis_size(self.name) if part is None else part.size


class TensorShardingAttrMethods:
    """Methods of `TensorShardingAttr`."""

    __slots__ = ()

    mesh_or_ref: str | MeshAttr
    dim_shardings: tuple[DimensionShardingAttr, ...]
    replicated_axes: tuple[AxisRefAttr, ...]
    unreduced_axes: tuple[AxisRefAttr, ...]

    @classmethod
    def fully_closed(cls, mesh_or_ref: str | MeshAttr, rank: int) -> Self:
        """Return the sharding that replicates a tensor of this rank, and is final."""
        return cls._uniform(mesh_or_ref, rank, is_closed=True)

    @classmethod
    def fully_open(cls, mesh_or_ref: str | MeshAttr, rank: int) -> Self:
        """Return the sharding that says nothing about a tensor of this rank."""
        return cls._uniform(mesh_or_ref, rank, is_closed=False)

    @classmethod
    def _uniform(cls, mesh_or_ref: str | MeshAttr, rank: int, *, is_closed: bool) -> Self:
        from sdykit.dialects._sdy_attrs_gen import DimensionShardingAttr, TensorShardingAttr

        dimension = DimensionShardingAttr((), is_closed)
        assert issubclass(cls, TensorShardingAttr)
        return cls(mesh_or_ref, (dimension,) * rank)

    @property
    def rank(self) -> int:
        """Number of dimensions."""
        return len(self.dim_shardings)

    @property
    def is_fully_closed(self) -> bool:
        """Whether no dimension may be sharded further."""
        return all(dimension.is_closed for dimension in self.dim_shardings)

    @property
    def is_fully_replicated(self) -> bool:
        """Whether no axis splits a dimension."""
        return not any(dimension.axes for dimension in self.dim_shardings)

    def all_axes(self) -> Iterator[AxisRefAttr]:
        """Return the axes of all dimensions, then the replicated, then the unreduced ones."""
        for dimension in self.dim_shardings:
            yield from dimension.axes
        yield from self.replicated_axes
        yield from self.unreduced_axes
