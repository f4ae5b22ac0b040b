"""Asynchronous instructions: which there are, and how those of a chain find each other."""

from __future__ import annotations

from sdykit.hlo.attributes import names_in, unquoted
from sdykit.hlo.model import MAIN_THREAD, Computation, Instruction

START, UPDATE, DONE = "async-start", "async-update", "async-done"
ASYNC = frozenset({START, UPDATE, DONE})
ASYNC_SUFFIXES = ("-start", "-update", "-done")
THREAD = "async_execution_thread"

FIRST_CLASS = frozenset({"all-gather", "all-reduce", "collective-permute", "copy", "recv", "send"})
"""Operations that have opcodes of their own for starting or finishing them."""

FIRST_CLASS_OPCODES = frozenset(
    {
        "all-gather-done",
        "all-gather-start",
        "all-reduce-done",
        "all-reduce-start",
        "collective-permute-done",
        "collective-permute-start",
        "copy-done",
        "copy-start",
        "recv-done",
        "send-done",
    }
)
"""These opcodes; not sugar, though they look like it."""


def is_async(op: Instruction) -> bool:
    """Whether it is a start, update or done of the generic kind."""
    return op.opcode in ASYNC


def start_of(op: Instruction) -> Instruction | None:
    """Find the start of a chain from any of its instructions; None if there is none.

    It goes through the updates in between, as do `wrapped` and `thread_of`.
    """
    while op.opcode in (UPDATE, DONE):
        if not op.operands:
            return None
        op = op.operands[0]
    return op if op.opcode == START else None


def wrapped(op: Instruction) -> Computation | None:
    """Find the computation that the chain of an instruction runs; None if there is none."""
    start = start_of(op)
    module = op.parent.module if op.parent is not None else None
    if start is None or module is None:
        return None
    names = names_in(start.attributes.get("calls", ""))
    return module.find_computation(names[0]) if names else None


def thread_of(op: Instruction) -> str:
    """Tell the thread that the chain of an instruction runs on, without quotes."""
    start = start_of(op) or op
    return unquoted(start.attributes.get(THREAD, MAIN_THREAD))


def chain(start: Instruction) -> list[Instruction]:
    """Follow a start to its updates and its done, as long as there is one user each."""
    found = [start]
    while found[-1].opcode != DONE and len(found[-1].users) == 1:
        user = next(iter(found[-1].users))
        if user.opcode not in (UPDATE, DONE):
            break
        found.append(user)
    return found
