"""Check the operands of an instruction before it is written as an op.

The verifiers of the dialects find most faults of an op, but end the process on some ops that
have too few operands, or tuples for arrays.
"""

from __future__ import annotations

from sdykit.hlo.async_ops import ASYNC
from sdykit.hlo.mlir.types import type_of
from sdykit.hlo.model import Computation, Instruction
from sdykit.hlo.shape import Shape, same_shape, tuple_shape

_OPERANDS = {
    **dict.fromkeys(("constant", "iota", "parameter", "partition-id", "replica-id"), 0),
    **dict.fromkeys(("add", "add-dependency", "and", "atan2", "compare", "complex", "divide"), 2),
    **dict.fromkeys(("dot", "maximum", "minimum", "multiply", "or", "pad", "power"), 2),
    **dict.fromkeys(("remainder", "shift-left", "shift-right-arithmetic"), 2),
    **dict.fromkeys(("shift-right-logical", "stochastic-convert", "subtract", "xor"), 2),
    **dict.fromkeys(("clamp", "select"), 3),
}
"""The number of operands of opcodes that have a fixed number, unless it is one."""
_MIN_OPERANDS = {
    "concatenate": 1,
    "dynamic-slice": 1,
    "dynamic-update-slice": 2,
    "map": 1,
    "sort": 1,
}
"""The minimum number of operands of opcodes that have one or more, or two or more."""
_ANY_NUMBER = frozenset({"after-all", "call", "custom-call", "reduce", "tuple"}) | ASYNC
_OPERANDS_OF_ANY_SHAPE = frozenset({"copy", "get-tuple-element", "opt-barrier"}) | (
    _ANY_NUMBER - {"reduce"}
)
_MAY_BE_TUPLES = _OPERANDS_OF_ANY_SHAPE | {"reduce", "sort"}
_PARAMETERS = {"call": 1, "map": 1, "reduce": 1, "sort": 2}
"""The number of parameters that the called computation has for each operand."""


def check_operands(op: Instruction) -> None:
    """Check the number and shapes of the operands, and the computation called with them.

    Raises:
        ValueError: they do not fit the opcode.
    """
    _check_number(op)
    for operand in op.operands:
        array = type_of(operand.shape).startswith("tensor<")
        token = op.opcode == "add-dependency" and operand is op.operands[-1]
        if op.opcode not in _OPERANDS_OF_ANY_SHAPE and not array and not token:
            raise ValueError(f"operand %{operand.name} has to be an array, found {operand.shape}")
    if op.opcode not in _MAY_BE_TUPLES and Shape(op.shape).elements is not None:
        raise ValueError(f"expected the shape of an array, found {op.shape}")
    if op.opcode in ("opt-barrier", "tuple", "get-tuple-element"):
        _check_tuples(op)
    if op.opcode in _PARAMETERS:
        _check_call(op)


def _check_number(op: Instruction) -> None:
    count, opcode = len(op.operands), op.opcode
    if opcode == "reduce" and (count < 2 or count % 2):
        message = "expected arrays and as many initial values as operands"
        raise ValueError(f"{message}, found {count} operands")
    if opcode in _ANY_NUMBER:
        return
    if opcode in _MIN_OPERANDS:
        if count < _MIN_OPERANDS[opcode]:
            raise ValueError(
                f"number of operands: expected at least {_MIN_OPERANDS[opcode]}, found {count}"
            )
        return
    expected = _OPERANDS.get(opcode, 1)
    if count != expected:
        raise ValueError(f"number of operands: expected {expected}, found {count}")


def _check_tuples(op: Instruction) -> None:
    shape = op.operands[0].shape if op.operands else "()"
    if op.opcode == "tuple":
        shape = tuple_shape([operand.shape for operand in op.operands])
    elif op.opcode == "get-tuple-element":
        elements, index = Shape(shape).elements, op.attributes.get("index", "")
        if elements is None or not index.isdecimal() or int(index) >= len(elements):
            raise ValueError(f"{shape} has no element {index}")
        shape = elements[int(index)].text
    if not same_shape(shape, op.shape):
        raise ValueError(f"expected shape {shape}, found {op.shape}")


def _check_call(op: Instruction) -> None:
    called = op.called()
    if len(called) != 1:
        raise ValueError(f"expected one called computation, found {len(called)}")
    parameters = [each.shape for each in called[0].parameters]
    expected = len(op.operands) * _PARAMETERS[op.opcode]
    if len(parameters) != expected:
        message = f"%{called[0].name} has {len(parameters)} parameters"
        raise ValueError(f"{message}, expected {expected} for {len(op.operands)} operands")
    if op.opcode == "call":
        _check_shapes(op, parameters, called[0])
        return
    for shape in (*parameters, *_results(called[0])):
        if not type_of(shape).startswith("tensor<"):
            raise ValueError(f"%{called[0].name} has to take and return arrays, found {shape}")
    if op.opcode != "sort" and not same_shape(called[0].root.shape, _scalars(op)):
        found = called[0].root.shape
        raise ValueError(f"%{called[0].name} has to return {_scalars(op)}, found {found}")


def _check_shapes(op: Instruction, parameters: list[str], called: Computation) -> None:
    found = [*[operand.shape for operand in op.operands], op.shape]
    for shape, expected in zip(found, (*parameters, called.root.shape), strict=True):
        if not same_shape(shape, expected):
            raise ValueError(f"expected {expected}, as in %{called.name}, found {shape}")


def _results(computation: Computation) -> list[str]:
    elements = Shape(computation.root.shape).elements
    return [computation.root.shape] if elements is None else [each.text for each in elements]


def _scalars(op: Instruction) -> str:
    """Return the shape of a result of one element: `f32[]` for `f32[4]`."""
    elements = Shape(op.shape).elements
    if elements is None:
        return f"{Shape(op.shape).element_type}[]"
    return tuple_shape([f"{each.element_type}[]" for each in elements])
