"""Loops of a program, unrolled: the steps of a plan have no control flow."""

from __future__ import annotations

from sdykit.core.mpmd.program import FRAGMENT
from sdykit.dialects import mpmd
from sdykit.mlir import ir
from sdykit.mpmd.clone import Values, clone_with
from sdykit.mpmd.errors import fail_at
from sdykit.mpmd.marks import is_mesh_tensor

FOR = "mpmd.for"


def unroll_loops(block: ir.Block) -> None:
    """Replace each loop of a block, and each loop in it, by a copy of its body for each iteration.

    Raises:
        ExecutionError: the index of a loop is used, and is on no mesh.
    """
    while loops := [view.operation for view in block.operations if view.operation.name == FOR]:
        for op in loops:
            _unroll(op)


def _unroll(op: ir.Operation) -> None:
    body = op.regions[0].blocks[0]
    *carried, index = body.arguments
    *ops, terminator = [view.operation for view in body.operations]
    results: list[ir.Value] = list(op.operands)
    returned: list[ir.Value] = list(terminator.operands)
    has_index = any(True for _ in index.uses)
    for number in range(ir.IntegerAttr(op.attributes["iterations"]).value):
        with ir.InsertionPoint(op), op.location:
            values: Values = dict(zip(carried, results, strict=True))
            if has_index:
                values[index] = _index(op, index, number)
            for each in ops:
                clone_with(each, values)
            results = [values.get(value, value) for value in returned]
    for old, new in zip(op.results, results, strict=True):
        old.replace_all_uses_with(new)
    op.erase()


def _index(op: ir.Operation, index: ir.Value, number: int) -> ir.Value:
    """Make a fragment that computes the index of an iteration, where the loop has it."""
    if not is_mesh_tensor(index.type):
        fail_at(op, f"the index of '{FOR}' op is used, and is on no mesh: {index.type}")
    tensor = mpmd.MeshTensorType.of(index.type)
    value = ir.Attribute.parse(f"dense<{number}> : {tensor.ranked_tensor_type}")
    attributes = {"mesh_name": ir.StringAttr.get(tensor.mesh_name), "origin": ir.ArrayAttr.get([])}
    made = ir.Operation.create(FRAGMENT, [index.type], attributes=attributes, regions=1)
    with ir.InsertionPoint(made.regions[0].blocks.append()):
        inner = ir.Type.parse(tensor.ranked_tensor_type)
        constant = ir.Operation.create("stablehlo.constant", [inner], attributes={"value": value})
        ir.Operation.create("mpmd.return", operands=[constant.result])
    return made.results[0]
