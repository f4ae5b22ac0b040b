"""Numbers of ops and values that the passes keep: they are part of the locations.

A pass leaves the location of an op that it keeps, and gives those that it makes the location of what
they are made of. So a number in the location leads from the partitioned program back to the program
whose propagation was recorded, and changes nothing else of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sdykit.explain.model import Explanation
from sdykit.mlir import ir

_NUMBERED = re.compile(r"sdykit\.(op|value)\.(\d+)")
_IN_MESSAGES = re.compile(r'"sdykit\.(?:op|value)\.\d+"\(([^()]*)\)')
_ARGUMENTS_ARE_RESULTS = frozenset(("stablehlo.while", "stablehlo.case", "mpmd.for"))
"""Ops whose block arguments have the shardings of their results."""


def number_locations(module: ir.Operation, explanation: Explanation) -> None:
    """Write the numbers of ops and of block arguments into the locations of a propagated module.

    Args:
        module: the module after propagation, which erased the ops that nothing uses.
        explanation: what was recorded of it.
    """
    kept = iter([op for op in explanation.ops if not op.is_erased])
    arguments = _arguments(explanation)

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op == module:
            return ir.WalkResult.ADVANCE
        recorded = next(kept)
        assert recorded.name == op.name
        op.location = ir.Location.name(f"sdykit.op.{recorded.number}", op.location)
        tensors: Sequence[int] = arguments[recorded.number]
        if op.name in _ARGUMENTS_ARE_RESULTS:
            tensors = recorded.results
        for region in op.regions:
            for block in region.blocks:
                for argument, tensor in zip(block.arguments, tensors, strict=False):
                    name = f"sdykit.value.{tensor}"
                    argument.set_location(ir.Location.name(name, argument.location))
        return ir.WalkResult.ADVANCE

    module.walk(visit, ir.WalkOrder.PRE_ORDER)


def _arguments(explanation: Explanation) -> list[list[int]]:
    """Return the tensors of the block arguments of each op, by its number."""
    found: list[list[int]] = [[] for _ in explanation.ops]
    for tensor in explanation.tensors:
        is_result = tensor.number in explanation.ops[tensor.op].results
        if tensor.kind != "result" and not is_result:
            found[tensor.op].append(tensor.number)
    return found


def without_numbers(text: str) -> str:
    """Return a message of MLIR without the names that locations have got."""
    return _IN_MESSAGES.sub(r"\1", text)


def op_number(op: ir.Operation) -> int | None:
    """Return the number of an op of the recorded program; None if it is of no such op."""
    return _number(op.location, "op")


def tensor_number(value: ir.Value, explanation: Explanation) -> int | None:
    """Return the tensor that a value is in the recorded program; None: it is none there."""
    if isinstance(value, ir.BlockArgument):
        return _number(value.location, "value")
    result = ir.OpResult(value)
    number = op_number(result.owner.operation)
    if number is None:
        return None
    results = explanation.ops[number].results
    return results[result.result_number] if result.result_number < len(results) else None


def _number(location: ir.Location, kind: str) -> int | None:
    while isinstance(location, ir.NameLoc):
        found = _NUMBERED.fullmatch(location.name_str)
        if found is not None:
            return int(found[2]) if found[1] == kind else None
        location = location.child_loc
    return None
