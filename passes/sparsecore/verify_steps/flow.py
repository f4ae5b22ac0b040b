"""What steps access: only what they say, and in an order in which data are written before use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sdykit.core import fail
from sdykit.core.sparsecore.names import CHECK, NAME, READS, STEP, WRITES
from sdykit.core.sparsecore.nesting import has_mark, is_made_within, parents_of
from sdykit.core.sparsecore.steps import Step
from sdykit.mlir import ir
from sdykit.passes.sparsecore._programs.accesses import Access, accesses_of
from sdykit.passes.sparsecore._programs.arguments import arguments_of_no_chip, name_of


def check_accesses(
    entry: ir.Operation,
    ops: Sequence[ir.Operation],
    steps: Sequence[Step],
    buffers: Mapping[str, ir.Value],
) -> None:
    """Check that steps access the buffers that they say, and that nothing else writes any.

    Args:
        entry: the entry function; its steps are well-formed.
        ops: all ops in it.
        steps: its steps.
        buffers: its buffers, by name.

    Raises:
        PassFailure: they do not.
    """
    names = {buffer: name for name, buffer in buffers.items()}
    ignored = arguments_of_no_chip(entry)
    accesses = _accesses_by_step(entry, ops)
    for step in steps:
        used = _check_step(entry, step, accesses.get(step.op, ()), names, ignored)
        _check_declared(step, used)
    for access in accesses.get(entry, ()):
        if access.is_write and access.buffer not in ignored:
            name = name_of(entry, access.buffer)
            fail(access.op, f"writes {name} outside of a step; expected that only steps write")


def _check_step(
    entry: ir.Operation,
    step: Step,
    accesses: Iterable[Access],
    names: Mapping[ir.Value, str],
    ignored: Sequence[ir.Value],
) -> set[tuple[str, bool]]:
    """Check that a step names what it accesses; return the names, and whether each is written."""
    used: set[tuple[str, bool]] = set()
    for access in accesses:
        if access.buffer in ignored or is_made_within(step.op, access.buffer):
            continue
        verb, attribute = ("writes", WRITES) if access.is_write else ("reads", READS)
        if access.buffer not in names:
            what = f"{verb} {name_of(entry, access.buffer)} in step '{step.name}'"
            fail(access.op, f"{what}; expected one with the attribute '{NAME}'")
        name = names[access.buffer]
        if name not in (step.writes if access.is_write else step.reads):
            fail(
                access.op,
                f"{verb} '{name}' in step '{step.name}'; expected it in its '{attribute}'",
            )
        used.add((name, access.is_write))
    return used


def _check_declared(step: Step, used: set[tuple[str, bool]]) -> None:
    """Check that a step accesses what it names."""
    for attribute, names, is_write in ((READS, step.reads, False), (WRITES, step.writes, True)):
        for name in names:
            if (name, is_write) not in used:
                verb = "write" if is_write else "read"
                fail(
                    step.op,
                    f"is step '{step.name}' with '{name}' in '{attribute}' and does not {verb} it; "
                    "expected only what it does",
                )


def _accesses_by_step(
    entry: ir.Operation, ops: Sequence[ir.Operation]
) -> dict[ir.Operation, list[Access]]:
    """Return the accesses of some ops by the step that they are in, those outside by the entry function.

    Those of checks are left out.
    """
    owners: dict[ir.Block, ir.Operation | None] = {}
    found: dict[ir.Operation, list[Access]] = {}
    for op in ops:
        accesses = accesses_of(op)
        if not accesses or has_mark(op, CHECK):
            continue
        block = op.block
        if block not in owners:
            marked = (each for each in parents_of(op) if has_mark(each, CHECK, STEP))
            outer = next(marked, entry)
            owners[block] = None if has_mark(outer, CHECK) else outer
        owner = owners[block]
        if owner is not None:
            found.setdefault(owner, []).extend(accesses)
    return found


def check_order(steps: Sequence[Step], buffers: Mapping[str, ir.Value]) -> None:
    """Check that steps read what they or steps before them have written, and that all is read.

    Args:
        steps: the steps, in program order.
        buffers: the buffers by name; the caller fills arguments, and reads them.

    Raises:
        PassFailure: one reads or writes a buffer in vain.
    """
    known = {name for name, buffer in buffers.items() if isinstance(buffer.owner, ir.Block)}
    written, read = set(known), known | {name for step in steps for name in step.reads}
    for step in steps:
        for name in step.writes:
            if name not in read:
                fail(step.op, f"is step '{step.name}' and writes '{name}', which no step reads")
        written.update(step.writes)
        for name in step.reads:
            if name not in written:
                later = next((each.name for each in steps if name in each.writes), None)
                hint = "no step writes it" if later is None else f"step '{later}' writes it later"
                fail(
                    step.op,
                    f"is step '{step.name}' and reads '{name}' before a step has written it; {hint}",
                )
