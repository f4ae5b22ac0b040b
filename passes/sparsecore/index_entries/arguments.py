"""The arguments of a lookup with an index of the entries by sample."""

from __future__ import annotations

from sdykit.core.sparsecore.names import NAME, WORK
from sdykit.mlir import ir
from sdykit.passes.sparsecore._programs.arguments import (
    Marks,
    argument_marks,
    names_of,
    set_argument_marks,
)
from sdykit.passes.sparsecore._programs.layout import ProgramLayout
from sdykit.sparsecore.tile.lookup.index_phase import index_arguments

_Argument = tuple[ir.Type, Marks, ir.Value | None]
"""Type and attributes of an argument, and the one that it replaces."""


def add_index(entry: ir.Operation, lookup: ProgramLayout, *, given: bool) -> dict[str, ir.Value]:
    """Add new arguments, with an index, after the present ones, which they replace.

    Args:
        entry: the entry function.
        lookup: its sizes.
        given: whether the caller passes the index, and no buffers; else it is a workspace.

    Returns:
        The new arguments, by name.
    """
    names, marks = names_of(entry), argument_marks(entry)
    block, work = entry.regions[0].blocks[0], None
    if given:
        work = ir.IntegerAttr(marks[names.index("embedding_ids")][WORK]).value
    index: list[_Argument] = []
    for each in index_arguments(lookup, work):
        mark: Marks = {NAME: ir.StringAttr.get(each.name)}
        if each.work:
            mark[WORK] = ir.Attribute.parse(f"{each.work} : i64")
        index.append((ir.Type.parse(each.type), mark, None))
    present: list[_Argument] = [
        (argument.type, mark, argument)
        for argument, mark in zip(list(block.arguments), marks, strict=True)
    ]
    place = names.index("activations") + 1
    arguments = [*present[:place], *index, *present[place:]]
    if given:
        arguments = [*index, *present[names.index("table") :]]
    added: dict[str, ir.Value] = {}
    for type_, mark, replaced in arguments:
        name = ir.StringAttr(mark[NAME]).value
        argument = added[name] = block.add_argument(type_, ir.Location.name(name))
        if replaced is not None:
            replaced.replace_all_uses_with(argument)
    set_argument_marks(entry, [*marks, *(mark for _, mark, _ in arguments)])
    return added


def erase_first(entry: ir.Operation, count: int) -> None:
    """Erase the first arguments of the entry function, which nothing uses, and set its type."""
    block, marks = entry.regions[0].blocks[0], argument_marks(entry)
    for number in reversed(range(count)):
        assert not list(block.arguments[number].uses)
        block.erase_argument(number)
    set_argument_marks(entry, marks[count:])
    function = ir.FunctionType.get([each.type for each in block.arguments], [])
    entry.attributes["function_type"] = ir.TypeAttr.get(function)
