"""New ops that give a value another sharding: sums over axes, unreduced axes, reshards."""

from __future__ import annotations

from sdykit.dialects import sdy
from sdykit.mlir import ir
from sdykit.passes.sdy._propagation.axes import (
    Axes,
    Axis,
    Status,
    can_coexist,
    contains,
    overlap,
    status,
)
from sdykit.passes.sdy._propagation.projection import Dim
from sdykit.passes.sdy._propagation.shardings import Mesh, Sharding, Shardings

RESHARD = sdy.ReshardOp.OPERATION_NAME
_ALL_REDUCE = sdy.AllReduceOp.OPERATION_NAME
_TO_UNREDUCED = sdy.ReplicatedToUnreducedOp.OPERATION_NAME
_SHARDED_TO_UNREDUCED = sdy.ShardedToUnreducedOp.OPERATION_NAME


def axes_without(axes: Axes, others: Axes) -> Axes:
    """Return the parts of axes that none of some others overlaps, in their order."""
    found: list[Axis] = []
    for axis in axes:
        parts = [axis]
        for other in others:
            parts = [each for part in parts for each in _parts_without(part, other)]
        found += parts
    return tuple(found)


def _parts_without(axis: Axis, other: Axis) -> list[Axis]:
    """Return the parts of an axis before and after another one."""
    if axis == other:
        return []
    if not overlap(axis, other):
        return [axis]
    if not can_coexist(axis, other):
        return []
    parts: list[Axis] = []
    if axis.pre < other.pre:
        parts.append(Axis(axis.name, axis.pre, other.pre // axis.pre))
    if axis.next > other.next:
        parts.append(Axis(axis.name, other.next, axis.next // other.next))
    return parts


def equivalent(one: Sharding | None, other: Sharding | None) -> bool:
    """Return whether two shardings divide a tensor in the same way."""
    has_axes = [each is not None and each.has_axes for each in (one, other)]
    if not any(has_axes):
        return True
    if one is None or other is None:
        return False
    return one.mesh == other.mesh and [d.axes for d in one.dims] == [d.axes for d in other.dims]


def sum_of(
    value: ir.Value, sharding: ir.Attribute, axes: ir.Attribute, place: ir.InsertionPoint
) -> ir.Value:
    """Return the sum of a value over axes; its sharding and the axes are attributes."""
    return _made(_ALL_REDUCE, value, {"reduction_axes": axes, "out_sharding": sharding}, place)


def resharded(value: ir.Value, sharding: ir.Attribute, place: ir.InsertionPoint) -> ir.Value:
    """Return a value with another sharding, an attribute."""
    return _made(RESHARD, value, {"sharding": sharding}, place)


def _made(
    name: str, value: ir.Value, attributes: dict[str, ir.Attribute], place: ir.InsertionPoint
) -> ir.Value:
    op = ir.Operation.create(
        name,
        results=[value.type],
        operands=[value],
        attributes=attributes,
        loc=value.location,
        ip=place,
    )
    return op.results[0]


class Collectives:
    """Makes them."""

    def __init__(self, shardings: Shardings) -> None:
        self._shardings = shardings

    def convert(
        self,
        value: ir.Value,
        has: Sharding | None,
        wants: Sharding | None,
        place: ir.InsertionPoint,
        *,
        is_full: bool,
    ) -> ir.Value:
        """Return a value with the unreduced axes of a wanted sharding, and with its dimensions if full."""
        if has is not None:
            removed = axes_without(has.unreduced, wants.unreduced if wants is not None else ())
            if removed:
                value = self.all_reduce(value, has, removed, place)
                has = has._replace(unreduced=axes_without(has.unreduced, removed))
        if wants is not None and has is not None:
            added = axes_without(wants.unreduced, has.unreduced)
            if added:
                value, has = self._add_unreduced(value, has, wants, added, place)
        if is_full and not equivalent(has, wants):
            assert has is not None or wants is not None
            if wants is None:
                assert has is not None
                wants = Sharding(has.mesh, tuple(Dim((), True) for _ in has.dims))
            value = self.reshard(value, wants, place)
        return value

    def _add_unreduced(
        self,
        value: ir.Value,
        has: Sharding,
        wants: Sharding,
        added: Axes,
        place: ir.InsertionPoint,
    ) -> tuple[ir.Value, Sharding]:
        """Return a value with new unreduced axes: those that divide a dimension, and others."""
        per_dim = [
            _extra(mine.axes, theirs.axes, added)
            for mine, theirs in zip(has.dims, wants.dims, strict=True)
        ]
        sharded = [axis for axes in per_dim for axis in axes]
        dims = tuple(
            mine if extra else theirs
            for mine, theirs, extra in zip(has.dims, wants.dims, per_dim, strict=True)
        )
        taken = tuple(axis for dim in dims for axis in dim.axes)
        before = Sharding(wants.mesh, dims, axes_without(has.replicated, taken), has.unreduced)
        if not equivalent(has, before):
            value = self.reshard(value, before, place)
        others = axes_without(added, tuple(sharded))
        if others:
            unreduced = axes_without(wants.unreduced, tuple(sharded))
            before = before._replace(replicated=wants.replicated, unreduced=unreduced)
            out = self._shardings.make(before)
            value = _made(
                _TO_UNREDUCED,
                value,
                {"axes": self.axes(wants.mesh, others), "out_sharding": out},
                place,
            )
        if sharded:
            lists = tuple(self._list(wants.mesh, axes) for axes in per_dim)
            axes = sdy.ListOfAxisRefListsAttr(lists).to_attr()
            out = self._shardings.make(wants)
            value = _made(_SHARDED_TO_UNREDUCED, value, {"axes": axes, "out_sharding": out}, place)
        return value, wants

    def all_reduce(
        self, value: ir.Value, has: Sharding, axes: Axes, place: ir.InsertionPoint
    ) -> ir.Value:
        """Return the sum of a value over some of its unreduced axes."""
        left = has._replace(unreduced=axes_without(has.unreduced, axes))
        return sum_of(value, self._shardings.make(left), self.axes(has.mesh, axes), place)

    def reshard(self, value: ir.Value, sharding: Sharding, place: ir.InsertionPoint) -> ir.Value:
        """Return a value with another sharding."""
        return resharded(value, self._shardings.make(sharding), place)

    def axes(self, mesh: Mesh, axes: Axes) -> ir.Attribute:
        """Return the attribute that holds axes of a mesh."""
        return self._list(mesh, axes).to_attr()

    def _list(self, mesh: Mesh, axes: Axes) -> sdy.AxisRefListAttr:
        return sdy.AxisRefListAttr(tuple(self._shardings.axis_ref(mesh, axis) for axis in axes))


def _extra(mine: Axes, theirs: Axes, added: Axes) -> Axes:
    """Return the axes at the end of a dimension that another one lacks and that are to be unreduced."""
    if status(theirs, mine) is not Status.STRICT_PREFIX:
        return ()
    last = len(theirs) - 1
    extra = (*(axes_without(mine[last:][:1], theirs[last:]) if theirs else ()), *mine[last + 1 :])
    return extra if all(any(contains(each, axis) for each in added) for axis in extra) else ()
