"""Statements that make constant sub-computations, if their operands are."""

from __future__ import annotations

import math

from support.generators.builder import Builder
from support.generators.choices import Choices
from support.generators.operands import static_operand, tensor_operand, tensor_type
from support.generators.tensors import (
    COMPLEX,
    LITERALS,
    PREDICATE,
    Scope,
    TensorType,
    Value,
    any_type,
    is_static,
)

FLOAT_UNARY = [
    "abs",
    "cbrt",
    "ceil",
    "cosine",
    "exponential",
    "exponential_minus_one",
    "floor",
    "log",
    "log_plus_one",
    "logistic",
    "negate",
    "round_nearest_afz",
    "round_nearest_even",
    "rsqrt",
    "sign",
    "sine",
    "sqrt",
    "tan",
    "tanh",
]
INTEGER_UNARY = ["abs", "count_leading_zeros", "negate", "not", "popcnt", "sign"]
FLOAT_BINARY = [
    "add",
    "atan2",
    "divide",
    "maximum",
    "minimum",
    "multiply",
    "power",
    "remainder",
    "subtract",
]
INTEGER_BINARY = [
    "add",
    "and",
    "divide",
    "maximum",
    "minimum",
    "multiply",
    "or",
    "power",
    "remainder",
    "shift_left",
    "shift_right_arithmetic",
    "shift_right_logical",
    "subtract",
    "xor",
]
COMPLEX_UNARY = ["cosine", "exponential", "log", "negate", "sign", "sine", "sqrt", "tanh"]
UNARY = {
    "f32": FLOAT_UNARY,
    "bf16": FLOAT_UNARY,
    "i32": INTEGER_UNARY,
    "i1": ["not"],
    COMPLEX: COMPLEX_UNARY,
}
BINARY = {
    "f32": FLOAT_BINARY,
    "bf16": FLOAT_BINARY,
    "i32": INTEGER_BINARY,
    "i1": ["add", "and", "maximum", "minimum", "multiply", "or", "xor"],
    COMPLEX: ["add", "atan2", "divide", "multiply", "power", "subtract"],
}
CHLO_UNARY = ["chlo.erf", "chlo.sinh", "chlo.lgamma", "chlo.square", "chlo.asin"]


def constant(builder: Builder, scope: Scope, choices: Choices) -> None:
    """A constant: few different values, now and then with attributes of its own."""
    type_ = any_type(choices)
    if not type_.static:
        type_ = TensorType((8,))
    text = choices.pick(LITERALS.get(type_.element, ("0.0", "1.0")))
    if type_ == TensorType((8,)) and choices.chance(0.3):
        text = "[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]"
    words = [f"value = dense<{text}> : {type_}"]
    words += ['mhlo.frontend_attributes = {a = "b"}'] * choices.chance(0.1)
    words += ["foo"] * choices.chance(0.1)
    name = "sdy.constant" if choices.chance(0.07) else "stablehlo.constant"
    builder.emit(scope, choices, name, (), (type_,), words)


def iota(builder: Builder, scope: Scope, choices: Choices) -> None:
    shape = choices.pick(((8, 8), (8,), (16, 4)))
    words = [f"iota_dimension = {choices.between(0, len(shape) - 1)} : i64"]
    type_ = TensorType(shape, choices.pick(("f32", "f32", "i32")))
    builder.emit(scope, choices, "stablehlo.iota", (), (type_,), words)


def scalar_expansion(builder: Builder, scope: Scope, choices: Choices) -> None:
    """The broadcast of a scalar, constant or not."""
    scalar = scope.pick(choices, lambda value: is_static(value) and not tensor_type(value).shape)
    if scalar is None or choices.chance(0.3):
        scalar = builder.fresh(scope, TensorType(()), choices)
    _broadcast(builder, scope, choices, scalar)


def broadcast(builder: Builder, scope: Scope, choices: Choices) -> None:
    _broadcast(builder, scope, choices, static_operand(builder, scope, choices))


def _broadcast(builder: Builder, scope: Scope, choices: Choices, operand: Value) -> None:
    type_ = tensor_type(operand)
    shape = choices.pick(((8, 8), (8,), ())) if len(type_.shape) < 2 else ()
    dims = ", ".join(str(len(shape) + at) for at in range(len(type_.shape)))
    words = [f"broadcast_dimensions = array<i64{': ' + dims if dims else ''}>"]
    result = type_.with_shape(*shape, *type_.shape)
    builder.emit(scope, choices, "stablehlo.broadcast_in_dim", (operand,), (result,), words)


def slice_(builder: Builder, scope: Scope, choices: Choices) -> None:
    operand = static_operand(builder, scope, choices)
    sizes = tensor_type(operand).sizes
    limits = [choices.pick((size, size, (size + 1) // 2)) for size in sizes]

    def array(numbers: list[int]) -> str:
        return f"array<i64{': ' if numbers else ''}{', '.join(map(str, numbers))}>"

    words = [
        f"start_indices = {array([0] * len(sizes))}",
        f"limit_indices = {array(limits)}",
        f"strides = {array([1] * len(sizes))}",
    ]
    result = tensor_type(operand).with_shape(*limits)
    builder.emit(scope, choices, "stablehlo.slice", (operand,), (result,), words)


def reshape(builder: Builder, scope: Scope, choices: Choices) -> None:
    operand = static_operand(builder, scope, choices)
    count = math.prod(tensor_type(operand).sizes)
    shapes = {64: ((8, 8), (64,), (16, 4), (4, 8, 2)), 8: ((8,), (1, 8), (4, 2)), 1: ((), (1,))}
    result = tensor_type(operand).with_shape(*choices.pick(shapes.get(count, ((count,),))))
    builder.emit(scope, choices, "stablehlo.reshape", (operand,), (result,))


def unary(builder: Builder, scope: Scope, choices: Choices) -> None:
    """An element-wise op on one tensor."""
    operand = tensor_operand(builder, scope, choices)
    type_ = tensor_type(operand)
    name, result, words = f"stablehlo.{choices.pick(UNARY[type_.element])}", type_, list[str]()
    special = _special_unary(type_, choices) if choices.chance(0.4) else None
    if special is not None:
        name, result, words = special
    result = _blurred(result, choices) if name != "stablehlo.bitcast_convert" else result
    builder.emit(scope, choices, name, (operand,), (result,), words)


def _special_unary(type_: TensorType, choices: Choices) -> tuple[str, TensorType, list[str]] | None:
    """Draw an op on one tensor that has attributes, or another element type or shape."""
    if type_.element == COMPLEX:
        return choices.pick(("stablehlo.real", "stablehlo.imag")), type_.with_element("f32"), []
    kind = choices.between(0, 4)
    if kind == 0:
        to = type_.with_element(choices.pick(("f32", "i32", "i1")))
        return "stablehlo.convert", to, []
    if type_.element != "f32":
        return None
    if kind == 1:
        return "stablehlo.is_finite", type_.with_element("i1"), []
    if kind == 2:
        words = ["exponent_bits = 5 : i32", "mantissa_bits = 10 : i32"]
        return "stablehlo.reduce_precision", type_, words
    if kind == 3:
        return choices.pick(CHLO_UNARY), type_, []
    halves = TensorType((*type_.shape, 2), "bf16")
    to = choices.pick((type_.with_element("i32"), halves))
    return "stablehlo.bitcast_convert", to, []


def _blurred(type_: TensorType, choices: Choices) -> TensorType:
    """Forget the first size, now and then: a result needs only be compatible."""
    if not type_.shape or not choices.chance(0.05):
        return type_
    return type_.with_shape(None, *type_.shape[1:])


def binary(builder: Builder, scope: Scope, choices: Choices) -> None:
    """An element-wise op on two tensors, often twice the same."""
    left = tensor_operand(builder, scope, choices)
    type_ = tensor_type(left)
    right = builder.need(scope, type_, choices)
    name, result = f"stablehlo.{choices.pick(BINARY[type_.element])}", type_
    if type_.element == "f32" and choices.chance(0.05):
        name, result = "stablehlo.complex", type_.with_element(COMPLEX)
    builder.emit(scope, choices, name, (left, right), (result,))


def compare(builder: Builder, scope: Scope, choices: Choices) -> None:
    left = tensor_operand(builder, scope, choices)
    right = builder.need(scope, left.type, choices)
    words = ["comparison_direction = #stablehlo<comparison_direction EQ>"]
    result = tensor_type(left).with_element("i1")
    builder.emit(scope, choices, "stablehlo.compare", (left, right), (result,), words)


def select(builder: Builder, scope: Scope, choices: Choices) -> None:
    """A select or clamp, whose outer operands may be scalars."""
    left = static_operand(builder, scope, choices)
    right = builder.need(scope, left.type, choices)
    scalar = choices.chance(0.5)
    if choices.chance(0.5) and tensor_type(left).element not in ("i1", COMPLEX):
        bound = builder.need(
            scope, tensor_type(left).with_shape() if scalar else left.type, choices
        )
        builder.emit(scope, choices, "stablehlo.clamp", (bound, left, bound), (left.type,))
        return
    predicate = PREDICATE if scalar else tensor_type(left).with_element("i1")
    operands = (builder.need(scope, predicate, choices), left, right)
    builder.emit(scope, choices, "stablehlo.select", operands, (left.type,))
