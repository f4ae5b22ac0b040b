"""The arguments of tile programs: what is said of them, their names, and new ones."""

from __future__ import annotations

from collections.abc import Sequence

from sdykit.mlir import ir

_NAME = "sparsecore.name"
VIEWS = (
    "memref.cast",
    "memref.memory_space_cast",
    "memref.reinterpret_cast",
    "memref.subview",
)
Marks = dict[str, ir.Attribute]


def argument_marks(entry: ir.Operation) -> list[Marks]:
    """Give the attributes of each argument, by name."""
    if "arg_attrs" not in entry.attributes:
        return [{} for _ in entry.regions[0].blocks[0].arguments]
    marks = [ir.DictAttr(each) for each in ir.ArrayAttr(entry.attributes["arg_attrs"])]
    return [{mark[k].name: mark[k].attr for k in range(len(mark))} for mark in marks]


def set_argument_marks(entry: ir.Operation, marks: Sequence[Marks]) -> None:
    """Set the attributes of the arguments; to be called in a context."""
    entry.attributes["arg_attrs"] = ir.ArrayAttr.get([ir.DictAttr.get(each) for each in marks])


def add_argument(entry: ir.Operation, type_: str, name: str, *marks: str) -> ir.BlockArgument:
    """Give the entry function one more argument; to be called in a context.

    Args:
        entry: the function.
        type_: of the argument.
        name: what errors call it.
        marks: unit attributes that tell what it is for.
    """
    others = argument_marks(entry)
    block = entry.regions[0].blocks[0]
    argument = block.add_argument(ir.Type.parse(type_), ir.Location.unknown())
    types = [each.type for each in block.arguments]
    results = ir.FunctionType(ir.TypeAttr(entry.attributes["function_type"]).value).results
    entry.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(types, results))
    own: Marks = {_NAME: ir.StringAttr.get(name), **{each: ir.UnitAttr.get() for each in marks}}
    set_argument_marks(entry, [*others, own])
    return argument


def source_of(buffer: ir.Value) -> ir.Value:
    """Find the buffer that a view is a part of."""
    owner = buffer.owner
    while not isinstance(owner, ir.Block) and owner.operation.name in VIEWS:
        buffer = owner.operation.operands[0]
        owner = buffer.owner
    return buffer


def name_of(entry: ir.Operation, buffer: ir.Value) -> str:
    """Name a buffer, or the one that it is a part of, in a message."""
    buffer = source_of(buffer)
    if not isinstance(buffer, ir.BlockArgument) or buffer.owner != entry.regions[0].blocks[0]:
        return f"a buffer of type {buffer.type}"
    return names_of(entry)[buffer.arg_number]


def call(entry: ir.Operation, buffer: ir.Value) -> str:
    """Name a buffer in a message, and say if it is a part of what is named."""
    part = "" if buffer == source_of(buffer) else "a part of "
    return part + name_of(entry, buffer)


def names_of(entry: ir.Operation) -> list[str]:
    """Give the names of the arguments."""
    return [
        name.value if isinstance(name, ir.StringAttr) else f"argument {number}"
        for number, name in enumerate(mark.get(_NAME) for mark in argument_marks(entry))
    ]
