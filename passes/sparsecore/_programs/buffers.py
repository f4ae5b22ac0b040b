"""The buffers of a tile program by name: arguments, and allocations outside of steps."""

from __future__ import annotations

from collections.abc import Iterator

from sdykit.core import fail, ops_named
from sdykit.core.sparsecore.names import NAME
from sdykit.mlir import ir
from sdykit.passes.sparsecore._programs.arguments import argument_marks


def buffers_of(entry: ir.Operation) -> dict[str, ir.Value]:
    """Return the buffers that have a name.

    Raises:
        PassFailure: a name is not a string, or two buffers have it.
    """
    found: dict[str, ir.Value] = {}
    for where, mark, buffer in _named(entry):
        if not isinstance(mark, ir.StringAttr):
            fail(where, f"has the attribute '{NAME}' = {mark}; expected the name of a buffer")
        if mark.value in found:
            fail(
                where, f"has the name '{mark.value}' of another buffer; expected names that differ"
            )
        found[mark.value] = buffer
    return found


def _named(entry: ir.Operation) -> Iterator[tuple[ir.Operation, ir.Attribute, ir.Value]]:
    """Yield where a name is, the name, and the buffer: arguments first."""
    arguments = entry.regions[0].blocks[0].arguments
    for argument, marks in zip(arguments, argument_marks(entry), strict=True):
        if NAME in marks:
            yield entry, marks[NAME], argument
    for alloc in ops_named(entry, "memref.alloc"):
        if NAME in alloc.attributes:
            yield alloc, alloc.attributes[NAME], alloc.results[0]


def erase_buffer(buffer: ir.Value) -> None:
    """Erase the allocation of a buffer that nothing uses."""
    alloc = buffer.owner
    assert not isinstance(alloc, ir.Block)
    assert not list(buffer.uses)
    alloc.operation.erase()
