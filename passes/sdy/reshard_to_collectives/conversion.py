"""Replaces the reshards of a function by collectives."""

from __future__ import annotations

from collections.abc import Sequence

from sdykit.core import fail, ops_named, warn
from sdykit.dialects import sdy
from sdykit.mlir import FuncOp, ir
from sdykit.passes.sdy._propagation.axes import Axes, overlap
from sdykit.passes.sdy._propagation.projection import Dim
from sdykit.passes.sdy._propagation.shardings import Mesh, Sharding
from sdykit.passes.sdy._value_shardings import rank, shaped_type
from sdykit.passes.sdy.insert_explicit_reshards.values import Values
from sdykit.passes.sdy.reshard_to_collectives.planning import collectives
from sdykit.passes.sdy.reshard_to_collectives.state import Collective

_RESHARD = sdy.ReshardOp.OPERATION_NAME
_AXES = {
    sdy.AllGatherOp.OPERATION_NAME: "gathering_axes",
    sdy.AllSliceOp.OPERATION_NAME: "slicing_axes",
}
_FIRST = "run -sdy-insert-explicit-reshards before"

Attributes = dict[str, ir.Attribute]


class Conversion:
    """Replaces the reshards of a function."""

    def __init__(self, func: FuncOp, *, keeps_redundant: bool) -> None:
        self._func = func
        self._keeps_redundant = keeps_redundant
        self._made: dict[tuple[ir.Type, Sharding, Sharding], list[tuple[str, Attributes]]] = {}

    def run(self) -> None:
        """Replace all of them."""
        reshards = ops_named(self._func, _RESHARD)
        if not reshards:
            return
        parent = self._func.operation.parent
        assert parent is not None
        self._values = Values(parent.operation)
        self._shardings = self._values.shardings
        # As in C++: a reshard of a reshard to other axes stays, though the former may go.
        between = [self._is_between_axes(op) for op in reshards]
        for op, stays in zip(reshards, between, strict=True):
            if not stays:
                self._convert(op)

    def _is_between_axes(self, op: ir.Operation) -> bool:
        """Return whether the meshes of both sides have other axes, and the result is divided."""
        wants = self._shardings.read(op.attributes["sharding"])
        has = self._values.sharding(self._values.before_barriers(op.operands[0]))
        return has is not None and wants.has_axes and self._axes(has) != self._axes(wants)

    def _axes(self, sharding: Sharding) -> Sequence[sdy.MeshAxisAttr]:
        return self._shardings.mesh(sharding.mesh).axes

    def _convert(self, op: ir.Operation) -> None:
        value = self._values.before_barriers(op.operands[0])
        wants = self._shardings.read(op.attributes["sharding"])
        has = self._values.sharding(value) or _replicated(wants.mesh, rank(value.type))
        _warn_of_unreduced(op, has, wants)
        if not has.has_axes and not wants.has_axes:
            if not self._keeps_redundant:
                self._check_ranks(op, has, wants)
                self._replace(op, value)
            return
        if not wants.has_axes:
            wants = _replicated(has.mesh, len(wants.dims))
        if self._axes(has) != self._axes(wants):
            return
        self._check_ranks(op, has, wants)
        meshes = has.mesh, wants.mesh
        if has.mesh != wants.mesh and len(set(map(self._shardings.mesh, meshes))) == 1:
            fail(
                op,
                f"the operand is on mesh {_name(has.mesh)}, the result on {_name(wants.mesh)}, which is"
                " the same mesh: name one of them in both; -sdy-lift-inlined-meshes does it",
            )
        for name, attributes in self._ops(op, value.type, has, wants):
            value = ir.Operation.create(
                name,
                results=[value.type],
                operands=[value],
                attributes=attributes,
                loc=op.location,
                ip=ir.InsertionPoint(op),
            ).results[0]
        self._replace(op, value)

    def _replace(self, op: ir.Operation, value: ir.Value) -> None:
        op.results[0].replace_all_uses_with(value)
        op.erase()

    def _check_ranks(self, op: ir.Operation, has: Sharding, wants: Sharding) -> None:
        if len(has.dims) != len(wants.dims):
            fail(
                op,
                "no collective moves a tensor between a single device and all of a mesh:"
                f" the operand has the sharding {self._text(has)}",
            )

    def _ops(
        self, op: ir.Operation, kind: ir.Type, has: Sharding, wants: Sharding
    ) -> list[tuple[str, Attributes]]:
        """Return the names and attributes of the ops that replace a reshard."""
        key = kind, has, wants
        if key not in self._made:
            shaped = shaped_type(kind)
            assert shaped is not None
            found = collectives(
                shaped.shape,
                [dim.axes for dim in has.dims],
                [dim.axes for dim in wants.dims],
                same_mesh=has.mesh == wants.mesh,
            )
            for each in found:
                _check_unreduced(op, each, wants)
            self._made[key] = [(each.name, self._attributes(each, has, wants)) for each in found]
        return self._made[key]

    def _attributes(self, each: Collective, has: Sharding, wants: Sharding) -> Attributes:
        mesh = wants.mesh if each.is_on_target_mesh else has.mesh
        dims = tuple(Dim(axes, True) for axes in each.dims)
        out = self._shardings.make(Sharding(mesh, dims, (), wants.unreduced))
        attributes: Attributes = {"out_sharding": out}
        if each.axes:
            lists = tuple(sdy.AxisRefListAttr(self._refs(mesh, axes)) for axes in each.axes)
            attributes[_AXES[each.name]] = sdy.ListOfAxisRefListsAttr(lists).to_attr()
        if each.moves:
            moves = tuple(
                sdy.AllToAllParamAttr(self._refs(mesh, move.axes), move.source, move.target)
                for move in each.moves
            )
            attributes["params"] = sdy.AllToAllParamListAttr(moves).to_attr()
        return attributes

    def _refs(self, mesh: Mesh, axes: Axes) -> tuple[sdy.AxisRefAttr, ...]:
        return tuple(self._shardings.axis_ref(mesh, axis) for axis in axes)

    def _text(self, sharding: Sharding) -> str:
        return str(self._shardings.make(sharding)).removeprefix("#sdy.sharding")


def _replicated(mesh: Mesh, dims: int) -> Sharding:
    return Sharding(mesh, (Dim((), True),) * dims)


def _name(mesh: Mesh) -> str:
    return f"@{mesh}" if isinstance(mesh, str) else str(mesh)


def _warn_of_unreduced(op: ir.Operation, has: Sharding, wants: Sharding) -> None:
    if set(has.unreduced) != set(wants.unreduced):
        warn(
            op,
            "the reshard changes which axes are unreduced, and only its dimensions become collectives;"
            f" {_FIRST}",
        )


def _check_unreduced(op: ir.Operation, each: Collective, wants: Sharding) -> None:
    for axis in (axis for dim in each.dims for axis in dim):
        if any(overlap(axis, other) or axis == other for other in wants.unreduced):
            fail(
                op,
                f"axis {axis.name!r} divides the operand or is needed on the way, and is unreduced in"
                f" the result; {_FIRST}",
            )
