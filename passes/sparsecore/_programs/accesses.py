"""What ops access in memory: which of their operands they read, and which they write."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sdykit.core import fail
from sdykit.mlir import ir
from sdykit.passes.sparsecore._programs.arguments import VIEWS, source_of

LOAD, STORE, COPY = "memref.load", "memref.store", "memref.copy"
LOADS = (LOAD, "vector.load")
ELEMENTS = {**dict.fromkeys(LOADS, 0), STORE: 1, "vector.store": 1}
"""Ops that access elements of a buffer, and the number of the operand that is the buffer; indices
follow it."""
_READ = {
    **dict.fromkeys(("memref.load", "memref.copy", "vector.load", "vector.gather"), 0),
    **dict.fromkeys(("vector.maskedload", "vector.expandload", "vector.transfer_read"), 0),
    "memref.atomic_rmw": 1,
    "memref.generic_atomic_rmw": 0,
}
"""Ops that read memory, and the number of the operand that is the buffer."""
_WRITTEN = {
    **dict.fromkeys(("memref.store", "memref.copy", "vector.store", "vector.transfer_write"), 1),
    **dict.fromkeys(("vector.scatter", "vector.maskedstore", "vector.compressstore"), 0),
    "memref.atomic_rmw": 1,
    "memref.generic_atomic_rmw": 0,
}
"""Ops that write memory, and the number of the operand that is the buffer."""
_HARMLESS = ("memref.dim", "memref.rank", "memref.prefetch", "memref.dealloc", *VIEWS)
"""Ops that take buffers and access nothing; views are followed to where they are used."""
_SCALAR, _SELECT = ("arith.", "math."), "arith.select"
"""The dialects whose ops take no buffers, but for the one op that takes any types."""


@dataclass(frozen=True)
class Access:
    """An access of a whole buffer or of a view of it.

    Attributes:
        op: the op.
        buffer: the whole buffer.
        is_write: whether it is written.
    """

    op: ir.Operation
    buffer: ir.Value
    is_write: bool


def accesses_of(op: ir.Operation) -> Sequence[Access]:
    """Return what an op accesses by itself: a copy reads one buffer and writes another.

    Raises:
        PassFailure: it takes a buffer, and it is not known what it does with it.
    """
    name = op.name
    if name.startswith(_SCALAR) and name != _SELECT:
        return ()
    sides = ((_READ, False), (_WRITTEN, True))
    found = [
        Access(op, source_of(op.operands[buffers[name]]), is_write)
        for buffers, is_write in sides
        if name in buffers
    ]
    if found or name in _HARMLESS:
        return found
    if any(isinstance(operand.type, ir.MemRefType) for operand in op.operands):
        known = ", ".join(dict.fromkeys((*_READ, *_WRITTEN, *_HARMLESS)))
        fail(op, f"takes a buffer, and it is not known what it accesses; expected one of {known}")
    return ()


def indices_of(op: ir.Operation) -> list[ir.Value]:
    """Return the indices of an op of `ELEMENTS`."""
    return list(op.operands)[ELEMENTS[op.name] + 1 :]


def writers_of(buffer: ir.Value) -> Iterator[ir.Operation]:
    """Yield the ops that write a buffer or views of it, in any order; unknown ops count as writing."""
    for use in buffer.uses:
        user, operand = use.owner.operation, use.operand_number
        if user.name in VIEWS:
            yield from writers_of(user.results[0])
        elif user.name not in _HARMLESS and (
            _READ.get(user.name) != operand or _WRITTEN.get(user.name) == operand
        ):
            yield user
