"""Going over all shardings of a module, wherever they are kept, and replacing them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sdykit.core import FUNC
from sdykit.dialects import sdy
from sdykit.mlir import ModuleOp, ir

SHARDING = "sdy.sharding"
"""The attribute of any op, for its results, and of function arguments and results."""

Replace = Callable[[sdy.TensorShardingAttr], sdy.TensorShardingAttr]
"""Gives the new sharding for an old one, and the same whenever it is asked again."""

# Where ops keep shardings: the attributes in the order in which they are visited. A
# `sdy.sharding` that one of these has besides means nothing, and is left alone.
_SLOTS = {
    FUNC: ("arg_attrs", "res_attrs"),
    sdy.ManualComputationOp.OPERATION_NAME: ("in_shardings", "out_shardings"),
    sdy.NamedComputationOp.OPERATION_NAME: ("in_shardings", "out_shardings"),
    "mpmd.fragment": ("in_shardings", "out_shardings"),
    sdy.ShardingConstraintOp.OPERATION_NAME: ("sharding",),
    sdy.ReshardOp.OPERATION_NAME: ("sharding",),
    sdy.DataFlowEdgeOp.OPERATION_NAME: ("sharding",),
    sdy.AllGatherOp.OPERATION_NAME: ("out_sharding",),
    sdy.AllReduceOp.OPERATION_NAME: ("out_sharding",),
    sdy.AllSliceOp.OPERATION_NAME: ("out_sharding",),
    sdy.AllToAllOp.OPERATION_NAME: ("out_sharding",),
    sdy.CollectivePermuteOp.OPERATION_NAME: ("out_sharding",),
    sdy.ReduceScatterOp.OPERATION_NAME: ("out_sharding",),
    sdy.ReplicatedToUnreducedOp.OPERATION_NAME: ("out_sharding",),
    sdy.ShardedToUnreducedOp.OPERATION_NAME: ("out_sharding",),
}
_DEFAULT_SLOTS = (SHARDING,)


def replace_shardings(module: ModuleOp, replace: Replace) -> None:
    """Replace all shardings below `module`.

    `replace` meets them in this order: an op before the ops in its regions; the arguments
    of a function before its results; what goes into a computation before what comes out.
    """
    replacer = _Replacer(replace)
    for op in _ops_with_slots(module.operation):
        attributes = op.attributes
        for slot in _SLOTS.get(op.name, _DEFAULT_SLOTS):
            old = attributes.get(slot)
            if old is None:
                continue
            new = replacer.replaced(slot, old)
            if new != old:
                attributes[slot] = new


def _ops_with_slots(root: ir.Operation) -> list[ir.Operation]:
    """List the ops that may keep shardings, each before the ops in its regions."""
    found: list[ir.Operation] = []
    slots, advance = _SLOTS, ir.WalkResult.ADVANCE

    # The walk is what a pass over all shardings costs: 0.6 us an op, half of it here.
    def collect(op: ir.Operation) -> ir.WalkResult:
        if SHARDING in op.attributes or op.name in slots:
            found.append(op)
        return advance

    root.walk(collect, ir.WalkOrder.PRE_ORDER)
    return found


class _Replacer:
    """Replaces the shardings in attributes; each attribute is read and made once.

    An attribute whose shardings all stay the same stays the same, too.
    """

    def __init__(self, replace: Replace) -> None:
        self._replace = replace
        self._replaced: dict[ir.Attribute, ir.Attribute] = {}
        self._kinds = {
            "arg_attrs": self._list_of_dicts,
            "res_attrs": self._list_of_dicts,
            "sharding": self._single,
            "out_sharding": self._single,
        }

    def replaced(self, slot: str, old: ir.Attribute) -> ir.Attribute:
        """Give what takes the place of what is in a slot."""
        return self._once(old, self._kinds.get(slot, self._per_value))

    def _once(
        self, old: ir.Attribute, make: Callable[[ir.Attribute], ir.Attribute]
    ) -> ir.Attribute:
        new = self._replaced.get(old)
        if new is None:
            new = self._replaced[old] = make(old)
        return new

    def _single(self, old: ir.Attribute) -> ir.Attribute:
        view = sdy.TensorShardingAttr.of(old)
        new = self._replace(view)
        return old if new == view else new.to_attr()

    def _per_value(self, old: ir.Attribute) -> ir.Attribute:
        view = sdy.TensorShardingPerValueAttr.of(old)
        new = sdy.TensorShardingPerValueAttr(tuple(map(self._replace, view.shardings)))
        return old if new == view else new.to_attr()

    def _list_of_dicts(self, old: ir.Attribute) -> ir.Attribute:
        return ir.ArrayAttr.get([self._once(attrs, self._dict) for attrs in ir.ArrayAttr(old)])

    def _dict(self, old: ir.Attribute) -> ir.Attribute:
        attrs = ir.DictAttr(old)
        if SHARDING not in attrs:
            return old
        sharding = attrs[SHARDING]
        new = self._once(sharding, self._single)
        if new == sharding:
            return old
        return ir.DictAttr.get({named.name: named.attr for named in attrs} | {SHARDING: new})


def common_mesh(
    shardings: Sequence[sdy.TensorShardingAttr], meshes: dict[str, sdy.MeshAttr]
) -> sdy.MeshAttr | str | None:
    """Give the mesh of the first sharding whose mesh is not maximal, as it is written there."""
    for sharding in shardings:
        mesh = sharding.mesh_or_ref
        if not (mesh if isinstance(mesh, sdy.MeshAttr) else meshes[mesh]).is_maximal:
            return mesh
    return None
