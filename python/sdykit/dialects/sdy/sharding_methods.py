"""Methods of tensor shardings: the class is a base of the view it is named after."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from sdykit.dialects.sdy.dimension_attrs_gen import DimensionShardingAttr

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sdykit.dialects.sdy.mesh_attrs_gen import AxisRefAttr, MeshAttr


class TensorShardingAttrMethods:
    """Methods of `TensorShardingAttr`."""

    __slots__ = ()

    mesh_or_ref: str | MeshAttr
    dim_shardings: tuple[DimensionShardingAttr, ...]
    replicated_axes: tuple[AxisRefAttr, ...]
    unreduced_axes: tuple[AxisRefAttr, ...]

    if TYPE_CHECKING:  # That of the view.

        def __init__(
            self, mesh_or_ref: str | MeshAttr, dim_shardings: tuple[DimensionShardingAttr, ...]
        ) -> None: ...

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
        return cls(mesh_or_ref, (DimensionShardingAttr((), is_closed),) * rank)

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
