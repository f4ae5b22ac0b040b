"""Blocks of a program, split into single MPMD ops and pieces of other ops between them."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass

from sdykit.mlir import ir
from sdykit.mpmd.bodies import pre_order


@dataclass(frozen=True)
class Piece:
    """Consecutive ops that are compiled together."""

    ops: Sequence[ir.Operation]
    inputs: dict[ir.Value, tuple[ir.Operation, int]]
    """The values from outside; of each, the first op that uses it and the operand number."""
    outputs: list[ir.Value]
    """The results that are used outside."""


def pieces_of(block: ir.Block, single: Container[str]) -> list[Piece | ir.Operation]:
    """Split a block, without its terminator, at the ops whose names are in `single`."""
    found: list[Piece | ir.Operation] = []
    pending: list[ir.Operation] = []
    for view in list(block.operations)[:-1]:
        op = view.operation
        if op.name not in single:
            pending.append(op)
            continue
        if pending:
            found.append(_piece(pending))
            pending = []
        found.append(op)
    if pending:
        found.append(_piece(pending))
    return found


def _piece(ops: Sequence[ir.Operation]) -> Piece:
    inner = [each for op in ops for each in pre_order(op)]
    defined: set[ir.Value] = set()
    for op in inner:
        defined.update(op.results)
        defined.update(
            argument for region in op.regions for block in region for argument in block.arguments
        )
    inputs: dict[ir.Value, tuple[ir.Operation, int]] = {}
    for op in inner:
        for index, value in enumerate(op.operands):
            if value not in defined:
                inputs.setdefault(value, (op, index))
    users = set(inner)
    outputs: list[ir.Value] = [
        result
        for op in ops
        for result in op.results
        if any(use.owner.operation not in users for use in result.uses)
    ]
    return Piece(ops, inputs, outputs)
