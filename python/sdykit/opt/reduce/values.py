"""Values that can replace the results of an op that is to be erased."""

from __future__ import annotations

from collections.abc import Callable

from sdykit.mlir import ir

Replacement = Callable[[ir.Operation, ir.Value], ir.Value | None]
"""A function that returns a value to replace a result of an op; None if it finds none."""

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
    """Insert a zero of the type of a result before an op; return None for a constant."""
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
    """Replace the results of an op by other values; return whether it may then be erased.

    It may not if no value is found for a result in use, or if no result is in use: other edits
    erase unused ops.
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
    """Return whether the ops of a region of an op can replace it."""
    return op.name not in ("func.func", "builtin.module") and _body(op) is not None


def unwrap(op: ir.Operation) -> None:
    """Replace an op by the ops of a region of it; do nothing if no region fits any more."""
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
    """Return the single block of the first region whose values fit those of the op, if any.

    Its arguments, if it has any, have the types of the operands, and what it returns those of the
    results.
    """
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
