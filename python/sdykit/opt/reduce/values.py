"""Values that can stand for the results of an op which is to go."""

from __future__ import annotations

from collections.abc import Callable

from sdykit.mlir import ir

Replacement = Callable[[ir.Operation, ir.Value], ir.Value | None]
"""Finds a value for a result of an op, if it can."""

_CONSTANTS = ("arith.constant", "stablehlo.constant", "mhlo.constant", "sdy.constant")


def is_constant(name: str) -> bool:
    """Return whether ops of this name are constants."""
    return name in _CONSTANTS


def operand_like(op: ir.Operation, result: ir.Value) -> ir.Value | None:
    """Return the first operand of the type of a result."""
    return next((value for value in op.operands if value.type == result.type), None)


def argument_like(op: ir.Operation, result: ir.Value) -> ir.Value | None:
    """Return the first argument of a block around an op that has the type of a result."""
    at: ir.Operation | None = op
    while at is not None and at.parent is not None:
        for argument in at.block.arguments:
            if argument.type == result.type:
                return argument
        at = at.parent.operation
    return None


def constant_like(op: ir.Operation, result: ir.Value) -> ir.Value | None:
    """Insert a zero of the type of a result before an op; a constant stays what it is."""
    if is_constant(op.name):
        return None
    element = result.type
    name = "arith.constant"
    if isinstance(element, ir.RankedTensorType):
        if not element.has_static_shape:
            return None
        name, element = "stablehlo.constant", element.element_type
    zero = _zero(element)
    if zero is None:
        return None
    text = f"dense<{zero}>" if name == "stablehlo.constant" else zero
    value = ir.Attribute.parse(f"{text} : {result.type}", op.context)
    with ir.InsertionPoint(op), op.location:
        made = ir.Operation.create(name, results=[result.type], attributes={"value": value})
    return made.results[0]


def _zero(element: ir.Type) -> str | None:
    if isinstance(element, ir.ComplexType):
        part = _zero(element.element_type)
        return None if part is None else f"({part}, {part})"
    if isinstance(element, ir.FloatType):
        return "0.0"
    return "0" if isinstance(element, ir.IntegerType | ir.IndexType) else None


def replace_results(op: ir.Operation, replacement: Replacement) -> bool:
    """Put other values for the results of an op; return whether it may be erased then.

    It may not if nothing is found for a result in use. What nothing uses is left to others.
    """
    used = [result for result in op.results if next(iter(result.uses), None) is not None]
    found: list[tuple[ir.Value, ir.Value]] = []
    for result in used:
        value = replacement(op, result)
        if value is None:
            return False
        found.append((result, value))
    for result, value in found:
        result.replace_all_uses_with(value)
    return bool(found)


def can_unwrap(op: ir.Operation) -> bool:
    """Return whether the ops of a region of an op can stand in its place."""
    return op.name not in ("func.func", "builtin.module") and _body(op) is not None


def unwrap(op: ir.Operation) -> None:
    """Put the ops of a region of an op in its place; none if no region fits any more."""
    block = _body(op)
    if block is None:
        return
    for argument, operand in zip(block.arguments, op.operands, strict=False):
        argument.replace_all_uses_with(operand)
    *ops, last = [each.operation for each in block.operations]
    for inner in ops:
        inner.move_before(op)
    for result, value in zip(op.results, last.operands, strict=True):
        result.replace_all_uses_with(value)
    op.erase()


def _body(op: ir.Operation) -> ir.Block | None:
    """Return the only block of a region that takes the operands of an op and gives its results."""
    for region in op.regions:
        blocks = list(region.blocks)
        if len(blocks) != 1 or not len(blocks[0].operations):
            continue
        inner = [argument.type for argument in blocks[0].arguments]
        last = list(blocks[0].operations)[-1].operation
        if inner and inner != [operand.type for operand in op.operands]:
            continue
        if [value.type for value in last.operands] == [result.type for result in op.results]:
            return blocks[0]
    return None
