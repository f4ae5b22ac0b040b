"""Making MLIR: the module, and the entry function in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sdykit.mlir import ir
from sdykit.sparsecore.tile._builder import Builder


def make_entry(
    builder: Builder,
    name: str,
    arguments: Mapping[str, str],
    tile_memory: int,
    body: Callable[[Mapping[str, ir.Value]], None],
) -> ir.Module:
    """Make a module of one entry function.

    Args:
        builder: of the context.
        name: of the function.
        arguments: names and types.
        tile_memory: what a tile can hold, in bytes.
        body: gets the arguments by name.
    """
    module = ir.Module.create()
    types = [builder.type(text) for text in arguments.values()]
    marks = [f'{{sparsecore.name = "{name}"}}' for name in arguments]
    with ir.InsertionPoint(module.body):
        func = builder.op_with_regions(
            "func.func",
            [],
            [],
            1,
            sym_name=f'"{name}"',
            function_type=f"({', '.join(map(str, types))}) -> ()",
            arg_attrs=f"[{', '.join(marks)}]",
        )
    func.attributes["sparsecore.entry"] = builder.attribute("unit")
    memory = builder.attribute(f"{tile_memory} : i64")
    func.attributes["sparsecore.tile_memory_bytes"] = memory
    locations = [ir.Location.name(name, context=builder.context) for name in arguments]
    block = ir.Block.create_at_start(func.regions[0], types, locations)
    with ir.InsertionPoint(block):
        body(dict(zip(arguments, block.arguments, strict=True)))
        builder.op("func.return", [])
    return module
