"""Control flow, calls, and computations in regions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sdykit.dialects.names import callee_name
from sdykit.mlir import ir
from sdykit.spmd.devices.layout import Layout, whole
from sdykit.spmd.local.layouts import shape_of
from sdykit.spmd.local.moving import Part
from sdykit.spmd.local.program import LocalProgram, handles


def _returned(
    program: LocalProgram, op: ir.Operation, block: ir.Block, layouts: Sequence[Layout]
) -> None:
    """Make a block at the insertion point, with a terminator that returns values in layouts."""
    returned = program.block(block)
    values = [
        program.converted(part, layout, op).value
        for part, layout in zip(returned, layouts, strict=True)
    ]
    ir.Operation.create("stablehlo.return", operands=values)


def _results(op: ir.Operation, made: ir.Operation, layouts: Sequence[Layout]) -> list[Part]:
    return [
        Part(value, shape_of(result), layout)
        for value, result, layout in zip(made.results, op.results, layouts, strict=True)
    ]


@handles("stablehlo.while")
def loop(program: LocalProgram, op: ir.Operation) -> Sequence[Part]:
    """Make a loop; what it carries has the layouts of its results."""
    layouts = [program.layouts.of(result) for result in op.results]
    carried = [
        program.converted(part, layout, op)
        for part, layout in zip(program.operands(op), layouts, strict=True)
    ]
    types = [each.value.type for each in carried]
    made = ir.Operation.create(op.name, types, [each.value for each in carried], regions=2)
    for number, region in enumerate(made.regions):
        source = op.regions[number].blocks[0]
        block = region.blocks.append(*types, arg_locs=[op.location] * len(types))
        for argument, value, layout in zip(source.arguments, block.arguments, layouts, strict=True):
            program.parts[argument] = Part(value, shape_of(argument), layout)
        with ir.InsertionPoint(block):
            _returned(program, op, source, layouts if number else [whole(0)])
    return _results(op, made, layouts)


@handles("stablehlo.case", "stablehlo.if")
def branches(program: LocalProgram, op: ir.Operation) -> Sequence[Part]:
    """Make the branches; what they return has the layouts of the results."""
    layouts = [program.layouts.of(result) for result in op.results]
    (index,) = program.whole_operands(op)
    types = [
        program.local_type(result.type, layout)
        for result, layout in zip(op.results, layouts, strict=True)
    ]
    made = ir.Operation.create(op.name, types, [index.value], regions=len(op.regions))
    for source, region in zip(op.regions, made.regions, strict=True):
        with ir.InsertionPoint(region.blocks.append()):
            _returned(program, op, source.blocks[0], layouts)
    return _results(op, made, layouts)


@handles("stablehlo.optimization_barrier")
def barrier(program: LocalProgram, op: ir.Operation) -> Sequence[Part]:
    """Make a barrier of parts."""
    layouts = [program.layouts.of(result) for result in op.results]
    parts = [
        program.converted(part, layout, op)
        for part, layout in zip(program.operands(op), layouts, strict=True)
    ]
    values = [each.value for each in parts]
    made = ir.Operation.create(op.name, [each.type for each in values], values)
    return [replace(part, value=value) for part, value in zip(parts, made.results, strict=True)]


@handles("func.call")
def call(program: LocalProgram, op: ir.Operation) -> Sequence[Part]:
    """Call a function with its arguments as it takes them."""
    name = callee_name(op)
    func = program.function(name, op)
    made_name = program.make_callee(name, op)
    operands = [
        program.converted(part, layout, op)
        for part, layout in zip(program.operands(op), program.argument_layouts(func), strict=True)
    ]
    layouts = program.result_layouts(func)
    types = [
        program.local_type(result.type, layout)
        for result, layout in zip(op.results, layouts, strict=True)
    ]
    callee: dict[str, ir.Attribute] = {"callee": ir.FlatSymbolRefAttr.get(made_name)}
    made = ir.Operation.create(op.name, types, [each.value for each in operands], callee)
    return _results(op, made, layouts)


@handles("sdy.named_computation", "mpmd.named_computation")
def named_computation(program: LocalProgram, op: ir.Operation) -> Sequence[Part]:
    """Make the body in place of the computation."""
    block = op.regions[0].blocks[0]
    for part, argument in zip(program.operands(op), block.arguments, strict=True):
        program.parts[argument] = program.converted(part, program.layouts.of(argument), op)
    returned = program.block(block)
    return [
        program.converted(part, program.layouts.of(result), op)
        for part, result in zip(returned, op.results, strict=True)
    ]


@handles("sdy.manual_computation")
def manual_computation(program: LocalProgram, op: ir.Operation) -> Sequence[Part]:
    """Make the body with the parts that devices hold: along the manual axes, these are its tensors."""
    block = op.regions[0].blocks[0]
    for part, argument in zip(program.operands(op), block.arguments, strict=True):
        program.parts[argument] = _entering(program, op, part, argument)
    returned = program.block(block)
    return [
        _leaving(program, op, part, result)
        for part, result in zip(returned, op.results, strict=True)
    ]


def _entering(program: LocalProgram, op: ir.Operation, part: Part, argument: ir.Value) -> Part:
    inner = program.layouts.of(argument)
    number = ir.BlockArgument(argument).arg_number
    boundary = program.layouts.boundary(op, number, is_argument=True)
    if boundary is None:
        return program.converted(part, inner, op)
    outer = program.layouts.of_boundary(boundary, part.shape)
    part = program.converted(part, outer, op)
    inside = program.layouts.inside(boundary, part.layout)
    return program.converted(Part(part.value, shape_of(argument), inside), inner, op)


def _leaving(program: LocalProgram, op: ir.Operation, part: Part, result: ir.Value) -> Part:
    wanted = program.layouts.of(result)
    number = ir.OpResult(result).result_number
    boundary = program.layouts.boundary(op, number, is_argument=False)
    if boundary is None:
        return program.converted(part, wanted, op)
    outer = program.layouts.of_boundary(boundary, shape_of(result))
    part = program.converted(part, program.layouts.inside(boundary, outer), op)
    return program.converted(Part(part.value, shape_of(result), outer), wanted, op)
