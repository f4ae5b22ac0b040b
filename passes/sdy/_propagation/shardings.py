"""Shardings of tensors as plain tuples, and their attributes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from sdykit.dialects import sdy
from sdykit.mlir import ir
from sdykit.passes.sdy._propagation.axes import Axes, Axis
from sdykit.passes.sdy._propagation.projection import Dim

Mesh = str | sdy.MeshAttr
"""The name of a mesh, or a mesh itself."""


class UnknownMesh(Exception):
    """A sharding names a mesh that is not at the top of the module; the text is its name."""


class Sharding(NamedTuple):
    """The sharding of a tensor.

    Attributes:
        mesh: its mesh.
        dims: the sharding of each dimension.
        replicated: axes that it is not divided along, and must not be.
        unreduced: axes along which its parts are still to be summed.
    """

    mesh: Mesh
    dims: tuple[Dim, ...]
    replicated: Axes = ()
    unreduced: Axes = ()

    @property
    def has_axes(self) -> bool:
        """Whether any dimension is divided."""
        return any(dim.axes for dim in self.dims)


class Shardings:
    """Converts attributes to shardings and back, each once.

    Attributes:
        meshes: the meshes of the module, by name.
    """

    def __init__(self, meshes: Mapping[str, sdy.MeshAttr]) -> None:
        self.meshes = meshes
        self._read: dict[ir.Attribute, Sharding] = {}
        self._made: dict[Sharding, ir.Attribute] = {}
        self._read_lists: dict[ir.Attribute, list[Sharding]] = {}
        self._lists: dict[tuple[Sharding, ...], ir.Attribute] = {}

    def mesh(self, mesh: Mesh) -> sdy.MeshAttr:
        """Return a mesh by its name, or itself.

        Raises:
            UnknownMesh: the module has none of the name.
        """
        if not isinstance(mesh, str):
            return mesh
        if mesh not in self.meshes:
            raise UnknownMesh(mesh)
        return self.meshes[mesh]

    def read(self, attribute: ir.Attribute) -> Sharding:
        """Return the sharding that an attribute holds."""
        found = self._read.get(attribute)
        if found is None:
            found = self._read[attribute] = self._of(sdy.TensorShardingAttr.of(attribute))
        return found

    def read_list(self, attribute: ir.Attribute) -> list[Sharding]:
        """Return the shardings of several values that an attribute holds."""
        found = self._read_lists.get(attribute)
        if found is None:
            views = sdy.TensorShardingPerValueAttr.of(attribute).shardings
            found = self._read_lists[attribute] = list(map(self._of, views))
        return found

    def axis_ref(self, mesh: Mesh, axis: Axis) -> sdy.AxisRefAttr:
        """Return the attribute of an axis of a mesh."""
        return _ref(axis, {each.name: each.size for each in self.mesh(mesh).axes})

    def make(self, sharding: Sharding) -> ir.Attribute:
        """Return the attribute that holds a sharding."""
        found = self._made.get(sharding)
        if found is None:
            found = self._made[sharding] = self._view(sharding).to_attr()
        return found

    def make_list(self, shardings: tuple[Sharding, ...]) -> ir.Attribute:
        """Return the attribute that holds the shardings of several values."""
        found = self._lists.get(shardings)
        if found is None:
            views = tuple(map(self._view, shardings))
            found = self._lists[shardings] = sdy.TensorShardingPerValueAttr(views).to_attr()
        return found

    def _of(self, view: sdy.TensorShardingAttr) -> Sharding:
        sizes = {axis.name: axis.size for axis in self.mesh(view.mesh_or_ref).axes}

        def axes(refs: Iterable[sdy.AxisRefAttr]) -> Axes:
            return tuple(_axis(ref, sizes) for ref in refs)

        dims = tuple(Dim(axes(dim.axes), dim.is_closed, dim.priority) for dim in view.dim_shardings)
        return Sharding(
            view.mesh_or_ref, dims, axes(view.replicated_axes), axes(view.unreduced_axes)
        )

    def _view(self, sharding: Sharding) -> sdy.TensorShardingAttr:
        sizes = {axis.name: axis.size for axis in self.mesh(sharding.mesh).axes}

        def refs(axes: Sequence[Axis]) -> tuple[sdy.AxisRefAttr, ...]:
            return tuple(_ref(axis, sizes) for axis in axes)

        return sdy.TensorShardingAttr(
            sharding.mesh,
            tuple(
                sdy.DimensionShardingAttr(refs(dim.axes), dim.is_closed, dim.priority)
                for dim in sharding.dims
            ),
            refs(sharding.replicated),
            refs(sharding.unreduced),
        )


def _axis(ref: sdy.AxisRefAttr, sizes: Mapping[str, int]) -> Axis:
    part = ref.sub_axis_info
    if part is None:
        return Axis(ref.name, 1, sizes[ref.name])
    return Axis(ref.name, part.pre_size, part.size)


def _ref(axis: Axis, sizes: Mapping[str, int]) -> sdy.AxisRefAttr:
    if axis.size == sizes[axis.name]:
        return sdy.AxisRefAttr(axis.name)
    return sdy.AxisRefAttr(axis.name, sdy.SubAxisInfoAttr(axis.pre, axis.size))
