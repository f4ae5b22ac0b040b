"""Inserting `sdy.data_flow_edge`s, and reading them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sdykit.dialects import sdy
from sdykit.mlir import ir
from sdykit.passes.sdy._shardings import IN_SHARDINGS
from sdykit.passes.sdy._value_shardings import (
    ARGUMENTS_OWN_EDGES,
    DATA_FLOW_EDGE,
    MANUAL_COMPUTATION,
    ValueShardings,
    place_of_owner,
    rank,
    shaped_type,
)


def has_static_shape(value_type: ir.Type) -> bool:
    """Return whether a type has a shape without dynamic dimensions; tokens have no shape."""
    shaped = shaped_type(value_type)
    return shaped is not None and shaped.has_rank and shaped.has_static_shape


def edge_shardings(
    owners: Iterable[ir.Value], edges: Iterable[ir.Operation | None]
) -> list[sdy.TensorShardingAttr] | None:
    """Return the sharding of the edge of each owner, open ones for others; None if none has one."""
    attributes = [edge and edge.attributes.get("sharding") for edge in edges]
    views = [attribute and sdy.TensorShardingAttr.of(attribute) for attribute in attributes]
    mesh = next((view.mesh_or_ref for view in views if view), None)
    if mesh is None:
        return None
    return [
        view or sdy.TensorShardingAttr.fully_open(mesh, rank(owner.type))
        for owner, view in zip(owners, views, strict=True)
    ]


class EdgeInserter:
    """Inserts data-flow edges; its caches are for one run of a pass."""

    def __init__(self) -> None:
        """Begin with empty caches."""
        self._shardings = ValueShardings()
        self._is_static: dict[ir.Type, bool] = {}
        self._inner: dict[tuple[ir.Attribute, ir.Attribute], ir.Attribute] = {}

    def insert_for(self, op: ir.Operation) -> None:
        """Insert an edge for every value of `op` that owns a data-flow edge."""
        if op.name in ARGUMENTS_OWN_EDGES:
            block = op.regions[0].blocks[0]
            self._insert(block.arguments, ir.InsertionPoint.at_block_begin(block))
        self._insert(op.results, ir.InsertionPoint.after(op))

    def _insert(self, owners: Iterable[ir.Value], at: ir.InsertionPoint) -> None:
        for owner in owners:
            owner_type = owner.type
            if not self._has_static_shape(owner_type):
                continue
            sharding = self._sharding(owner)
            edge = ir.Operation.create(
                DATA_FLOW_EDGE,
                results=[owner_type],
                operands=[owner],
                attributes=None if sharding is None else {"sharding": sharding},
                loc=owner.location,
                ip=at,
            )
            owner.replace_all_uses_except(edge.result, edge)

    def _has_static_shape(self, value_type: ir.Type) -> bool:
        if value_type not in self._is_static:
            self._is_static[value_type] = has_static_shape(value_type)
        return self._is_static[value_type]

    def _sharding(self, owner: ir.Value) -> ir.Attribute | None:
        place = place_of_owner(owner)
        sharding = self._shardings.at(place)
        if sharding is None or place.key != IN_SHARDINGS or place.op.name != MANUAL_COMPUTATION:
            return sharding
        # An owner that has an edge already gets a second one, which the verifier rejects. Its error
        # shows the new edge: as in C++, that has the sharding of the one that is there.
        for use in owner.uses:
            if use.owner.name == DATA_FLOW_EDGE:
                return use.owner.attributes.get("sharding")
        key = (sharding, place.op.attributes["manual_axes"])
        if key not in self._inner:
            self._inner[key] = _inner_sharding(*key)
        return self._inner[key]


def _inner_sharding(sharding: ir.Attribute, manual_axes: ir.Attribute) -> ir.Attribute:
    """Return the sharding that the body sees for an in sharding: without the manual axes."""
    manual = frozenset(sdy.ManualAxesAttr.of(manual_axes).value)

    def free(axes: tuple[sdy.AxisRefAttr, ...]) -> tuple[sdy.AxisRefAttr, ...]:
        return tuple(axis for axis in axes if axis.name not in manual)

    view = sdy.TensorShardingAttr.of(sharding)
    return replace(
        view,
        dim_shardings=tuple(replace(dim, axes=free(dim.axes)) for dim in view.dim_shardings),
        replicated_axes=free(view.replicated_axes),
        unreduced_axes=free(view.unreduced_axes),
    ).to_attr()
