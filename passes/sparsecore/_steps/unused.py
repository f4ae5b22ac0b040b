"""Steps that are of no use any more, and the buffers that they write."""

from __future__ import annotations

from sdykit.core.sparsecore.names import STEP
from sdykit.core.sparsecore.nesting import is_within, ops_in
from sdykit.core.sparsecore.steps import Step, steps_in
from sdykit.mlir import ir
from sdykit.passes.sparsecore._programs.accesses import accesses_of
from sdykit.passes.sparsecore._programs.buffers import buffers_of, erase_buffer


def erase_unused(entry: ir.Operation, name: str) -> None:
    """Erase the steps of a name that write what nothing reads, from the last to the first.

    What reads their buffers between steps, and is not used itself, does not count, and is erased.
    """
    for step in reversed([each for each in steps_in(entry) if each.name == name]):
        erase_idle(entry)
        buffers = buffers_of(entry)
        if not any(_is_used(step, buffers[target]) for target in step.writes):
            step.op.erase()
            for target in step.writes:
                erase_buffer(buffers[target])


def _is_used(step: Step, buffer: ir.Value) -> bool:
    """Return whether an op outside of a step uses a buffer, or one may that is not known."""
    is_held = not isinstance(buffer.owner, ir.Block)
    return not is_held or any(not is_within(step.op, use.owner.operation) for use in buffer.uses)


def erase_idle(outer: ir.Operation) -> None:
    """Erase the ops in an op, outside of steps, that only read, and whose results nothing uses."""
    for op in reversed(ops_in(outer, STEP)):
        has_results = len(op.results) > 0
        if has_results and not any(list(result.uses) for result in op.results) and _only_reads(op):
            op.erase()


def _only_reads(op: ir.Operation) -> bool:
    """Return whether an op, with those in it, writes nothing and is not a step."""
    inner = (op, *ops_in(op))
    return not any(
        STEP in each.attributes or any(access.is_write for access in accesses_of(each))
        for each in inner
    )
