"""The shardings of a module: which attributes hold them, and how to replace all of them."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence

from sdykit.core import FUNC
from sdykit.dialects import sdy
from sdykit.mlir import ModuleOp, ir

SHARDING = "sdy.sharding"
"""The attribute of any op, for its results, and of function arguments and results."""

Replace = Callable[[sdy.TensorShardingAttr], sdy.TensorShardingAttr]
"""Returns the new sharding for an old one; always the same for the same old one."""

ARG_ATTRS = "arg_attrs"
RES_ATTRS = "res_attrs"
IN_SHARDINGS = "in_shardings"
OUT_SHARDINGS = "out_shardings"

_WITH_SHARDING = (sdy.ShardingConstraintOp, sdy.ReshardOp, sdy.DataFlowEdgeOp)
_WITH_OUT_SHARDING = (
    sdy.AllGatherOp,
    sdy.AllReduceOp,
    sdy.AllSliceOp,
    sdy.AllToAllOp,
    sdy.CollectivePermuteOp,
    sdy.ReduceScatterOp,
    sdy.ReplicatedToUnreducedOp,
    sdy.ShardedToUnreducedOp,
)
COLLECTIVES = frozenset(op.OPERATION_NAME for op in _WITH_OUT_SHARDING)
"""The names of the collectives of sdy."""
RESULT_ATTRIBUTE = {
    **{op.OPERATION_NAME: "sharding" for op in _WITH_SHARDING},
    **dict.fromkeys(COLLECTIVES, "out_sharding"),
}
"""The attribute that holds the sharding of the only result, by the names of ops that have one."""

REGION_OPS = frozenset(
    (
        sdy.ManualComputationOp.OPERATION_NAME,
        sdy.NamedComputationOp.OPERATION_NAME,
        "mpmd.fragment",
    )
)
"""The ops that hold the shardings of their block arguments and results."""

# The attributes that hold the shardings of other ops, in the order in which they are visited. A
# `sdy.sharding` that such an op has as well means nothing, and is left alone.
_ATTRIBUTES = {
    FUNC: (ARG_ATTRS, RES_ATTRS),
    **dict.fromkeys(REGION_OPS, (IN_SHARDINGS, OUT_SHARDINGS)),
    **{name: (key,) for name, key in RESULT_ATTRIBUTE.items()},
}
_DEFAULT_ATTRIBUTES = (SHARDING,)


def sharding_keys(op_name: str) -> tuple[str, ...]:
    """Return the names of the attributes that hold the shardings of ops of a name."""
    return _ATTRIBUTES.get(op_name, _DEFAULT_ATTRIBUTES)


def replace_shardings(module: ModuleOp, replace: Replace) -> None:
    """Replace all shardings below `module`.

    `replace` is called in this order: an op before the ops in its regions; the arguments of a
    function before its results; the in shardings of a computation before its out shardings. It
    must not raise: within a walk of the bindings, all exceptions become `RuntimeError`s.
    """
    visitor = _replacing(_Replacer(replace))
    next(visitor)
    module.operation.walk(visitor.send, ir.WalkOrder.PRE_ORDER)


def _replacing(replacer: _Replacer) -> Generator[ir.WalkResult, ir.Operation]:
    """Replace the shardings of each op that is sent.

    Most of the time of a pass over all shardings is this walk, 0.5 us an op, half of it in the
    bindings. So it is a generator, which is resumed faster than a function is called, and keeps no
    op, since memory for these costs more than to read them.
    """
    with_own, advance = _ATTRIBUTES, ir.WalkResult.ADVANCE
    replaced: dict[ir.Attribute, ir.Attribute | None] = {}
    op = yield advance
    while True:
        attributes, name = op.attributes, op.name
        if name in with_own or SHARDING in attributes:
            for key in with_own.get(name, _DEFAULT_ATTRIBUTES):
                old = attributes.get(key)
                if old is None:
                    continue
                try:
                    new = replaced[old]
                except KeyError:
                    new = replaced[old] = replacer.replaced(key, old)
                if new is not None:
                    attributes[key] = new
        op = yield advance


class _Replacer:
    """Replaces the shardings in attributes.

    An attribute stays the same if all its shardings do.
    """

    def __init__(self, replace: Replace) -> None:
        self._replace = replace
        self._replaced: dict[ir.Attribute, ir.Attribute] = {}
        self._kinds = {
            ARG_ATTRS: self._list_of_dicts,
            RES_ATTRS: self._list_of_dicts,
            "sharding": self._single,
            "out_sharding": self._single,
        }

    def replaced(self, key: str, old: ir.Attribute) -> ir.Attribute | None:
        """Return the attribute `key` of an op with the new shardings, or None if it stays."""
        new = self._kinds.get(key, self._per_value)(old)
        return None if new == old else new

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
    """Return the mesh, or its name, of the first sharding whose mesh is not maximal, if any."""
    for sharding in shardings:
        mesh = sharding.mesh_or_ref
        if not (mesh if isinstance(mesh, sdy.MeshAttr) else meshes[mesh]).is_maximal:
            return mesh
    return None
