"""A user's update function: element-wise StableHLO on rows, as ops on vectors of a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sdykit.core import Diagnostic, FileLocation, capture
from sdykit.core.diagnostics import file_location
from sdykit.mlir import ir
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.tile._builder import Builder
from sdykit.sparsecore.tile._context import tile_context
from sdykit.sparsecore.tile._stablehlo_ops import CannotBeError, translated, wide

_MAIN = "main"
_SCALAR = "tensor<f32>"
_UNNAMED = "-"
"""The file of a location in a text that has none of its own."""


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
        given = [wide(b, value, width) for value in arguments]
        found = self._call(b, (_MAIN,), given, width, None)
        return [wide(b, value, width) for value in found]

    def _call(
        self,
        b: Builder,
        names: tuple[str, ...],
        arguments: Sequence[ir.Value],
        width: int,
        caller: FileLocation | None,
    ) -> list[ir.Value]:
        """Add the ops of the last of some functions, each of which calls the next one."""
        block = self.functions[names[-1]].regions[0].blocks[0]
        known = dict(zip(block.arguments, arguments, strict=True))
        *ops, last = [view.operation for view in block]
        for op in ops:
            operands = [known[operand] for operand in op.operands]
            # What JAX has made itself is in functions without places.
            place = file_location(op.location) or caller
            if op.name == "func.call":
                callee = ir.FlatSymbolRefAttr(op.attributes["callee"]).value
                if callee in names:
                    raise _error(place, f"{callee} calls itself")
                found = self._call(b, (*names, callee), operands, width, place)
            else:
                found = [_translated(b, op, operands, width, place)]
            known.update(zip(op.results, found, strict=True))
        return [known[operand] for operand in last.operands]


def check_row_function(text: str, rows: int, scalars: int) -> None:
    """Check an update before a program is made with it.

    Args:
        text: a module. If it has locations, errors begin with their file, line and column.
        rows: how many of its first arguments are rows: gradient, table, slots.
        scalars: how many hyperparameters follow.

    Raises:
        SparseCoreError: it is no module, the function is another, or an op is not element-wise on
            float32.
    """
    with tile_context() as context, context, ir.Location.unknown():
        function = read_row_function(context, text, rows + scalars, rows - 1)
        scratch = ir.Module.create()
        b = Builder(context, scratch.body)
        with ir.InsertionPoint(scratch.body):
            row, scalar = b.constant("dense<0.0>", "vector<1xf32>"), b.constant("0.0", "f32")
            function.apply(b, [row] * rows + [scalar] * scalars, 1)


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
    types = [str(each) for each in (*type_.inputs, *type_.results)]
    if len({*types} - {_SCALAR}) > 1 or not all(each.endswith("f32>") for each in types):
        raise _error(
            file_location(functions[_MAIN].location),
            f"main takes and gives {', '.join(dict.fromkeys(types))}; expected float32, of one "
            "shape or scalars",
        )
    for name, function in functions.items():
        if len(function.regions[0].blocks) != 1:
            raise _error(
                file_location(function.location),
                f"{name} has {len(function.regions[0].blocks)} blocks; expected 1",
            )
    return RowFunction(module, functions, results)


def _translated(
    b: Builder,
    op: ir.Operation,
    operands: Sequence[ir.Value],
    width: int,
    place: FileLocation | None,
) -> ir.Value:
    try:
        return translated(b, op, operands, width)
    except CannotBeError as error:
        raise _error(place, str(error)) from None


def _error(location: FileLocation | None, message: str) -> SparseCoreError:
    if location is None:
        return SparseCoreError(f"stablehlo: error: {message}")
    file = "stablehlo" if location.file == _UNNAMED else location.file
    return SparseCoreError(f"{file}:{location.line}:{location.column}: error: {message}")
