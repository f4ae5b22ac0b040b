"""StableHLO ops at the insertion point; each function returns the value that it made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from sdykit.mlir import ir

ADD: Final = "stablehlo.add"
AND: Final = "stablehlo.and"
MAXIMUM: Final = "stablehlo.maximum"
MINIMUM: Final = "stablehlo.minimum"
MULTIPLY: Final = "stablehlo.multiply"
OR: Final = "stablehlo.or"
REDUCTIONS: Final = (ADD, AND, MAXIMUM, MINIMUM, MULTIPLY, OR)
"""The ops that collectives combine values by."""


def tensor(shape: Sequence[int], element: ir.Type) -> ir.RankedTensorType:
    """Return a tensor type."""
    return ir.RankedTensorType.get(list(shape), element)


def shape_of(value: ir.Value) -> tuple[int, ...]:
    """Return the shape of a value that is a tensor."""
    return tuple(ir.RankedTensorType(value.type).shape)


def element_of(value: ir.Value) -> ir.Type:
    """Return the type of the elements of a value that is a tensor."""
    return ir.RankedTensorType(value.type).element_type


def make(
    name: str,
    result: ir.Type,
    operands: Sequence[ir.Value],
    attributes: Mapping[str, ir.Attribute] | None = None,
    regions: int = 0,
) -> ir.Value:
    """Make an op with one result."""
    op = ir.Operation.create(
        name, [result], list(operands), dict(attributes or {}), regions=regions
    )
    return op.results[0]


def integers(numbers: Sequence[int]) -> ir.Attribute:
    """Return a dense array of integers of 64 bits."""
    return ir.DenseI64ArrayAttr.get(list(numbers))


def integer(number: int) -> ir.IntegerAttr:
    """Return an integer of 64 bits."""
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), number)


def index_type() -> ir.Type:
    """Return the type of the scalars that positions are computed in."""
    return tensor((), ir.IntegerType.get_signless(64))


def constant(numbers: Sequence[int] | int) -> ir.Value:
    """Make a constant of integers of 64 bits: a list of them, or one."""
    attribute = dense(numbers)
    return make("stablehlo.constant", attribute.type, [], {"value": attribute})


def filled(text: str, type_: ir.Type) -> ir.Value:
    """Make a constant whose elements all have the value of a text, such as `0.0`."""
    tensor_type = ir.RankedTensorType(type_)
    if isinstance(tensor_type.element_type, ir.ComplexType):  # The bindings know no such constants.
        part = tensor(tensor_type.shape, tensor_type.element_type.element_type)
        return convert(filled(text, part), tensor_type.element_type)
    attribute = ir.Attribute.parse(f"dense<{text}> : {type_}")
    return make("stablehlo.constant", type_, [], {"value": attribute})


def convert(value: ir.Value, element: ir.Type) -> ir.Value:
    """Convert the elements of a tensor to another type."""
    if element_of(value) == element:
        return value
    return make("stablehlo.convert", tensor(shape_of(value), element), [value])


def by_device(table: Sequence[int]) -> ir.Value:
    """Make the scalar that a table holds for the device that runs."""
    if len(set(table)) == 1:
        return constant(table[0])
    ui32 = tensor((), ir.IntegerType.get_unsigned(32))
    device = make("stablehlo.replica_id", ui32, [])
    one = tensor((1,), ir.IntegerType.get_signless(64))
    found = make(
        "stablehlo.dynamic_slice", one, [constant(table), device], {"slice_sizes": integers([1])}
    )
    return make("stablehlo.reshape", index_type(), [found])


def slice_at(value: ir.Value, starts: Sequence[ir.Value], sizes: Sequence[int]) -> ir.Value:
    """Cut a part out of a tensor, at a position that is computed."""
    if not sizes:
        return value
    result = tensor(sizes, element_of(value))
    # Without the barriers, XLA merges the slice with one of the program before it, whose start is then
    # clamped too late, and with a scatter after it, which then writes what is out of bounds.
    operands = [barrier(value), *starts]
    return barrier(
        make("stablehlo.dynamic_slice", result, operands, {"slice_sizes": integers(sizes)})
    )


def barrier(value: ir.Value) -> ir.Value:
    """Make a value that XLA knows nothing of."""
    return make("stablehlo.optimization_barrier", value.type, [value])


def row_major(value: ir.Value) -> ir.Value:
    """Make a value that XLA lays out row-major in memory."""
    order = range(len(shape_of(value)) - 1, -1, -1)  # The dimensions, minor first.
    layout = ir.Attribute.parse(f"[dense<{list(order)}> : tensor<{len(order)}xindex>]")
    attributes = {
        "call_target_name": ir.StringAttr.get("LayoutConstraint"),
        "operand_layouts": layout,
        "result_layouts": layout,
    }
    return make("stablehlo.custom_call", value.type, [value], attributes)


def cut(value: ir.Value, shape: Sequence[int]) -> ir.Value:
    """Cut a tensor to its first elements in each dimension."""
    if shape_of(value) == tuple(shape):
        return value
    bounds = {
        "start_indices": integers([0] * len(shape)),
        "limit_indices": integers(shape),
        "strides": integers([1] * len(shape)),
    }
    return make("stablehlo.slice", tensor(shape, element_of(value)), [value], bounds)


def pad(value: ir.Value, shape: Sequence[int]) -> ir.Value:
    """Pad a tensor at the end of its dimensions with zeros."""
    has = shape_of(value)
    if has == tuple(shape):
        return value
    padding = {
        "edge_padding_low": integers([0] * len(shape)),
        "edge_padding_high": integers([size - old for size, old in zip(shape, has, strict=True)]),
        "interior_padding": integers([0] * len(shape)),
    }
    zero = zeros(tensor((), element_of(value)))
    return make("stablehlo.pad", tensor(shape, element_of(value)), [value, zero], padding)


def zeros(type_: ir.Type) -> ir.Value:
    """Make a tensor of zeros."""
    return filled(neutral_text(ADD, ir.RankedTensorType(type_).element_type), type_)


def neutral(reduction: str, type_: ir.Type) -> ir.Value:
    """Make a tensor whose elements change nothing in a reduction."""
    return filled(neutral_text(reduction, ir.RankedTensorType(type_).element_type), type_)


def neutral_text(reduction: str, element: ir.Type) -> str:
    """Return the element that changes nothing in a reduction."""
    text = str(element)
    if text == "i1":
        return {AND: "true", MINIMUM: "true", MULTIPLY: "true"}.get(reduction, "false")
    if isinstance(element, ir.IntegerType):
        return str(_neutral_integer(reduction, element))
    if reduction in (MAXIMUM, MINIMUM):
        return _infinity(element, is_negative=reduction == MAXIMUM)
    return "1.0" if reduction == MULTIPLY else "0.0"


def _neutral_integer(reduction: str, element: ir.IntegerType) -> int:
    bits = element.width if element.is_unsigned else element.width - 1
    low, high = 0 if element.is_unsigned else -(2**bits), 2**bits - 1
    every_bit = high if element.is_unsigned else -1
    return {MULTIPLY: 1, MAXIMUM: low, MINIMUM: high, AND: every_bit}.get(reduction, 0)


_INFINITIES = {"f16": 0x7C00, "bf16": 0x7F80, "f32": 0x7F800000, "f64": 0x7FF0000000000000}


def _infinity(element: ir.Type, *, is_negative: bool) -> str:
    width = ir.FloatType(element).width
    bits = _INFINITIES[str(element)] | (1 << (width - 1) if is_negative else 0)
    return f"0x{bits:0{width // 4}X}"


def binary(name: str, one: ir.Value, other: ir.Value) -> ir.Value:
    """Make an element-wise op of two tensors of one type."""
    return make(name, one.type, [one, other])


def compare(direction: str, one: ir.Value, other: ir.Value) -> ir.Value:
    """Compare two tensors; `direction` is `EQ`, `LT`, `GE`, ..."""
    result = tensor(shape_of(one), ir.IntegerType.get_signless(1))
    attribute = ir.Attribute.parse(f"#stablehlo<comparison_direction {direction}>")
    return make("stablehlo.compare", result, [one, other], {"comparison_direction": attribute})


def broadcast(value: ir.Value, shape: Sequence[int], dims: Sequence[int]) -> ir.Value:
    """Repeat a tensor; its dimensions become those numbered `dims`."""
    result = tensor(shape, element_of(value))
    if result == value.type:
        return value
    attributes = {"broadcast_dimensions": integers(dims)}
    return make("stablehlo.broadcast_in_dim", result, [value], attributes)


def select(predicate: ir.Value, yes: ir.Value, no: ir.Value) -> ir.Value:
    """Make a tensor of the elements of one tensor where a predicate holds, and of another elsewhere."""
    return make("stablehlo.select", yes.type, [predicate, yes, no])


def iota(type_: ir.Type, dim: int) -> ir.Value:
    """Make a tensor that counts along a dimension."""
    return make("stablehlo.iota", type_, [], {"iota_dimension": integer(dim)})


def dense(numbers: Any) -> ir.DenseElementsAttr:
    """Return a constant of integers of 64 bits, from lists of them."""
    array: Any = np.array(numbers, np.int64)  # The stub lacks buffers.
    return ir.DenseElementsAttr.get(array)
