"""The rule of a user's update function: StableHLO on a row, as ops on vectors of the row.

Its ops must be element-wise, or reduce over the row.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass

from sdykit.core import Diagnostic, FileLocation, capture
from sdykit.core.diagnostics import file_location
from sdykit.mlir import ir
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.tile.builder.contexts import tile_context
from sdykit.sparsecore.tile.builder.numbers import Number
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.rules.rule import Reduction, Result, RuleInputs, reductions_of
from sdykit.sparsecore.tile.rules.stablehlo_ops import (
    UnsupportedError,
    combined,
    reduction_of,
    translated,
    wide,
)

_Values = Generator[Reduction, Number, list[ir.Value]]
_MAIN = "main"
_SCALAR = "tensor<f32>"
_UNNAMED = "-"
"""The file of a location in a text without file names."""


@dataclass(frozen=True)
class Signature:
    """The arguments and results of an update function.

    It takes the gradient, the table, the slots and the hyperparameters, and returns the table and
    the slots.

    Attributes:
        slots: the names of the slots, in order.
        scalars: the names of the hyperparameters, in order.
        row_slots: the names of the slots that have one number for each row.
    """

    slots: tuple[str, ...]
    scalars: tuple[str, ...]
    row_slots: tuple[str, ...] = ()

    @property
    def single_arguments(self) -> list[bool]:
        """For each argument, whether it has one number for each row."""
        slots = [name in self.row_slots for name in self.slots]
        return [False, False, *slots, *[False] * len(self.scalars)]

    @property
    def single_results(self) -> list[bool]:
        """For each result, whether it has one number for each row."""
        return [False, *(name in self.row_slots for name in self.slots)]


@dataclass(frozen=True)
class RowFunction:
    """A function on rows that is applied to vectors of a row.

    Attributes:
        module: the StableHLO module.
        functions: the functions of the module, by name.
        signature: the arguments and results of its function `main`.
    """

    module: ir.Module
    functions: Mapping[str, ir.Operation]
    signature: Signature

    def apply(
        self, b: Builder, arguments: Sequence[Number], columns: int
    ) -> Generator[Reduction, Number, list[Number]]:
        """Add its ops for one vector of a row, and return a vector of each result.

        A result with one number for each row is a scalar.

        Args:
            b: the builder that ops are added with.
            arguments: a vector of each argument; a scalar for hyperparameters, and for slots with
                one number for each row.
            columns: the number of columns of a row.

        Raises:
            SparseCoreError: an op is not supported.
        """
        width = ir.VectorType(arguments[0].value.type).shape[0]
        pairs = zip(arguments, self.signature.single_arguments, strict=True)
        values = [
            each.value if is_single else wide(b, each.value, width) for each, is_single in pairs
        ]
        found = yield from self._call(b, (_MAIN,), values, (width, columns), None)
        results = zip(found, self.signature.single_results, strict=True)
        return [
            Number(b, value if is_single else wide(b, value, width)) for value, is_single in results
        ]

    def _call(
        self,
        b: Builder,
        names: tuple[str, ...],
        arguments: Sequence[ir.Value],
        sizes: tuple[int, int],
        caller: FileLocation | None,
    ) -> _Values:
        """Add the ops of a function, the last in a chain of functions that call each other.

        Args:
            b: the builder that ops are added with.
            names: the names of the functions of the chain.
            arguments: the arguments of the last one.
            sizes: the number of elements of a vector, and of a row.
            caller: the location of the call of the last one.
        """
        block = self.functions[names[-1]].regions[0].blocks[0]
        known = dict(zip(block.arguments, arguments, strict=True))
        *ops, last = [view.operation for view in block]
        for op in ops:
            operands = [known[operand] for operand in op.operands]
            # Functions that JAX adds have no locations.
            place = file_location(op.location) or caller
            if op.name == "func.call":
                callee = ir.FlatSymbolRefAttr(op.attributes["callee"]).value
                if callee in names:
                    raise _error(place, f"function {callee} calls itself; expected no recursion")
                found = yield from self._call(b, (*names, callee), operands, sizes, place)
            else:
                found = yield from _translated(b, op, operands, sizes, place)
            known.update(zip(op.results, found, strict=True))
        return [known[operand] for operand in last.operands]


def check_row_function(text: str, signature: Signature, columns: int) -> None:
    """Check an update before a program is made with it.

    Args:
        text: the text of a module. If it has locations, errors begin with file, line and column.
        signature: the arguments and results that the function `main` must have.
        columns: the number of columns of a row.

    Raises:
        SparseCoreError: the text is not a module, `main` has another signature, or an op is not
            supported.
    """
    with tile_context() as context, context, ir.Location.unknown():
        function = read_row_function(context, text, signature)

        def rule(inputs: RuleInputs) -> Generator[Reduction, Number, Result]:
            values = [inputs.gradient, inputs.row, *inputs.slots.values(), *inputs.scalars.values()]
            yield from function.apply(inputs.row.builder, values, columns)
            return inputs.row, inputs.slots

        slots = {name: name in signature.row_slots for name in signature.slots}
        reductions_of(context, rule, slots, signature.scalars)


def read_row_function(context: ir.Context, text: str, signature: Signature) -> RowFunction:
    """Read the StableHLO of an update, whose function is `main`.

    Args:
        context: the MLIR context of the tile program.
        text: the text of a module.
        signature: the arguments and results that the function `main` must have.

    Raises:
        SparseCoreError: the text is not a module, or `main` has another signature.
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
        raise _error(None, f"the functions of the module are {names}; expected one named main")
    _check_type(functions[_MAIN], signature)
    for name, function in functions.items():
        if len(function.regions[0].blocks) != 1:
            raise _error(
                file_location(function.location),
                f"{name} has {len(function.regions[0].blocks)} blocks; expected 1",
            )
    return RowFunction(module, functions, signature)


def _check_type(main: ir.Operation, signature: Signature) -> None:
    """Check the arguments and results of an update function."""
    type_ = ir.FunctionType(ir.TypeAttr(main.attributes["function_type"]).value)
    single = [*signature.single_arguments, *signature.single_results]
    arguments, results = len(signature.single_arguments), len(signature.single_results)
    place = file_location(main.location)
    if (len(type_.inputs), len(type_.results)) != (arguments, results):
        raise _error(
            place,
            f"main has {len(type_.inputs)} arguments and {len(type_.results)} results; expected "
            f"{arguments} (gradient, table, slots, hyperparameters) and {results} (table, slots)",
        )
    types = [*type_.inputs, *type_.results]
    shown = list(dict.fromkeys(map(str, types)))
    of_rows = {str(each) for each, is_single in zip(types, single, strict=True) if not is_single}
    is_float32 = all(each.endswith("f32>") for each in shown)
    if not is_float32 or len(of_rows - {_SCALAR}) > 1:
        raise _error(
            place,
            f"main has arguments and results of {', '.join(shown)}; expected float32, of one shape or "
            "scalars",
        )
    for each, is_single in zip(types, single, strict=True):
        if is_single and any(size != 1 for size in ir.RankedTensorType(each).shape):
            raise _error(
                place,
                f"main has {each} for a slot with one number for each row; expected tensor<1x1xf32>",
            )


def _translated(
    b: Builder,
    op: ir.Operation,
    operands: Sequence[ir.Value],
    sizes: tuple[int, int],
    place: FileLocation | None,
) -> _Values:
    """Add the ops on vectors of a row that an op of StableHLO stands for."""
    width, columns = sizes
    try:
        found = reduction_of(op, columns)
        if found is None:
            return [translated(b, op, operands, width)]
    except UnsupportedError as error:
        raise _error(place, str(error)) from None
    value, start = operands
    if found.is_across:
        value = (yield Reduction(found.kind, Number(b, wide(b, value, width)))).value
    return [combined(b, found.kind, start, value, width)]


def _error(location: FileLocation | None, message: str) -> SparseCoreError:
    if location is None:
        return SparseCoreError(f"stablehlo: error: {message}")
    file = "stablehlo" if location.file == _UNNAMED else location.file
    return SparseCoreError(f"{file}:{location.line}:{location.column}: error: {message}")
