"""Other statements without regions: reductions, tokens, calls, blocks."""

from __future__ import annotations

from support.generators.builder import Builder
from support.generators.choices import Choices
from support.generators.operands import reducer, static_operand, tensor_type
from support.generators.tensors import (
    INDEX,
    TOKEN,
    UNRANKED,
    Scope,
    TensorType,
    Type,
    Value,
    any_type,
)


def other(builder: Builder, scope: Scope, choices: Choices) -> None:
    """An op that is neither element-wise nor constant-preserving."""
    operand = static_operand(builder, scope, choices)
    type_ = tensor_type(operand)
    kind = choices.pick(("transpose", "concatenate", "reverse", "dot", "reduce", "impure"))
    if kind == "impure" or not type_.shape:
        words = ['call_target_name = "f"'] + ["has_side_effect = true"] * choices.chance(0.5)
        builder.emit(scope, choices, "stablehlo.custom_call", (operand,), (type_,), words)
    elif kind == "transpose":
        order = range(len(type_.shape) - 1, -1, -1)
        words = [f"permutation = array<i64: {', '.join(map(str, order))}>"]
        result = type_.with_shape(*reversed(type_.shape))
        builder.emit(scope, choices, "stablehlo.transpose", (operand,), (result,), words)
    elif kind == "concatenate":
        result = type_.with_shape(2 * type_.sizes[0], *type_.sizes[1:])
        words = ["dimension = 0 : i64"]
        builder.emit(scope, choices, "stablehlo.concatenate", (operand,) * 2, (result,), words)
    elif kind == "reverse":
        words = ["dimensions = array<i64: 0>"]
        builder.emit(scope, choices, "stablehlo.reverse", (operand,), (type_,), words)
    elif kind == "dot":
        words = ["dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0]"]
        words[0] += ", rhs_contracting_dimensions = [0]>"
        result = type_.with_shape(*type_.shape[1:], *type_.shape[1:])
        builder.emit(scope, choices, "stablehlo.dot_general", (operand,) * 2, (result,), words)
    else:
        _reduce(builder, scope, choices, operand)


def _reduce(builder: Builder, scope: Scope, choices: Choices, operand: Value) -> None:
    scalar = tensor_type(operand).with_shape()
    init = builder.need(scope, scalar, choices)
    words = ["dimensions = array<i64: 0>"]
    result = tensor_type(operand).with_shape(*tensor_type(operand).shape[1:])
    region = [reducer(builder, scope, choices, scalar)]
    builder.emit(scope, choices, "stablehlo.reduce", (operand, init), (result,), words, region)


def several_results(builder: Builder, scope: Scope, choices: Choices) -> None:
    """A custom call with any number of operands and results, or an unregistered op."""
    operands = [value for _ in range(choices.between(0, 2)) if (value := scope.pick(choices))]
    types: list[Type] = [any_type(choices, 0.5) for _ in range(choices.between(0, 3))]
    types += [TOKEN] * choices.chance(0.3)
    if choices.chance(0.2):
        builder.emit(scope, choices, "test.op", operands, types)
        return
    words = ['call_target_name = "g"', "has_side_effect = true"]
    if not types and choices.chance(0.5):
        # An op without results holds one sharding, of a maximal mesh, for its device.
        words += ["sdy.sharding = #sdy.sharding_per_value<[<mesh<[], device_ids=[1]>, []>]>"]
    builder.emit(scope, choices, "stablehlo.custom_call", operands, types, words)


def token(builder: Builder, scope: Scope, choices: Choices) -> None:
    first = builder.need(scope, TOKEN, choices)
    if choices.chance(0.5):
        builder.emit(scope, choices, "stablehlo.after_all", (first,), (TOKEN,))


def call(builder: Builder, scope: Scope, choices: Choices) -> None:
    """Call one of the functions before this one, and maybe use its results."""
    functions = builder.functions
    if scope.constant:
        functions = [function for function in functions if function.constant]
    if not functions:
        return
    callee = choices.pick(functions)
    operands = [builder.need(scope, type_, choices) for type_ in callee.arguments]
    words = [f"callee = @{callee.name}"] + ["foo"] * choices.chance(0.1)
    results = builder.emit(scope, choices, "func.call", operands, callee.results, words)
    for _ in range(choices.between(0, 3) if results and not scope.constant else 0):
        builder.use(scope, choices, choices.pick(results))


def composite(builder: Builder, scope: Scope, choices: Choices) -> None:
    """Refer to a function by an op that is no call."""
    if not builder.functions:
        return
    callee = choices.pick(builder.functions)
    if UNRANKED in (*callee.arguments, *callee.results):
        return
    operands = [builder.need(scope, type_, choices) for type_ in callee.arguments]
    words = ['name = "a.b"', f"decomposition = @{callee.name}"]
    builder.emit(scope, choices, "stablehlo.composite", operands, callee.results, words)


def use_index(builder: Builder, scope: Scope, choices: Choices) -> None:
    """A dynamic slice with the same index twice: scalars with several uses."""
    operand = builder.need(scope, TensorType((8, 8)), choices)
    index = builder.need(scope, INDEX, choices)
    words = ["slice_sizes = array<i64: 4, 8>"]
    result = TensorType((4, 8))
    operands = (operand, index, index)
    builder.emit(scope, choices, "stablehlo.dynamic_slice", operands, (result,), words)


def new_block(builder: Builder, scope: Scope, choices: Choices) -> None:
    """Continue in another block, if the scope is the body of a function."""
    if scope.depth:
        return
    passed = [value for _ in range(choices.between(0, 2)) if (value := scope.pick(choices))]
    builder.new_block(scope, choices, passed)
