"""Going over all shardings of a module, wherever they are kept, and replacing them."""

from __future__ import annotations

from collections.abc import Callable

from sdykit.core import ops_named
from sdykit.dialects import sdy
from sdykit.mlir import ModuleOp, ir

SHARDING = "sdy.sharding"
"""The attribute of any op, for its results, and of function arguments and results."""

FUNC = "func.func"

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


def sharded_ops(root: ir.Operation | ir.OpView) -> list[ir.Operation]:
    """List `root` and the ops below it that may keep shardings, each before its regions."""
    found: list[ir.Operation] = []
    slots, advance = _SLOTS, ir.WalkResult.ADVANCE

    # The walk is what a pass over all shardings costs: 0.6 us an op, half of it here.
    def collect(op: ir.Operation) -> ir.WalkResult:
        if SHARDING in op.attributes or op.name in slots:
            found.append(op)
        return advance

    root.operation.walk(collect, ir.WalkOrder.PRE_ORDER)
    return found


def replace_shardings(module: ModuleOp, replace: Replace) -> None:
    """Replace all shardings below `module`.

    `replace` meets them in this order: an op before the ops in its regions; the arguments
    of a function before its results; what goes into a computation before what comes out.
    """
    replaced: dict[ir.Attribute, ir.Attribute] = {}
    for op in sharded_ops(module):
        attributes = op.attributes
        for slot in _SLOTS.get(op.name, _DEFAULT_SLOTS):
            old = attributes.get(slot)
            if old is None:
                continue
            new = replaced.get(old)
            if new is None:
                new = replaced[old] = _replace_in(slot, old, replace)
            if new != old:
                attributes[slot] = new


def _replace_in(slot: str, attribute: ir.Attribute, replace: Replace) -> ir.Attribute:
    """Replace the shardings in an attribute; the same attribute if all stay the same."""
    if slot in ("arg_attrs", "res_attrs"):
        dicts = map(ir.DictAttr, ir.ArrayAttr(attribute))
        return ir.ArrayAttr.get([_replace_in_dict(attrs, replace) for attrs in dicts])
    if slot in ("sharding", "out_sharding"):
        return _replace_one(attribute, replace)
    old = sdy.TensorShardingPerValueAttr.of(attribute)
    new = sdy.TensorShardingPerValueAttr(tuple(map(replace, old.shardings)))
    return attribute if new == old else new.to_attr()


def _replace_in_dict(attrs: ir.DictAttr, replace: Replace) -> ir.DictAttr:
    if SHARDING not in attrs:
        return attrs
    new = {named.name: named.attr for named in attrs}
    new[SHARDING] = _replace_one(new[SHARDING], replace)
    return ir.DictAttr.get(new)


def _replace_one(attribute: ir.Attribute, replace: Replace) -> ir.Attribute:
    old = sdy.TensorShardingAttr.of(attribute)
    new = replace(old)
    return attribute if new == old else new.to_attr()


def meshes_of(module: ModuleOp) -> dict[str, sdy.MeshAttr]:
    """Give the meshes at the top of a module by name, in program order."""
    return {symbol_name(op): sdy.MeshAttr.of(op.attributes["mesh"]) for op in mesh_ops(module)}


def mesh_ops(module: ModuleOp) -> list[ir.Operation]:
    """List the `sdy.mesh` ops at the top of a module, those of nested modules left out."""
    top = module.operation
    ops = ops_named(module, sdy.MeshOp.OPERATION_NAME)
    return [op for op in ops if op.parent is not None and op.parent.operation == top]


def symbol_name(op: ir.Operation) -> str:
    """Give the name of a symbol as it stands in views; one that is not UTF-8 is escaped."""
    name = ir.StringAttr(op.attributes["sym_name"])
    return name.value_bytes.decode("utf-8", "surrogateescape")


def every_op_named(root: ir.Operation | ir.OpView, *names: str) -> list[ir.Operation]:
    """List the ops with one of the names as `ops_named` does, unreachable blocks included."""
    found = ops_named(root, FUNC, "scf.execute_region", *names)
    with_blocks = [op for op in found if op.name in (FUNC, "scf.execute_region")]
    if all(len(op.regions[0].blocks) <= 1 for op in with_blocks):
        return [op for op in found if op.name in names]
    found = []

    def collect(op: ir.Operation) -> ir.WalkResult:
        if op.name in names:
            found.append(op)
        return ir.WalkResult.ADVANCE

    root.operation.walk(collect, ir.WalkOrder.POST_ORDER)
    return found
