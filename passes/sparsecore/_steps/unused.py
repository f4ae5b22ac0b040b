"""Steps that are of no use any more, and the buffers that they write."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sdykit.core.sparsecore.names import STEP
from sdykit.core.sparsecore.nesting import has_mark, is_used, is_within, ops_in
from sdykit.core.sparsecore.steps import Step
from sdykit.mlir import ir
from sdykit.passes.sparsecore._programs.accesses import accesses_of
from sdykit.passes.sparsecore._programs.values import maker_of
from sdykit.passes.sparsecore._steps.steps import Steps


def erase_unused(steps: Steps, names: Sequence[str]) -> None:
    """Erase the steps of some names that write what nothing reads, from the last to the first.

    What reads their buffers between steps, and is not used itself, does not count, and is erased.
    """
    erase_idle(steps.entry)
    for step in reversed(steps.named(*names)):
        if any(_is_used(step, steps.buffers[target]) for target in step.writes):
            continue
        allocs = [maker_of(steps.buffers[target]) for target in step.writes]
        makers = _makers_around(step.op, ops_in(step.op))
        others = [each for each in makers if each not in allocs]
        steps.erase(step)
        steps.erase_buffers(step.writes)
        _erase_if_idle(others)


def _is_used(step: Step, buffer: ir.Value) -> bool:
    """Return whether an op outside of a step uses a buffer, or one may that is not known."""
    is_held = not isinstance(buffer.owner, ir.Block)
    return not is_held or any(not is_within(step.op, use.owner.operation) for use in buffer.uses)


def _makers_around(op: ir.Operation, inner: Sequence[ir.Operation]) -> list[ir.Operation]:
    """Return the ops whose results an op, or one of those in it, uses, without those in it."""
    own = {op, *inner}
    makers = (maker_of(operand) for each in (op, *inner) for operand in each.operands)
    return list(dict.fromkeys(each for each in makers if each is not None and each not in own))


def _erase_if_idle(ops: Iterable[ir.Operation]) -> None:
    """Erase ops that are idle, and then those that only they have used."""
    left = dict.fromkeys(ops)
    while left:
        op, _ = left.popitem()
        if not _is_idle(op):
            continue
        inner = ops_in(op)
        for each in inner:
            left.pop(each, None)
        makers = _makers_around(op, inner)
        op.erase()
        left.update(dict.fromkeys(makers))


def erase_idle(outer: ir.Operation) -> None:
    """Erase the ops in an op, outside of steps, that only read, and whose results nothing uses."""
    for op in reversed(ops_in(outer, STEP)):
        if _is_idle(op):
            op.erase()


def _is_idle(op: ir.Operation) -> bool:
    """Return whether an op has results, which nothing uses, and only reads."""
    return len(op.results) > 0 and not is_used(op) and _only_reads(op)


def _only_reads(op: ir.Operation) -> bool:
    """Return whether an op, with those in it, writes nothing and is not a step."""
    inner = ops_in(op) if len(op.regions) else ()
    return not any(
        has_mark(each, STEP) or any(access.is_write for access in accesses_of(each))
        for each in (op, *inner)
    )
