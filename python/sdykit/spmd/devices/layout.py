"""How a tensor lies on devices: the axes that divide each dimension, and those to be summed over."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.passes.sdy._propagation.axes import Axes, product
from sdykit.spmd.devices.mesh import DeviceMesh

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Layout:
    """The parts of a tensor that devices hold.

    A dimension of n elements that k devices divide is held in parts of ceil(n / k) elements; what the
    last ones have beyond n is padding, which may hold anything.

    Attributes:
        mesh: the mesh; None if all devices hold the whole tensor.
        dims: the axes that divide each dimension, major first.
        unreduced: the axes along which the tensor is the sum of what devices hold.
    """

    mesh: DeviceMesh | None
    dims: tuple[Axes, ...]
    unreduced: Axes = ()

    @property
    def is_whole(self) -> bool:
        """Whether no dimension is divided."""
        return not any(self.dims)

    def count(self, dim: int) -> int:
        """Return the number of parts of a dimension."""
        return product(self.dims[dim])

    def indices(self, dim: int) -> tuple[int, ...]:
        """Return for each device the number of the part of a dimension that it holds."""
        assert self.mesh is not None
        return self.mesh.indices(self.dims[dim])

    def local(self, shape: Shape) -> Shape:
        """Return the shape of a part of a tensor."""
        return tuple(-(-size // self.count(dim)) for dim, size in enumerate(shape))

    def divides(self, shape: Shape) -> bool:
        """Return whether no part has padding."""
        return all(size % self.count(dim) == 0 for dim, size in enumerate(shape))

    def divided_alike(self, other: Layout) -> bool:
        """Return whether each device holds the same part of each dimension as in another layout."""
        return self.dims == other.dims and (self.is_whole or self.mesh == other.mesh)


def whole(rank: int) -> Layout:
    """Return the layout of a tensor of which each device holds all."""
    return Layout(None, ((),) * rank)
