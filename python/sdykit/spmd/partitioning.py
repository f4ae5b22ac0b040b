"""The program of one of the devices of a module."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from sdykit.core import functions_of
from sdykit.core.diagnostics import Diagnostic
from sdykit.mlir import ModuleOp, ir
from sdykit.spmd.devices.layout import Layout, Shape
from sdykit.spmd.errors import SpmdError, fail_at
from sdykit.spmd.local import emit, ops  # noqa: F401  (`ops` fills the tables)
from sdykit.spmd.local.by_rule import localise
from sdykit.spmd.local.layouts import Layouts
from sdykit.spmd.local.moving import Part
from sdykit.spmd.local.program import MAIN, Communication, LocalProgram


@dataclass(frozen=True)
class Value:
    """A value of the whole program, and what devices hold of it.

    Attributes:
        type: its type.
        layout: the parts that devices hold; the axes of a reduction that is pending are among the
            unreduced ones.
        reduction: the op that combines what devices hold along unreduced axes.
        name: what it is, for messages.
    """

    type: ir.Type
    layout: Layout
    reduction: str
    name: str

    @property
    def shape(self) -> Shape:
        """The shape of the whole tensor."""
        return tuple(ir.RankedTensorType(self.type).shape)


@dataclass(frozen=True)
class Partitioned:
    """The program of one device, and how arrays go in and out.

    Attributes:
        text: the program in StableHLO; its devices are XLA's replicas.
        devices: the number of devices.
        arguments: the arguments of the function that is run.
        results: its results; then the values that were asked for.
        notes: where the program differs from what a partitioner would make: what it gathers.
        name: the name of the function.
    """

    text: str
    devices: int
    arguments: tuple[Value, ...]
    results: tuple[Value, ...]
    notes: tuple[Diagnostic, ...]
    name: str


def partition_function(
    module: ir.Module,
    communication: Communication,
    function: str | None = None,
    *,
    ignores_shardings: bool = False,
) -> Partitioned:
    """Return the program of one device of a function.

    Args:
        module: the module; it is not changed.
        communication: who moves data between devices.
        function: the function; by default `main`, or the only one.
        ignores_shardings: whether every device holds all of every tensor.

    Raises:
        SpmdError: the module has no such function, or an op that cannot be run.
    """
    func = function_of(module, function)
    block = func.regions[0].blocks[0]
    program = _program(module, communication, ignores_shardings=ignores_shardings)
    name = ir.StringAttr(func.attributes["sym_name"]).value
    inputs = list(block.arguments)
    with module.context:
        layouts = program.argument_layouts(func)
    returned = program.make_entry(block, inputs, layouts, lambda: program.returned(func))
    types = ir.FunctionType(ir.TypeAttr(func.attributes["function_type"]).value).results
    results = [
        _value(part, type_, f"result #{number} of @{name}")
        for number, (part, type_) in enumerate(zip(returned, types, strict=True))
    ]
    return _partitioned(program, name, inputs, results)


def partition_block(
    module: ir.Module,
    communication: Communication,
    block: ir.Block,
    inputs: Sequence[ir.Value],
    outputs: Sequence[ir.Value],
    *,
    ignores_shardings: bool = False,
) -> Partitioned:
    """Return the program of one device of the ops in a block.

    Args:
        module: the module of the block; it is not changed.
        communication: who moves data between devices.
        block: the block.
        inputs: the values that its ops use and do not make.
        outputs: the values that the program returns.
        ignores_shardings: whether every device holds all of every tensor.

    Raises:
        SpmdError: an op cannot be run.
    """
    program = _program(module, communication, ignores_shardings=ignores_shardings)
    with module.context:
        layouts = [program.layouts.of(value) for value in inputs]
    returned = program.make_entry(
        block, inputs, layouts, lambda: [program.parts[value] for value in outputs]
    )
    results = [
        _value(part, value.type, "result") for part, value in zip(returned, outputs, strict=True)
    ]
    return _partitioned(program, MAIN, inputs, results)


def function_of(module: ir.Module, name: str | None) -> ir.Operation:
    """Return the function of a name, by default `main` or the only one, which has one block.

    Raises:
        SpmdError: the module has none.
    """
    functions = functions_of(cast("ModuleOp", module.operation.opview))
    if name is None:
        name = next(iter(functions)) if len(functions) == 1 else MAIN
    func = functions.get(name)
    if func is None:
        names = ", ".join(f"@{each}" for each in functions) or "no functions"
        raise SpmdError(f"the module has no function @{name}; it has {names}")
    blocks = len(func.regions[0].blocks)
    if blocks != 1:
        fail_at(func, f"function @{name} has {blocks} blocks; expected one")
    return func


def _program(
    module: ir.Module, communication: Communication, *, ignores_shardings: bool
) -> LocalProgram:
    top = cast("ModuleOp", module.operation.opview)
    layouts = Layouts(top, ignores_shardings=ignores_shardings)
    return LocalProgram(top, layouts, communication, localise)


def _partitioned(
    program: LocalProgram, name: str, inputs: Sequence[ir.Value], results: Sequence[Value]
) -> Partitioned:
    module, devices = program.target, program.layouts.devices
    integer = ir.IntegerType.get_signless(32, module.context)
    module.operation.attributes["mhlo.num_replicas"] = ir.IntegerAttr.get(integer, devices)
    module.operation.attributes["mhlo.num_partitions"] = ir.IntegerAttr.get(integer, 1)
    arguments = [
        _value(program.parts[value], value.type, f"argument #{number} of @{name}")
        for number, value in enumerate(inputs)
    ]
    text = str(module.operation.get_asm(assume_verified=True))
    notes = tuple(program.notes.values())
    return Partitioned(text, devices, tuple(arguments), tuple(results), notes, name)


def _value(part: Part, type_: ir.Type, name: str) -> Value:
    layout, pending = part.layout, part.pending
    if pending is None or pending.reduction is None:
        return Value(type_, layout, emit.ADD, name)
    axes = (*layout.unreduced, *pending.axes)
    return Value(type_, Layout(layout.mesh, layout.dims, axes), pending.reduction, name)
