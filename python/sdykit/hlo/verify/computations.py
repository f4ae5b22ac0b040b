"""Check the computations that starts wrap: their contents and their callers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sdykit.hlo.async_ops import DONE, FIRST_CLASS, START, UPDATE
from sdykit.hlo.attributes import entries_in
from sdykit.hlo.model import Computation, Instruction, Module
from sdykit.hlo.verify.report import Report, note

_REPEATING = frozenset({UPDATE, DONE})
"""Opcodes that call nothing: a computation that they name is that of their start."""


def check_calls(module: Module, report: Report) -> dict[Computation, list[Instruction]]:
    """Check the callers of all computations; return the starts that wrap each."""
    starts: dict[Computation, list[Instruction]] = {}
    others: dict[Computation, list[Instruction]] = {}
    for caller in module.computations:
        for op in caller.instructions:
            if not op.attributes or op.opcode in _REPEATING:
                continue
            found = starts if op.opcode == START else others
            for called in _called(module, op, report):
                found.setdefault(called, []).append(op)
    for computation, wrapping in starts.items():
        _check_callers(computation, wrapping, others.get(computation, []), report)
    _check_recursion(module, report)
    return starts


def check_wrapped(computation: Computation, starts: Sequence[Instruction], report: Report) -> None:
    """Check the contents of a computation that starts wrap."""
    start, root = starts[0], computation.root
    rest = [op for op in computation.instructions if op is not root and op.opcode != "parameter"]
    allowed = all(op.opcode == "get-tuple-element" for op in rest)
    if not allowed and not any(in_collectives_group(each) for each in starts):
        message = (
            f"Asynchronous computation {computation.name} expected to contain only the root and "
            "parameter instructions."
        )
        extra = [op for op in rest if op.opcode != "get-tuple-element"]
        notes = [note(op, f"%{op.name} is neither, but {_article(op.opcode)}") for op in extra]
        report.error(start, message, *notes)
    if root.opcode in FIRST_CLASS:
        report.error(
            start,
            f"async-start cannot wrap {root.opcode}, which has opcodes of its own",
            note(root, f"use {' and '.join(_own_opcodes(root.opcode))} instead"),
        )


def in_collectives_group(start: Instruction) -> bool:
    """Whether a start wraps a group of collectives, which may be any number of instructions."""
    return "_collectives_group" in entries_in(start.attributes.get("frontend_attributes", "{}"))


def _own_opcodes(opcode: str) -> tuple[str, str]:
    start = opcode if opcode in {"send", "recv"} else f"{opcode}-start"
    return start, f"{opcode}-done"


def _article(opcode: str) -> str:
    return f"{'an' if opcode[0] in 'aeiou' else 'a'} {opcode}"


def _called(module: Module, op: Instruction, report: Report) -> Iterator[Computation]:
    for _, name in op.called_names():
        called = module.find_computation(name)
        if called is not None:
            yield called
        elif op.opcode == START:
            report.error(op, f"async-start calls %{name}, which is not a computation of the module")


def _check_callers(
    computation: Computation,
    starts: Sequence[Instruction],
    others: Sequence[Instruction],
    report: Report,
) -> None:
    if len(starts) > 1:
        message = f"Computation {computation.name} is called by more than one async op."
        notes = [note(op, f"%{op.name} calls it") for op in starts if op is not starts[1]]
        report.error(starts[1], message, *notes)
    if others:
        message = f"Async computations should have a unique caller: {computation.name} has others"
        notes = [note(op, f"{op.opcode} %{op.name} calls it") for op in others]
        report.error(starts[0], message, *notes)
    if computation.is_entry:
        report.error(starts[0], f"async-start cannot wrap the entry computation {computation.name}")


def _check_recursion(module: Module, report: Report) -> None:
    """Check that no computation calls itself, directly or through others."""
    done: set[Computation] = set()
    for first in module.computations:
        if first in done:
            continue
        path = {first: None}
        pending = [_calls(module, first)]
        while pending:
            op, called = next(pending[-1], (None, None))
            if op is None or called is None:
                pending.pop()
                done.add(path.popitem()[0])
            elif called in path:
                text = f"computation {called.name} calls itself through %{op.name}"
                report.error(op, text, note(called, f"{called.name} is here"))
            elif called not in done:
                path[called] = None
                pending.append(_calls(module, called))


def _calls(module: Module, computation: Computation) -> Iterator[tuple[Instruction, Computation]]:
    for op in computation.instructions:
        if op.attributes and op.opcode not in _REPEATING:
            for called in op.called():
                yield op, called
