"""Joining a map step with the steps after it: they use what it copies from."""

from __future__ import annotations

from typing import NoReturn

from sdykit.core import fail
from sdykit.core.sparsecore.nesting import is_after, ops_in
from sdykit.core.sparsecore.steps import Step
from sdykit.mlir import ir
from sdykit.passes.sparsecore._programs.accesses import ELEMENTS, LOAD, indices_of
from sdykit.passes.sparsecore._programs.arguments import source_of
from sdykit.passes.sparsecore._steps.maps import Map, map_of
from sdykit.passes.sparsecore._steps.steps import Steps

_EXPECTED = "expected loads and stores, of single elements unless the step copies a part as a whole"


def join_map(steps: Steps, step: Step, back: Step | None = None) -> None:
    """Join a map step with the steps that use what it writes; erase it.

    Args:
        steps: the steps of the program.
        step: the step.
        back: the step that copies all of it back to where it came from, and is erased, too: the
            steps between the two may change it. None: they may not.

    Raises:
        PassFailure: two steps cannot be joined; the error names both, and the buffer.
    """
    found = {name: map_of(step, name, steps.buffers[name]) for name in step.writes}
    users = {name: users_of(steps, step, name, back) for name in step.writes}
    for name, copied in found.items():
        for user in users[name]:
            _use_source(steps, copied, name, user)
    for each in (step, *([] if back is None else [back])):
        steps.erase(each)
    steps.erase_buffers(step.writes)


def users_of(steps: Steps, step: Step, buffer: str, back: Step | None = None) -> list[Step]:
    """Return the steps that use a buffer that a step writes; all are after it, in its block.

    Args:
        steps: the steps of the program.
        step: the step.
        buffer: the name of the buffer.
        back: a step that is left out; the steps before it may write the buffer. None: none may.

    Raises:
        PassFailure: one is not, or what the step reads is written before they use the buffer.
    """
    users: list[Step] = []
    overwritten: str | None = None
    for other in steps.found:
        if other.op == step.op or (back is not None and other.op == back.op):
            continue
        is_next = is_after(step.op, other.op) and (back is None or is_after(other.op, back.op))
        if is_next and overwritten is None:
            names = [name for name in other.writes if name in step.reads]
            overwritten = f"step '{other.name}' writes '{names[0]}'" if names else None
        if back is None and buffer in other.writes:
            fail_to_join(other.op, step, other, buffer, "both write it")
        if buffer not in (*other.reads, *other.writes):
            continue
        if not is_next or other.op.block != step.op.block:
            fail_to_join(other.op, step, other, buffer, "one is not after the other in its block")
        if overwritten is not None:
            why = f"{overwritten}, which they would read later"
            fail_to_join(other.op, step, other, buffer, why)
        users.append(other)
    return users


def fail_to_join(op: ir.Operation, first: Step, second: Step, buffer: str, why: str) -> NoReturn:
    """Report that two steps cannot be joined.

    Raises:
        PassFailure: always.
    """
    fail(
        op, f"keeps steps '{first.name}' and '{second.name}' from being joined by '{buffer}': {why}"
    )


def _use_source(steps: Steps, copied: Map, name: str, user: Step) -> None:
    """Let a step use what a buffer is a copy of, instead of the buffer."""
    buffers = steps.buffers
    origins: dict[tuple[ir.Block, ir.Value], ir.Value] = {}
    for op in ops_in(user.op):
        if buffers[name] not in list(op.operands):
            continue
        is_known = op.name in ELEMENTS and op.operands[ELEMENTS[op.name]] == buffers[name]
        is_part = is_known and op.name.startswith("vector.") and len(indices_of(op)) == 1
        if not is_known or (is_part and not copied.keeps_places):
            fail_to_join(op, copied.step, user, name, _EXPECTED)
        place = op.block, indices_of(op)[0]
        if place not in origins:
            with ir.InsertionPoint(op), op.location:
                origins[place] = copied.origin_of(place[1])
        operand = ELEMENTS[op.name]
        op.operands[operand], op.operands[operand + 1] = copied.source, origins[place]
    names = {buffer: name for name, buffer in buffers.items()}
    read = [copied.source, *(op.operands[0] for op in copied.ops if op.name == LOAD)]
    steps.rename(user, "reads", name, (names[source_of(each)] for each in read))
    steps.rename(user, "writes", name, [names[source_of(copied.source)]])
