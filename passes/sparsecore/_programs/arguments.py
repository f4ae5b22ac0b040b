"""The arguments of tile programs: their attributes and names, and adding one."""

from __future__ import annotations

from collections.abc import Sequence

from sdykit.core.sparsecore.names import COUNTED, NAME, STATUS
from sdykit.mlir import ir

VIEWS = (
    "memref.cast",
    "memref.memory_space_cast",
    "memref.reinterpret_cast",
    "memref.subview",
)
Marks = dict[str, ir.Attribute]
"""The attributes of an argument, by name."""


def argument_marks(entry: ir.Operation) -> list[Marks]:
    """Return the attributes of each argument."""
    if "arg_attrs" not in entry.attributes:
        return [{} for _ in entry.regions[0].blocks[0].arguments]
    marks = [ir.DictAttr(each) for each in ir.ArrayAttr(entry.attributes["arg_attrs"])]
    return [{mark[k].name: mark[k].attr for k in range(len(mark))} for mark in marks]


def arguments_of_no_chip(entry: ir.Operation) -> list[ir.Value]:
    """Return the arguments that a chip does not have: the status, and what the program counts."""
    arguments = entry.regions[0].blocks[0].arguments
    marks = zip(arguments, argument_marks(entry), strict=True)
    found = [argument for argument, mark in marks if STATUS in mark]
    # `-sparsecore-count` adds the last one.
    return [*found, arguments[-1]] if COUNTED in entry.attributes and len(arguments) else found


def set_argument_marks(entry: ir.Operation, marks: Sequence[Marks]) -> None:
    """Set the attributes of all arguments; to be called in a context."""
    entry.attributes["arg_attrs"] = ir.ArrayAttr.get([ir.DictAttr.get(each) for each in marks])


def add_argument(entry: ir.Operation, type_: str, name: str, *marks: str) -> ir.BlockArgument:
    """Add an argument to the entry function; to be called in a context.

    Args:
        entry: the entry function.
        type_: the type of the argument, as text.
        name: the name of the argument in errors.
        marks: the names of its unit attributes.
    """
    others = argument_marks(entry)
    block = entry.regions[0].blocks[0]
    argument = block.add_argument(ir.Type.parse(type_), ir.Location.name(name))
    types = [each.type for each in block.arguments]
    results = ir.FunctionType(ir.TypeAttr(entry.attributes["function_type"]).value).results
    entry.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(types, results))
    own: Marks = {NAME: ir.StringAttr.get(name), **{each: ir.UnitAttr.get() for each in marks}}
    set_argument_marks(entry, [*others, own])
    return argument


def source_of(buffer: ir.Value) -> ir.Value:
    """Return the buffer that a view is of, or the buffer itself if it is not a view."""
    owner = buffer.owner
    while not isinstance(owner, ir.Block) and owner.operation.name in VIEWS:
        buffer = owner.operation.operands[0]
        owner = buffer.owner
    return buffer


def name_of(entry: ir.Operation, buffer: ir.Value) -> str:
    """Return the name in messages of a buffer, or of the one that it is a view of."""
    buffer = source_of(buffer)
    if isinstance(buffer, ir.BlockArgument) and buffer.owner == entry.regions[0].blocks[0]:
        return names_of(entry)[buffer.arg_number]
    name = None if isinstance(buffer.owner, ir.Block) else _name_on(buffer.owner.operation)
    return name or f"a buffer of type {buffer.type}"


def _name_on(alloc: ir.Operation) -> str | None:
    """Return the name of an allocation, or None if it has none."""
    if NAME not in alloc.attributes:
        return None
    name = alloc.attributes[NAME]
    return name.value if isinstance(name, ir.StringAttr) else None


def description_of(entry: ir.Operation, buffer: ir.Value) -> str:
    """Return the name of a buffer in messages; of a view, `a part of` the buffer."""
    part = "" if buffer == source_of(buffer) else "a part of "
    return part + name_of(entry, buffer)


def names_of(entry: ir.Operation) -> list[str]:
    """Return the names of the arguments."""
    return [
        name.value if isinstance(name, ir.StringAttr) else f"argument {number}"
        for number, name in enumerate(mark.get(NAME) for mark in argument_marks(entry))
    ]
