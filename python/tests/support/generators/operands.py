"""The operands of statements, and the regions of reductions."""

from __future__ import annotations

from support.generators.builder import Builder, Region
from support.generators.choices import Choices
from support.generators.tensors import (
    Scope,
    TensorType,
    Type,
    Value,
    any_type,
    is_static,
    is_tensor,
)


def tensor_type(value: Value) -> TensorType:
    assert isinstance(value.type, TensorType)
    return value.type


def tensor_operand(builder: Builder, scope: Scope, choices: Choices) -> Value:
    """Draw a tensor, dynamic ones too; make a constant if there is none."""
    return scope.pick(choices, is_tensor) or builder.fresh(scope, any_type(choices), choices)


def static_operand(builder: Builder, scope: Scope, choices: Choices) -> Value:
    return scope.pick(choices, is_static) or builder.fresh(scope, TensorType((8, 8)), choices)


def reducer(builder: Builder, scope: Scope, choices: Choices, scalar: Type) -> Region:
    inner = scope.nested(isolated=True)
    inner.values = [builder.value(scalar, choices) for _ in range(2)]
    arguments = list(inner.values)
    result = builder.emit(inner, choices, "stablehlo.add", arguments, (scalar,), may_shard=False)
    builder.emit(inner, choices, "stablehlo.return", result)
    return Region(arguments, inner.lines)
