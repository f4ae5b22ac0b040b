"""Making MLIR: the module, and the entry function in it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from sdykit.mlir import ir
from sdykit.sparsecore.quantization import Quantization
from sdykit.sparsecore.tile._builder import Builder
from sdykit.sparsecore.tile._ids import messages_of
from sdykit.sparsecore.tile.program import TileArgument
from sdykit.sparsecore.tile.spec import TileSpec

Body = Callable[[Builder, Mapping[str, ir.Value]], None]


def make_module(
    context: ir.Context,
    name: str,
    arguments: tuple[TileArgument, ...],
    spec: TileSpec,
    body: Body,
    *,
    serial_bytes: int | None = None,
) -> ir.Module:
    """Make a program of one entry function.

    Args:
        context: of the module.
        name: of the function.
        arguments: in order.
        spec: of the program.
        body: adds the phases; gets the arguments by name.
        serial_bytes: less memory traffic than this is for one thread; None: as is usual.
    """
    with context, ir.Location.unknown():
        builder = Builder(context)
        module = _with_entry(builder, name, arguments, spec, body)
        if serial_bytes is not None:
            words = builder.attribute(f"{serial_bytes} : i64")
            module.body.operations[0].attributes["sparsecore.serial_bytes"] = words
        return module


def _with_entry(
    builder: Builder,
    name: str,
    arguments: Sequence[TileArgument],
    spec: TileSpec,
    body: Body,
) -> ir.Module:
    module = ir.Module.create()
    types = [builder.type(each.type) for each in arguments]
    names = [each.name for each in arguments]
    marks = ", ".join(f"{{{_mark(each)}}}" for each in arguments)
    with ir.InsertionPoint(module.body):
        func = builder.op_with_regions(
            "func.func",
            [],
            [],
            1,
            sym_name=f'"{name}"',
            function_type=f"({', '.join(map(str, types))}) -> ()",
            arg_attrs=f"[{marks}]",
        )
    func.attributes["sparsecore.entry"] = builder.attribute("unit")
    memory = builder.attribute(f"{spec.hardware.tile_memory_bytes} : i64")
    func.attributes["sparsecore.tile_memory_bytes"] = memory
    messages = messages_of(spec)
    if messages:
        texts = ", ".join(json.dumps(text) for text in ("ok", *messages))
        func.attributes["sparsecore.messages"] = builder.attribute(f"[{texts}]")
    locations = [ir.Location.name(name, context=builder.context) for name in names]
    block = ir.Block.create_at_start(func.regions[0], types, locations)
    with ir.InsertionPoint(block):
        body(builder, dict(zip(names, block.arguments, strict=True)))
        builder.op("func.return", [])
    return module


def _mark(argument: TileArgument) -> str:
    """Give what is said of an argument."""
    marks = [f'sparsecore.name = "{argument.name}"']
    if argument.role == "status":
        marks.append("sparsecore.status")
    if argument.work:
        marks.append(f"sparsecore.work = {argument.work} : i64")
    if argument.is_aligned:
        marks.append("sparsecore.aligned")
    if argument.quantization is not None:
        marks.append(f"sparsecore.quantize = {_quantize(argument.quantization)}")
    return ", ".join(marks)


def _quantize(quantization: Quantization) -> str:
    low, high = (
        f"0x{int(np.float32(value).view(np.uint32)):08X} : f32"
        for value in (quantization.low, quantization.high)
    )
    return f"{{buckets = {quantization.num_buckets} : i64, high = {high}, low = {low}}}"
