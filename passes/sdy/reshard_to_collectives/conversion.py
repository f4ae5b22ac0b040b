"""Replaces the reshards of a function by collectives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sdykit.core import fail, ops_named, symbols_around, warn
from sdykit.dialects import sdy
from sdykit.mlir import FuncOp, ir
from sdykit.passes.sdy._propagation.axes import Axes, overlap
from sdykit.passes.sdy._propagation.projection import Dim
from sdykit.passes.sdy._propagation.shardings import Mesh, Sharding
from sdykit.passes.sdy._value_shardings import rank, shaped_type
from sdykit.passes.sdy.insert_explicit_reshards.values import Source, Values
from sdykit.passes.sdy.reshard_to_collectives.planning import collectives
from sdykit.passes.sdy.reshard_to_collectives.state import Collective

_RESHARD = sdy.ReshardOp.OPERATION_NAME
_AXES = {
    sdy.AllGatherOp.OPERATION_NAME: "gathering_axes",
    sdy.AllSliceOp.OPERATION_NAME: "slicing_axes",
}
_FIRST = "run -sdy-insert-explicit-reshards before"

Attributes = dict[str, ir.Attribute]


class _Pair(NamedTuple):
    """The shardings of an operand and of a reshard of it, by their numbers."""

    has: int
    wants: int


@dataclass(frozen=True)
class _Plan:
    """What replaces reshards alike.

    Attributes:
        ops: the names and attributes of the ops on the value that reaches the reshard through barriers;
            None if the reshards stay.
        is_undivided: whether no dimension is divided, before and after: then it is the operand itself.
        is_between_unreduced: whether the reshards change which axes are unreduced.
    """

    ops: list[tuple[str, Attributes]] | None
    is_undivided: bool
    is_between_unreduced: bool


class Conversion:
    """Replaces the reshards of a function."""

    def __init__(self, func: FuncOp, *, keeps_redundant: bool) -> None:
        self._func = func
        self._keeps_redundant = keeps_redundant
        self._between: dict[_Pair, bool] = {}
        self._plans: dict[tuple[ir.Type, _Pair], _Plan] = {}

    def run(self) -> None:
        """Replace all of them."""
        reshards = ops_named(self._func, _RESHARD)
        if not reshards:
            return
        self._values = Values(symbols_around(self._func.operation))
        self._shardings = self._values.shardings
        read = [self._read(op) for op in reshards]
        for op, (source, pair) in zip(reshards, read, strict=True):
            # As in C++: a reshard of a reshard to other axes stays, though the former may go.
            if not self._is_between_axes(pair):
                now = self._read(op) if source.name == _RESHARD else (source, pair)
                self._convert(op, *now)

    def _read(self, op: ir.Operation) -> tuple[Source, _Pair]:
        """Return the value that reaches a reshard, and the shardings of both."""
        source = Source.before_barriers(op.operands[0])
        wants = self._shardings.number_of(op.attributes["sharding"])
        return source, _Pair(self._values.number_of(source), wants)

    def _is_between_axes(self, pair: _Pair) -> bool:
        """Return whether the meshes of both sides have other axes, and the result is divided."""
        found = self._between.get(pair)
        if found is None:
            has, wants = map(self._shardings.find, pair)
            found = (
                has is not None
                and wants is not None
                and wants.has_axes
                and self._axes(has) != self._axes(wants)
            )
            self._between[pair] = found
        return found

    def _axes(self, sharding: Sharding) -> Sequence[sdy.MeshAxisAttr]:
        return self._shardings.mesh(sharding.mesh).axes

    def _convert(self, op: ir.Operation, source: Source, pair: _Pair) -> None:
        value = source.value
        kind = value.type
        plan = self._plans.get((kind, pair))
        if plan is None:
            wants = self._shardings.of(pair.wants)
            has = self._shardings.find(pair.has) or _replicated(wants.mesh, rank(kind))
            is_between_unreduced = set(has.unreduced) != set(wants.unreduced)
            if is_between_unreduced:
                _warn_of_unreduced(op)
            is_undivided = not has.has_axes and not wants.has_axes
            plan = _Plan(self._planned(op, kind, has, wants), is_undivided, is_between_unreduced)
            self._plans[kind, pair] = plan
        elif plan.is_between_unreduced:
            _warn_of_unreduced(op)
        if plan.ops is None:
            return
        if plan.is_undivided:
            value = op.operands[0]
        place = ir.InsertionPoint(op)
        for name, attributes in plan.ops:
            value = ir.Operation.create(
                name,
                results=[kind],
                operands=[value],
                attributes=attributes,
                loc=op.location,
                ip=place,
            ).results[0]
        op.results[0].replace_all_uses_with(value)
        op.erase()

    def _planned(
        self, op: ir.Operation, kind: ir.Type, has: Sharding, wants: Sharding
    ) -> list[tuple[str, Attributes]] | None:
        """Return the names and attributes of the ops that replace a reshard; None if it stays."""
        if not has.has_axes and not wants.has_axes:
            if self._keeps_redundant:
                return None
            self._check_ranks(op, has, wants)
            return []
        if not wants.has_axes:
            wants = _replicated(has.mesh, len(wants.dims))
        if self._axes(has) != self._axes(wants):
            return None
        self._check_ranks(op, has, wants)
        meshes = has.mesh, wants.mesh
        if has.mesh != wants.mesh and len(set(map(self._shardings.mesh, meshes))) == 1:
            fail(
                op,
                f"the operand is on mesh {_name(has.mesh)}, the result on {_name(wants.mesh)}, which is"
                " the same mesh: name one of them in both; -sdy-lift-inlined-meshes does it",
            )
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
        return [(each.name, self._attributes(each, has, wants)) for each in found]

    def _check_ranks(self, op: ir.Operation, has: Sharding, wants: Sharding) -> None:
        if len(has.dims) != len(wants.dims):
            fail(
                op,
                "no collective moves a tensor between a single device and all of a mesh:"
                f" the operand has the sharding {self._text(has)}",
            )

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


def _warn_of_unreduced(op: ir.Operation) -> None:
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
