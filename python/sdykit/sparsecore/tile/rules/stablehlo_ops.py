"""Ops of StableHLO, element-wise or reducing over a row, as ops on vectors of the row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.numbers import Number
from sdykit.sparsecore.tile.builder.ops import Builder

_DIALECTS = ("stablehlo", "chlo")
_EQUAL_OPS: Mapping[str, str] = {
    "abs": "math.absf",
    "acos": "math.acos",
    "acosh": "math.acosh",
    "add": "arith.addf",
    "asin": "math.asin",
    "asinh": "math.asinh",
    "atan": "math.atan",
    "atan2": "math.atan2",
    "atanh": "math.atanh",
    "cbrt": "math.cbrt",
    "ceil": "math.ceil",
    "cosh": "math.cosh",
    "cosine": "math.cos",
    "divide": "arith.divf",
    "erf": "math.erf",
    "erfc": "math.erfc",
    "exponential": "math.exp",
    "exponential_minus_one": "math.expm1",
    "floor": "math.floor",
    "log": "math.log",
    "log_plus_one": "math.log1p",
    "maximum": "arith.maximumf",
    "minimum": "arith.minimumf",
    "multiply": "arith.mulf",
    "negate": "arith.negf",
    "remainder": "arith.remf",
    "round_nearest_afz": "math.round",
    "round_nearest_even": "math.roundeven",
    "rsqrt": "math.rsqrt",
    "sine": "math.sin",
    "sinh": "math.sinh",
    "sqrt": "math.sqrt",
    "subtract": "arith.subf",
    "tan": "math.tan",
    "tanh": "math.tanh",
}
"""Ops on float32 that have an equal op in `arith` or `math`."""
_LOGICAL = {"and": "arith.andi", "or": "arith.ori", "xor": "arith.xori"}
_COMPARISONS = {"EQ": "oeq", "NE": "une", "LT": "olt", "LE": "ole", "GT": "ogt", "GE": "oge"}
_CONVERSIONS = {"i1": "arith.uitofp", "i32": "arith.sitofp"}
"""Conversions to float32 by element type; constants may be integers."""
_REDUCERS: Mapping[str, str] = {
    "stablehlo.add": "arith.addf",
    "stablehlo.maximum": "arith.maximumf",
    "stablehlo.minimum": "arith.minimumf",
    "stablehlo.multiply": "arith.mulf",
}
"""Ops that a row can be reduced by."""
_OTHER_OPS = (
    "broadcast_in_dim",
    "clamp",
    "compare",
    "constant",
    "convert",
    "is_finite",
    "not",
    "power",
    "reshape",
    "select",
    "sign",
    "square",
)
_KNOWN = ", ".join(sorted([*_EQUAL_OPS, *_LOGICAL, *_OTHER_OPS]))


class UnsupportedError(Exception):
    """An op cannot be part of an update; the text says why."""


def wide(b: Builder, value: ir.Value, width: int) -> ir.Value:
    """Return a value as a vector: a scalar is broadcast."""
    if isinstance(value.type, ir.VectorType):
        return value
    return b.splat(value, b.type(f"vector<{width}x{value.type}>"))


def _matched(b: Builder, values: Sequence[ir.Value], width: int) -> list[ir.Value]:
    """Return values of one shape: if any is a vector, scalars are broadcast."""
    if not any(isinstance(value.type, ir.VectorType) for value in values):
        return list(values)
    return [wide(b, value, width) for value in values]


def translated(b: Builder, op: ir.Operation, operands: Sequence[ir.Value], width: int) -> ir.Value:
    """Add the ops on vectors of a row that an op stands for.

    Args:
        b: the builder that ops are added with.
        op: an op of StableHLO or CHLO.
        operands: its operands, translated to vectors or scalars.
        width: the number of elements of the vectors.

    Raises:
        UnsupportedError: the op is not element-wise on float32.
    """
    dialect, _, name = op.name.partition(".")
    if dialect not in _DIALECTS:
        raise _unsupported(op)
    element = ir.RankedTensorType(op.results[0].type).element_type if len(op.results) else None
    if name == "constant" and str(element) in {"f32", "i1", "i32"}:
        return _constant(b, op)
    if len(op.results) != 1 or str(element) not in {"f32", "i1"}:
        raise _unsupported(op)
    if name in {"broadcast_in_dim", "reshape", "convert"}:
        return _reshaped(b, op, operands[0])
    values = _matched(b, operands, width)
    if name in _LOGICAL and str(element) == "i1":
        return b.integers(_LOGICAL[name], *values)
    if name == "compare":
        return _compared(b, op, values)
    if name == "select":
        return b.op("arith.select", values, [values[1].type]).result
    if name in _EQUAL_OPS and str(element) == "f32":
        return b.floats(_EQUAL_OPS[name], *values)
    return _composed(b, op, name, values)


class Reducer(NamedTuple):
    """A reduction.

    Attributes:
        kind: the op that it reduces by.
        is_across: whether it is over the columns of a row; else it is over dimensions of size 1.
    """

    kind: str
    is_across: bool


def reduction_of(op: ir.Operation, columns: int) -> Reducer | None:
    """Return the reduction that an op is; None: it is another op.

    Raises:
        UnsupportedError: it reduces other values than the float32 of a row, or by another op.
    """
    if op.name != "stablehlo.reduce":
        return None
    block = op.regions[0].blocks[0]
    body = [view.operation for view in block]
    kind = _REDUCERS.get(body[0].name)
    if (
        len(op.operands) != 2
        or kind is None
        or len(body) != 2
        or {*body[0].operands} != {*block.arguments}
        or list(body[1].operands) != list(body[0].results)
    ):
        raise UnsupportedError(
            f"'{op.name}' op by {', '.join(each.name for each in body[:-1])} cannot be part of an "
            f"update; expected it by one of {', '.join(_REDUCERS)}"
        )
    type_ = ir.RankedTensorType(op.operands[0].type)
    if str(type_.element_type) != "f32":
        raise UnsupportedError(
            f"'{op.name}' op of {type_} cannot be part of an update; expected f32"
        )
    reduced = [type_.shape[number] for number in ir.DenseI64ArrayAttr(op.attributes["dimensions"])]
    across = [size for size in reduced if size != 1]
    if across not in ([], [columns]):
        raise UnsupportedError(
            f"'{op.name}' op of {type_} cannot be part of an update; expected it over the "
            f"{columns} columns of a row"
        )
    return Reducer(kind, bool(across))


def combined(b: Builder, kind: str, start: ir.Value, total: ir.Value, width: int) -> ir.Value:
    """Return the result of a reduction: its initial value and the total, combined by its op."""
    return b.floats(kind, *_matched(b, [start, total], width))


def _composed(b: Builder, op: ir.Operation, name: str, values: list[ir.Value]) -> ir.Value:
    """Translate an op that takes several ops, or another order of operands."""
    if name == "clamp":
        low, value, high = values
        return b.floats("arith.minimumf", b.floats("arith.maximumf", value, low), high)
    if name == "sign":
        return Number(b, values[0]).sign().value
    if name == "power":
        return Number(b, values[0]).power_each(values[1])
    if name == "square":
        return b.floats("arith.mulf", values[0], values[0])
    if name == "is_finite":
        return b.convert("math.isfinite", values[0], b.with_element(values[0].type, "i1"))
    if name == "not":
        return _negated(b, values[0])
    raise _unsupported(op)


def _compared(b: Builder, op: ir.Operation, values: list[ir.Value]) -> ir.Value:
    """Translate a comparison of floats, or whether truth values are equal."""
    how = str(op.attributes["comparison_direction"]).split()[-1].rstrip(">")
    type_ = str(values[0].type)
    kind = str(op.attributes["compare_type"]) if "compare_type" in op.attributes else ""
    if "TOTALORDER" in kind:
        raise UnsupportedError("'stablehlo.compare' op is of type TOTALORDER; expected FLOAT")
    if "f32" in type_:
        return b.compare_floats(_COMPARISONS[how], *values)
    if "i1" not in type_ or how not in {"EQ", "NE"}:
        raise _unsupported(op)
    differ = b.integers("arith.xori", *values)
    return differ if how == "NE" else _negated(b, differ)


def _negated(b: Builder, truth: ir.Value) -> ir.Value:
    is_vector = isinstance(truth.type, ir.VectorType)
    ones = b.constant("dense<true>" if is_vector else "true", truth.type)
    return b.integers("arith.xori", truth, ones)


def _constant(b: Builder, op: ir.Operation) -> ir.Value:
    """Return the element that all elements of a constant are equal to, as a scalar."""
    value = ir.DenseElementsAttr(op.attributes["value"])
    if not value.is_splat:
        raise UnsupportedError(
            "'stablehlo.constant' op has elements that differ; expected one number for all columns"
        )
    element = value.get_splat_value()
    return b.op(
        "arith.constant", [], [ir.ShapedType(value.type).element_type], value=str(element)
    ).result


def _reshaped(b: Builder, op: ir.Operation, value: ir.Value) -> ir.Value:
    """Translate a change of shape or element type that leaves elements in their columns."""
    before, after = (ir.RankedTensorType(each.type) for each in (op.operands[0], op.results[0]))
    if op.name == "stablehlo.convert":
        if before.element_type == after.element_type:
            return value
        if str(before.element_type) not in _CONVERSIONS or str(after.element_type) != "f32":
            raise _unsupported(op)
        type_ = b.with_element(value.type, "f32")
        return b.convert(_CONVERSIONS[str(before.element_type)], value, type_)
    sizes = [[size for size in each.shape if size != 1] for each in (before, after)]
    if sizes[0] and sizes[0] != sizes[1]:
        raise _unsupported(op)
    return value


def _unsupported(op: ir.Operation) -> UnsupportedError:
    return UnsupportedError(
        f"'{op.name}' op with result {', '.join(str(each.type) for each in op.results) or 'none'} "
        f"cannot be part of an update; expected element-wise ops on float32: {_KNOWN}; or "
        "stablehlo.reduce over the row",
    )
