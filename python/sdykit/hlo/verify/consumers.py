"""Check the users of starts and updates, and the order of all instructions."""

from __future__ import annotations

from sdykit.hlo.async_ops import DONE, START, UPDATE
from sdykit.hlo.model import Computation, Instruction
from sdykit.hlo.verify.report import Report, note

CONSUMERS: dict[str, tuple[str, ...]] = {
    START: (UPDATE, DONE),
    UPDATE: (UPDATE, DONE),
    "all-gather-start": ("all-gather-done",),
    "all-reduce-start": ("all-reduce-done",),
    "collective-permute-start": ("collective-permute-done",),
    "copy-start": ("copy-done",),
}
"""The opcodes that the one consumer may have, for each opcode that must have one.

XLA has the same rule for first-class pairs, except `send` and `recv`: loops may carry their
values.
"""


def check_consumers(op: Instruction, report: Report) -> None:
    """Check that an op of `CONSUMERS` is not the root and has one user, of the right opcode."""
    expected = CONSUMERS[op.opcode]
    if len(op.users) != 1:
        _wrong_number(op, report)
        return
    if op.is_root:
        report.error(
            op,
            f"The {op.opcode} instruction is the root of computation %{_parent(op).name}, and "
            f"has the consumer %{next(iter(op.users)).name}; an asynchronous value must not "
            "leave its computation",
        )
    (user,) = op.users
    if user.opcode not in expected:
        message = (
            f"The consumer of a {op.opcode} instruction needs to be one of "
            f"({', '.join(expected)}), found {user.opcode}"
        )
        report.error(op, message, note(user, f"the consumer is %{user.name}"))


def check_order(computation: Computation, report: Report) -> None:
    """Check that operands are of the same computation and defined before their users."""
    defined: set[Instruction] = set()
    for op in computation.instructions:
        if not defined.issuperset(op.operands):
            for operand in dict.fromkeys(op.operands):
                if operand not in defined:
                    _not_defined(op, operand, report)
        defined.add(op)


def _wrong_number(op: Instruction, report: Report) -> None:
    notes = [note(user, f"a consumer is %{user.name}") for user in op.users]
    if op.is_root:
        why = "it is the root, but an asynchronous value must not leave its computation"
        notes.append(note(_parent(op), why))
    message = f"The {op.opcode} instruction requires one consumer, found {len(op.users)}"
    report.error(op, message, *notes)


def _not_defined(op: Instruction, operand: Instruction, report: Report) -> None:
    if operand.parent is op.parent:
        text = f"operand %{operand.name} of %{op.name} is defined after it, not before"
    else:
        text = f"operand %{operand.name} of %{op.name} is not of computation %{_parent(op).name}"
    report.error(op, text, note(operand, f"%{operand.name} is here"))


def _parent(op: Instruction) -> Computation:
    assert op.parent is not None, "instructions of a module have a parent"
    return op.parent
