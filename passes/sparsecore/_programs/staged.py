"""Buffers in SPMEM that a tile copies its input to: replacing them by the source of the copy."""

from __future__ import annotations

from collections.abc import Iterator

from sdykit.core import fail, ops_named
from sdykit.mlir import ir
from sdykit.passes.sparsecore._programs.arguments import VIEWS, name_of, source_of
from sdykit.passes.sparsecore._programs.entry import allocations_in
from sdykit.passes.sparsecore._programs.nesting import is_after, is_within

STAGED = "sparsecore.staged"
_BLOCK = "sparsecore.block"
_MINIMUM = "arith.minsi"
_VIEW = "memref.subview"
_COPY = "memref.copy"
LOADS = ("memref.load", "vector.load")
WRITTEN = {"memref.store": 1, "vector.store": 1, _COPY: 1}
"""Ops that write memory, and the number of the operand that is the buffer."""
OTHER_LOADS = ("vector.gather", "vector.maskedload", "vector.transfer_read")
_READERS = (*LOADS, *OTHER_LOADS, "memref.dim", "memref.prefetch")


def read_in_place(entry: ir.Operation, phase: ir.Operation) -> None:
    """Replace the staged buffers of a phase by the sources of the copies to them.

    Raises:
        PassFailure: a staged buffer is not written by one copy, before it is read.
    """
    for alloc in allocations_in(phase):
        if STAGED in alloc.attributes:
            check_source(entry, phase, _replace(alloc))


def join_blocks(phase: ir.Operation) -> None:
    """Make one block of all that a tile reads, since it is not copied to SPMEM."""
    for op in ops_named(phase, _MINIMUM):
        if _BLOCK in op.attributes:
            op.results[0].replace_all_uses_with(op.operands[1])
            op.erase()


def _replace(alloc: ir.Operation) -> ir.Value:
    """Replace an allocation by the source of the copy to it.

    Returns:
        The source.
    """
    staged = alloc.results[0]
    users = [use.owner.operation for use in staged.uses]
    views = [user for user in users if user.name == _VIEW]
    copies = [use.owner.operation for view in views for use in view.results[0].uses]
    if len(views) != 1 or len(copies) != 1 or not _is_filled(views[0], copies[0]):
        fail(
            alloc,
            f"has the attribute '{STAGED}', and {len(views)} views with {len(copies)} uses; "
            "expected one view, from element 0 on, whose only use is a copy to it",
        )
    (view,), (copy,) = views, copies
    for user in users:
        if user != view and (user.name not in LOADS or not is_after(copy, user)):
            fail(
                user,
                f"uses a buffer with the attribute '{STAGED}'; expected {' or '.join(LOADS)} after "
                "the copy to it",
            )
    source = copy.operands[0]
    copy.erase()
    view.erase()
    staged.replace_all_uses_with(source)
    alloc.erase()
    return source


def _is_filled(view: ir.Operation, user: ir.Operation) -> bool:
    """Return whether the user of a view copies to it, from the first element on."""
    if user.name != _COPY or user.operands[1] != view.results[0]:
        return False
    offsets = list(ir.DenseI64ArrayAttr(view.attributes["static_offsets"]))
    steps = list(ir.DenseI64ArrayAttr(view.attributes["static_strides"]))
    return not any(offsets) and all(step == 1 for step in steps)


def check_source(entry: ir.Operation, phase: ir.Operation, source: ir.Value) -> None:
    """Check that a phase does not write a buffer that it stages: a copy would not see that.

    Raises:
        PassFailure: it does.
    """
    whole = source_of(source)
    for op in writers_of(whole):
        if is_within(phase, op):
            fail(
                op,
                f"writes {name_of(entry, whole)}, which the phase stages in SPMEM; expected only reads",
            )


def writers_of(buffer: ir.Value) -> Iterator[ir.Operation]:
    """Yield the ops that write a buffer or views of it, in any order; unknown ops count as writing."""
    for use in buffer.uses:
        user = use.owner.operation
        if user.name in VIEWS:
            yield from writers_of(user.results[0])
        elif user.name not in _READERS and (user.name, use.operand_number) != (_COPY, 0):
            yield user
