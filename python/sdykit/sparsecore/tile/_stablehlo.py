"""A user's update function: element-wise StableHLO on rows, as ops on vectors of a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sdykit.core import Diagnostic, FileLocation, capture
from sdykit.core.diagnostics import file_location
from sdykit.mlir import ir
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.tile._builder import Builder

_SAME: Mapping[str, str] = {
    "abs": "math.absf",
    "add": "arith.addf",
    "ceil": "math.ceil",
    "cosine": "math.cos",
    "divide": "arith.divf",
    "exponential": "math.exp",
    "exponential_minus_one": "math.expm1",
    "floor": "math.floor",
    "log": "math.log",
    "log_plus_one": "math.log1p",
    "maximum": "arith.maximumf",
    "minimum": "arith.minimumf",
    "multiply": "arith.mulf",
    "negate": "arith.negf",
    "round_nearest_even": "math.roundeven",
    "rsqrt": "math.rsqrt",
    "sine": "math.sin",
    "sqrt": "math.sqrt",
    "subtract": "arith.subf",
    "tanh": "math.tanh",
}
"""Ops on float32 that have a counterpart."""
_LOGICAL = {"and": "arith.andi", "or": "arith.ori", "xor": "arith.xori"}
_COMPARISONS = {"EQ": "oeq", "NE": "une", "LT": "olt", "LE": "ole", "GT": "ogt", "GE": "oge"}
_CONVERSIONS = {"i1": "arith.uitofp", "i32": "arith.sitofp"}
"""To float32; constants may be integers."""
_OTHERS = (
    "broadcast_in_dim",
    "clamp",
    "compare",
    "constant",
    "convert",
    "not",
    "power",
    "reshape",
    "select",
    "sign",
)
_KNOWN = ", ".join(sorted([*_SAME, *_LOGICAL, *_OTHERS]))
_MAIN = "main"


@dataclass(frozen=True)
class RowFunction:
    """A function on rows that is applied to vectors of a row.

    Attributes:
        module: its StableHLO.
        functions: those of the module, by name.
        results: how many it gives.
    """

    module: ir.Module
    functions: Mapping[str, ir.Operation]
    results: int

    def apply(self, b: Builder, arguments: Sequence[ir.Value], width: int) -> list[ir.Value]:
        """Add its ops.

        Args:
            b: where to.
            arguments: a vector of each argument; of a hyperparameter, a scalar.
            width: of the vectors.

        Raises:
            SparseCoreError: an op is not element-wise on float32.
        """
        wide = [_wide(b, value, width) for value in arguments]
        return [_wide(b, value, width) for value in self._call(b, _MAIN, wide, width)]

    def _call(
        self, b: Builder, name: str, arguments: Sequence[ir.Value], width: int
    ) -> list[ir.Value]:
        block = self.functions[name].regions[0].blocks[0]
        known = dict(zip(block.arguments, arguments, strict=True))
        *ops, last = [view.operation for view in block]
        for op in ops:
            operands = [known[operand] for operand in op.operands]
            if op.name == "func.call":
                callee = ir.FlatSymbolRefAttr(op.attributes["callee"]).value
                found = self._call(b, callee, operands, width)
            else:
                found = [_translated(b, op, operands, width)]
            known.update(zip(op.results, found, strict=True))
        return [known[operand] for operand in last.operands]


def read_row_function(context: ir.Context, text: str, arguments: int, results: int) -> RowFunction:
    """Read the StableHLO of an update: its function `main`, or its only one.

    Args:
        context: of the tile program.
        text: a module.
        arguments: how many it must take: gradient, table, slots, hyperparameters.
        results: how many it must give: table, slots.

    Raises:
        SparseCoreError: it is no module, or the function is another.
    """
    found: list[Diagnostic] = []
    try:
        with capture(context, found.append):
            module = ir.Module.parse(text, context)
    except ir.MLIRError as error:
        first = found[0] if found else None
        raise _error(
            first.location if first else None, first.message if first else str(error)
        ) from None
    functions = {
        ir.StringAttr(view.operation.attributes["sym_name"]).value: view.operation
        for view in module.body
        if view.operation.name == "func.func"
    }
    if _MAIN not in functions:
        names = ", ".join(functions) or "none"
        raise _error(None, f"its functions are {names}; expected one named main")
    type_ = ir.FunctionType(ir.TypeAttr(functions[_MAIN].attributes["function_type"]).value)
    if (len(type_.inputs), len(type_.results)) != (arguments, results):
        raise _error(
            file_location(functions[_MAIN].location),
            f"main has {len(type_.inputs)} arguments and {len(type_.results)} results; expected "
            f"{arguments} (gradient, table, slots, hyperparameters) and {results} (table, slots)",
        )
    return RowFunction(module, functions, results)


def _error(location: FileLocation | None, message: str) -> SparseCoreError:
    where = f"stablehlo:{location.line}:{location.column}" if location else "stablehlo"
    return SparseCoreError(f"{where}: error: {message}")


def _wide(b: Builder, value: ir.Value, width: int) -> ir.Value:
    """Make a vector of a scalar."""
    if isinstance(value.type, ir.VectorType):
        return value
    return b.splat(value, b.type(f"vector<{width}x{value.type}>"))


def _matched(b: Builder, values: Sequence[ir.Value], width: int) -> list[ir.Value]:
    """Bring values to one shape: vectors, if any is one."""
    if not any(isinstance(value.type, ir.VectorType) for value in values):
        return list(values)
    return [_wide(b, value, width) for value in values]


def _translated(b: Builder, op: ir.Operation, operands: Sequence[ir.Value], width: int) -> ir.Value:
    name = op.name.removeprefix("stablehlo.")
    element = ir.RankedTensorType(op.results[0].type).element_type if len(op.results) else None
    if name == "constant" and str(element) in {"f32", "i1", "i32"}:
        return _constant(b, op)
    if len(op.results) != 1 or str(element) not in {"f32", "i1"}:
        raise _unsupported(op)
    if name in {"broadcast_in_dim", "reshape", "convert"}:
        return _moved(b, op, operands[0])
    values = _matched(b, operands, width)
    if name in _LOGICAL and str(element) == "i1":
        return b.integers(_LOGICAL[name], *values)
    if name == "compare":
        how = str(op.attributes["comparison_direction"]).split()[-1].rstrip(">")
        if _is_float(values[0]):
            return b.compare_floats(_COMPARISONS[how], *values)
    if name == "select":
        return b.op("arith.select", values, [values[1].type]).result
    if name in _SAME and str(element) == "f32":
        return b.floats(_SAME[name], *values)
    return _composed(b, op, name, values)


def _composed(b: Builder, op: ir.Operation, name: str, values: list[ir.Value]) -> ir.Value:
    """Translate what has no counterpart of its own."""
    from sdykit.sparsecore.tile._numbers import Number

    if name == "clamp":
        low, value, high = values
        return b.floats("arith.minimumf", b.floats("arith.maximumf", value, low), high)
    if name == "sign":
        return Number(b, values[0]).sign().value
    if name == "power":
        return Number(b, values[0]).power_each(values[1])
    if name == "not":
        is_vector = isinstance(values[0].type, ir.VectorType)
        ones = b.constant("dense<true>" if is_vector else "true", values[0].type)
        return b.integers("arith.xori", values[0], ones)
    raise _unsupported(op)


def _is_float(value: ir.Value) -> bool:
    return "f32" in str(value.type)


def _constant(b: Builder, op: ir.Operation) -> ir.Value:
    """Give the element that a constant repeats, as a scalar."""
    value = ir.DenseElementsAttr(op.attributes["value"])
    if not value.is_splat:
        raise _error(
            file_location(op.location),
            "a constant's elements differ; expected one number for all columns",
        )
    element = value.get_splat_value()
    return b.op(
        "arith.constant", [], [ir.ShapedType(value.type).element_type], value=str(element)
    ).result


def _moved(b: Builder, op: ir.Operation, value: ir.Value) -> ir.Value:
    """Translate a change of shape or type, if elements stay in their columns."""
    before, after = (ir.RankedTensorType(each.type) for each in (op.operands[0], op.results[0]))
    if op.name == "stablehlo.convert":
        if before.element_type == after.element_type:
            return value
        if str(before.element_type) not in _CONVERSIONS or str(after.element_type) != "f32":
            raise _unsupported(op)
        type_ = str(value.type).replace(str(before.element_type), "f32")
        return b.convert(_CONVERSIONS[str(before.element_type)], value, type_)
    sizes = [[size for size in each.shape if size != 1] for each in (before, after)]
    if sizes[0] and sizes[0] != sizes[1]:
        raise _unsupported(op)
    return value


def _unsupported(op: ir.Operation) -> SparseCoreError:
    return _error(
        file_location(op.location),
        f"'{op.name}' op with result {', '.join(str(each.type) for each in op.results) or 'none'} "
        f"cannot be part of an update; expected element-wise ops on float32: {_KNOWN}",
    )
