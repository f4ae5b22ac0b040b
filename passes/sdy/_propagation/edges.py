"""Data-flow edges: what flows into a value that a region op returns, or hands to its regions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sdykit.mlir import ir
from sdykit.passes.sdy._value_shardings import RESULTS_OWN_EDGES, parent_op

WHILE = "stablehlo.while"
CASE = "stablehlo.case"
FOR = "mpmd.for"


def sources_of(owner: ir.Value) -> list[ir.Value]:
    """Return the values that flow into the owner of an edge."""
    if isinstance(owner, ir.BlockArgument):
        return [parent_op(owner).operands[owner.arg_number]]
    result = ir.OpResult(owner)
    op, number = result.owner.operation, result.result_number
    if op.name in (WHILE, FOR):
        return [op.operands[number], _returned(op.regions[-1])[number]]
    if op.name == CASE:
        return [_returned(region)[number] for region in op.regions]
    if not len(op.regions):
        return [op.operands[number]]
    return [_returned(op.regions[0])[number]]


def other_targets(owner: ir.Value) -> Iterator[ir.Value]:
    """Yield the values of an edge that its owner stands for: arguments of the regions of a loop."""
    if isinstance(owner, ir.BlockArgument):
        return
    result = ir.OpResult(owner)
    op = result.owner.operation
    if op.name in (WHILE, FOR):
        for region in op.regions:
            yield region.blocks[0].arguments[result.result_number]


def edge_owner_of_use(op: ir.Operation, number: int) -> ir.Value | None:
    """Return the owner of the edge that operand `number` of an op is a source of, or None."""
    if op.name in RESULTS_OWN_EDGES:
        return op.results[number] if number < len(op.results) else None
    return None


def _returned(region: ir.Region) -> Sequence[ir.Value]:
    return list(region.blocks[0].operations)[-1].operation.operands
