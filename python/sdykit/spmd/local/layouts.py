"""The layouts that the shardings of a module give its values."""

from __future__ import annotations

from sdykit.core import meshes_of, symbols_of
from sdykit.core.diagnostics import place
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sdy._propagation.axes import Axes, Axis
from sdykit.passes.sdy._propagation.manual import Boundary, boundary_of
from sdykit.passes.sdy._propagation.shardings import Sharding
from sdykit.passes.sdy._value_shardings import rank
from sdykit.passes.sdy.insert_explicit_reshards.values import Values
from sdykit.spmd.devices.layout import Layout, Shape, whole
from sdykit.spmd.devices.mesh import DeviceMesh, device_mesh
from sdykit.spmd.errors import SpmdError


def shape_of(value: ir.Value) -> Shape:
    """Return the shape of a value; `()` for what is no tensor."""
    type_ = value.type
    return tuple(type_.shape) if isinstance(type_, ir.RankedTensorType) else ()


class Layouts:
    """Reads them.

    Attributes:
        ignores_shardings: whether all values are whole on each device; in manual computations, on
            those that differ on the manual axes.
    """

    def __init__(self, module: ModuleOp, *, ignores_shardings: bool) -> None:
        self._values = Values(symbols_of(module.operation))
        self.ignores_shardings = ignores_shardings
        self._meshes = {name: device_mesh(mesh) for name, mesh in meshes_of(module).items()}
        self._layouts: dict[ir.Attribute, Layout] = {}
        self._sizes: dict[str, int] = {}
        self._place = place(module.operation)

    @property
    def devices(self) -> int:
        """The number of devices: that of the meshes that were used so far, or 1."""
        return next(iter(self._sizes.values()), 1)

    def _use(self, name: str, mesh: DeviceMesh) -> None:
        """Note that a mesh is used; all that are have one number of devices."""
        self._sizes[name] = len(mesh.ids)
        if len(mesh.ids) != self.devices:
            found = ", ".join(f"{name} has {size}" for name, size in self._sizes.items())
            raise SpmdError(
                f"{self._place}: error: expected meshes of one number of devices, found: {found}"
            )

    def of(self, value: ir.Value) -> Layout:
        """Return the layout of a value; whole if it has no sharding."""
        if self.ignores_shardings:
            return whole(rank(value.type))
        return self._layout(self._values.sharding(value), rank(value.type))

    def of_attribute(self, attribute: ir.Attribute | None, value_type: ir.Type) -> Layout:
        """Return the layout of a value by the attribute of its sharding, which may be absent."""
        if attribute is None or self.ignores_shardings:
            return whole(rank(value_type))
        return self._layout(self._values.shardings.read(attribute), rank(value_type))

    def boundary(self, op: ir.Operation, number: int, *, is_argument: bool) -> Boundary | None:
        """Return where a value enters or leaves a manual computation; None if it has no manual axes."""
        return boundary_of(op, number, self._values.shardings, is_argument=is_argument)

    def manual_axes(self, op: ir.Operation) -> tuple[DeviceMesh, Axes] | None:
        """Return the mesh of a manual computation and its manual axes; None if it has none."""
        for count, is_argument in ((len(op.operands), True), (len(op.results), False)):
            boundary = self.boundary(op, 0, is_argument=is_argument) if count else None
            mesh = self._mesh(boundary.outer) if boundary is not None else None
            if boundary is not None and mesh is not None:
                axes = [Axis(name, 1, size) for name, size in mesh.axes if name in boundary.manual]
                return mesh, tuple(axes)
        return None

    def of_boundary(self, boundary: Boundary, shape: Shape) -> Layout:
        """Return the layout outside of a manual computation of a value that enters or leaves it."""
        outer = self._layout(boundary.outer, len(shape))
        manual = self._only(outer, boundary.manual)
        if self.ignores_shardings or not outer.divides(shape):
            return manual
        return outer

    def inside(self, boundary: Boundary, layout: Layout) -> Layout:
        """Return the layout in a manual computation of a value that has another one outside."""
        names = {axis.name for axes in (*layout.dims, layout.unreduced) for axis in axes}
        return self._only(layout, names - boundary.manual)

    def _only(self, layout: Layout, names: set[str] | frozenset[str]) -> Layout:
        dims = tuple(tuple(axis for axis in axes if axis.name in names) for axes in layout.dims)
        unreduced = tuple(axis for axis in layout.unreduced if axis.name in names)
        return Layout(layout.mesh, dims, unreduced)

    def mesh_of(self, attribute: ir.Attribute) -> DeviceMesh | None:
        """Return the mesh of a sharding; None if it has no axes."""
        return self._mesh(self._values.shardings.read(attribute))

    def _mesh(self, sharding: Sharding) -> DeviceMesh | None:
        name = sharding.mesh
        mesh = self._meshes.get(name) if isinstance(name, str) else device_mesh(name)
        if mesh is not None:
            self._use(f"@{name}" if isinstance(name, str) else "an inlined mesh", mesh)
        return mesh

    def _layout(self, sharding: Sharding | None, dims: int) -> Layout:
        if sharding is None:
            return whole(dims)
        mesh = self._mesh(sharding)
        if mesh is None:  # On one device, or on a mesh without axes: every device has all.
            return whole(dims)
        return Layout(mesh, tuple(dim.axes for dim in sharding.dims), sharding.unreduced)
