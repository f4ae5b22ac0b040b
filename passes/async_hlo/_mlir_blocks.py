"""The blocks that hold chains, in the order in which chains are to be changed."""

from __future__ import annotations

from sdykit.core import ops_named
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.async_hlo import _mlir_names as names


def inner_first(module: ModuleOp, functions: names.Functions) -> list[ir.Block]:
    """List the blocks that hold starts, those of a function in front of the starts that call it."""
    starts: dict[ir.Operation, list[ir.Operation]] = {}
    for start in ops_named(module, names.START):
        starts.setdefault(_function_around(start), []).append(start)
    # Blocks have no hash of their own, their first operations do.
    found: dict[ir.Operation, ir.Block] = {}
    entered: set[ir.Operation] = set()
    pending = list(starts)[::-1]
    while pending:
        function = pending[-1]
        if function in entered:
            pending.pop()
            found |= {
                start.block.operations[0].operation: start.block for start in starts[function]
            }
            continue
        entered.add(function)
        called = [functions.called_by(start) for start in starts[function]]
        pending += [each for each in called if each in starts and each not in entered]
    return list(found.values())


def _function_around(op: ir.Operation) -> ir.Operation:
    parent = op.parent
    while parent is not None and parent.operation.name != "builtin.module":
        op, parent = parent.operation, parent.operation.parent
    return op
