"""Asynchronous instructions: their opcodes, and the way from one of a chain to the others."""

from __future__ import annotations

from sdykit.hlo.attributes import names_in, unquoted
from sdykit.hlo.model import MAIN_THREAD, Computation, Instruction

START, UPDATE, DONE = "async-start", "async-update", "async-done"
ASYNC = frozenset({START, UPDATE, DONE})
ASYNC_SUFFIXES = ("-start", "-update", "-done")
THREAD = "async_execution_thread"

FIRST_CLASS = frozenset({"all-gather", "all-reduce", "collective-permute", "copy", "recv", "send"})
"""Opcodes of operations that have `-start` and `-done` opcodes of their own."""

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
"""Those `-start` and `-done` opcodes; no sugar, though they look like it."""


def is_async(op: Instruction) -> bool:
    """Whether an instruction is an `async-start`, `async-update` or `async-done`."""
    return op.opcode in ASYNC


def start_of(op: Instruction) -> Instruction | None:
    """Return the start of the chain of an instruction; None if there is none.

    It goes through the updates in between, as do `wrapped` and `thread_of`.
    """
    while op.opcode in (UPDATE, DONE):
        if not op.operands:
            return None
        op = op.operands[0]
    return op if op.opcode == START else None


def wrapped(op: Instruction) -> Computation | None:
    """Return the computation that the chain of an instruction runs; None if there is none."""
    start = start_of(op)
    module = op.parent.module if op.parent is not None else None
    if start is None or module is None:
        return None
    names = names_in(start.attributes.get("calls", ""))
    return module.find_computation(names[0]) if names else None


def thread_of(op: Instruction) -> str:
    """Return the thread that the chain of an instruction runs on, without quotes."""
    start = start_of(op) or op
    return unquoted(start.attributes.get(THREAD, MAIN_THREAD))


def chain(start: Instruction) -> list[Instruction]:
    """Return a start, its updates and its done, as far as each has one user."""
    found = [start]
    while found[-1].opcode != DONE and len(found[-1].users) == 1:
        user = next(iter(found[-1].users))
        if user.opcode not in (UPDATE, DONE):
            break
        found.append(user)
    return found
