"""Statements that make constant sub-computations, if their operands are."""

from __future__ import annotations

import math

from generators.builder import Builder
from generators.choices import Choices
from generators.operands import static_operand, tensor_operand, tensor_type
from generators.tensors import (
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
BINARY = {
    "i1": ["add", "and", "maximum", "minimum", "multiply", "or", "xor"],
    "i32": INTEGER_BINARY,
    COMPLEX: ["add", "atan2", "divide", "multiply", "power", "subtract"],
}
COMPLEX_UNARY = ["cosine", "exponential", "log", "negate", "sign", "sine", "sqrt", "tanh"]
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
    element = type_.element
    names = {"i1": ["not"], "i32": INTEGER_UNARY, COMPLEX: COMPLEX_UNARY}.get(element, FLOAT_UNARY)
    name, result, words = f"stablehlo.{choices.pick(names)}", type_, list[str]()
    kind = choices.between(0, 9)
    if kind == 0 and element != COMPLEX:
        name, result = "stablehlo.convert", type_.with_element(choices.pick(("f32", "i32", "i1")))
    elif kind == 1 and element == "f32":
        name, result = "stablehlo.is_finite", type_.with_element("i1")
    elif kind == 2 and element == "f32":
        name, words = "stablehlo.reduce_precision", ["exponent_bits = 5 : i32"]
        words.append("mantissa_bits = 10 : i32")
    elif kind == 3 and element == "f32":
        name = choices.pick(CHLO_UNARY)
    builder.emit(scope, choices, name, (operand,), (_blurred(result, choices),), words)


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
    names = BINARY.get(type_.element, FLOAT_BINARY)
    builder.emit(scope, choices, f"stablehlo.{choices.pick(names)}", (left, right), (type_,))


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
