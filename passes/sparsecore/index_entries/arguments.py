"""What a lookup says about its buffers, and its arguments with an index of the entries by sample."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sdykit.core import fail
from sdykit.core.sparsecore.names import NAME, SIZES, WORK
from sdykit.mlir import ir
from sdykit.passes.sparsecore._programs.arguments import (
    Marks,
    argument_marks,
    names_of,
    set_argument_marks,
)
from sdykit.passes.sparsecore._programs.entry import limits_of_partitions, sizes_of
from sdykit.sparsecore.tile.lookup.index_phase import index_arguments
from sdykit.sparsecore.tile.spec import BufferLayout

_SIZES = ("samples_per_core", "sparse_cores", "num_devices", "tiles", "lanes")
_LIMITS = ("max_ids_per_partition", "max_unique_ids_per_partition")
"""What the sizes of a lookup of buffers have, too."""
_Argument = tuple[ir.Type, Marks, ir.Value | None]
"""Type and attributes of an argument, and the one that it replaces."""


@dataclass(frozen=True)
class Lookup(BufferLayout):
    """The sizes of a lookup.

    Attributes:
        sizes: the sizes, by name.
        partitions: the limits that differ from partition to partition, by name.
    """

    sizes: Mapping[str, int]
    samples_per_core: int
    minibatches: bool
    num_devices: int
    partitions: Mapping[str, tuple[int, ...]]

    @property
    def limits(self) -> tuple[int, int]:
        return self.sizes["max_ids_per_partition"], self.sizes["max_unique_ids_per_partition"]

    @property
    def limits_of_partitions(self) -> tuple[tuple[int, ...] | None, tuple[int, ...] | None]:
        ids, unique = (self.partitions.get(name) for name in _LIMITS)
        return ids, unique

    @property
    def sparse_cores(self) -> int:
        return self.sizes["sparse_cores"]

    @property
    def tiles(self) -> int:
        """The number of tiles of a SparseCore."""
        return self.sizes["tiles"]

    @property
    def lanes(self) -> int:
        """The number of columns in a vector."""
        return self.sizes["lanes"]


def lookup_of(entry: ir.Operation) -> Lookup:
    """Return the sizes of a lookup.

    Raises:
        PassFailure: the entry function does not have them.
    """
    sizes, names = sizes_of(entry), names_of(entry)
    needed = _SIZES if "ids" in names else (*_SIZES, *_LIMITS)
    missing = [name for name in needed if name not in sizes]
    if missing:
        fail(entry, f"has no {', '.join(missing)} in '{SIZES}'; expected those of a lookup")
    minibatches = "num_minibatches" in names
    limits = limits_of_partitions(entry)
    return Lookup(sizes, sizes["samples_per_core"], minibatches, sizes["num_devices"], limits)


def add_index(entry: ir.Operation, lookup: Lookup, *, given: bool) -> dict[str, ir.Value]:
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
