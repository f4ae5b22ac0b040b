"""The places of a program over which buffers must not change, and which buffers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sdykit.core.sparsecore.names import AXES
from sdykit.core.sparsecore.nesting import is_after, is_within, ops_in
from sdykit.core.sparsecore.steps import Step, steps_in
from sdykit.mlir import ir
from sdykit.passes.sparsecore._programs.accesses import accesses_of
from sdykit.passes.sparsecore._programs.arguments import arguments_of_no_chip
from sdykit.passes.sparsecore._programs.buffers import buffers_of
from sdykit.passes.sparsecore._programs.entry import phases_of

Buffers = Mapping[str, ir.Value]
_PARALLEL, _TILE = "scf.parallel", "tile"


@dataclass(frozen=True)
class Place:
    """Some ops of a block, one after another, and buffers that they must not change.

    Attributes:
        first: the first op.
        last: the last op.
        buffers: the buffers, by name.
        text: what is wrong if a buffer, `{name}`, is changed.
    """

    first: ir.Operation
    last: ir.Operation
    buffers: Buffers
    text: str

    @property
    def block(self) -> ir.Block:
        """The block of the ops."""
        return self.first.block

    def begin(self) -> ir.InsertionPoint:
        """Return the point before the ops."""
        return ir.InsertionPoint(self.first)

    def end(self) -> ir.InsertionPoint:
        """Return the point after the ops."""
        return ir.InsertionPoint.after(self.last)


def in_phases(entry: ir.Operation) -> list[Place]:
    """Return the phases, each with the arguments that no step writes."""
    written = {name for step in steps_in(entry) for name in step.writes}
    ignored = arguments_of_no_chip(entry)
    arguments = {
        name: buffer
        for name, buffer in buffers_of(entry).items()
        if isinstance(buffer.owner, ir.Block) and name not in written and buffer not in ignored
    }
    text = "argument '{{name}}' changed in phase {}, and no step writes it"
    return [
        _whole(phase.regions[0].blocks[0], arguments, text.format(number))
        for number, phase in enumerate(phases_of(entry))
    ]


def within_steps(entry: ir.Operation) -> list[Place]:
    """Return what a tile does in each step, with the buffers of tiles that the step does not write."""
    buffers = buffers_of(entry)
    found = []
    for step in steps_in(entry):
        held = _held_at(step.op, buffers)
        others = {name: buffer for name, buffer in held.items() if name not in step.writes}
        text = f"step '{step.name}' changed '{{name}}', which it does not write"
        if _is_of_tiles(step):
            found.append(_whole(step.op.regions[0].blocks[0], others, text))
        else:
            found.append(Place(step.op, step.op, others, text))
    return found


def in_steps(entry: ir.Operation) -> list[Place]:
    """Return the ops between steps that write memory, with all buffers that the tiles hold there."""
    buffers, ignored = buffers_of(entry), arguments_of_no_chip(entry)
    found = []
    for phase in phases_of(entry):
        steps = steps_in(phase)
        for block in _blocks_around(phase, steps):
            for before, ops, after in _between(block, steps):
                if any(_writes(op, ignored) for op in ops):
                    held = _held_at(ops[0], buffers)
                    found.append(
                        Place(ops[0], ops[-1], held, f"'{{name}}' changed {_where(before, after)}")
                    )
    return found


def _whole(block: ir.Block, buffers: Buffers, text: str) -> Place:
    """Return all ops of a block but the last, which ends it."""
    ops = [view.operation for view in block]
    return Place(ops[0], ops[-2], buffers, text)


def _is_of_tiles(step: Step) -> bool:
    """Return whether a step is a loop over tiles, each of which does a part of it."""
    if step.op.name != _PARALLEL or AXES not in step.op.attributes:
        return False
    return _TILE in [ir.StringAttr(each).value for each in ir.ArrayAttr(step.op.attributes[AXES])]


def _held_at(op: ir.Operation, buffers: Buffers) -> Buffers:
    """Return the allocations that are there before an op, by name."""
    return {
        name: buffer
        for name, buffer in buffers.items()
        if not isinstance(buffer.owner, ir.Block) and is_after(buffer.owner.operation, op)
    }


def _blocks_around(phase: ir.Operation, steps: list[Step]) -> Iterator[ir.Block]:
    """Yield the blocks of a phase that have steps, or ops with steps in them."""
    for op in (phase, *ops_in(phase)):
        has_steps = any(is_within(op, step.op) for step in steps)
        is_step = any(op == step.op or is_within(step.op, op) for step in steps)
        if has_steps and not is_step:
            for region in op.regions:
                yield from region


def _between(
    block: ir.Block, steps: list[Step]
) -> Iterator[tuple[str | None, list[ir.Operation], str | None]]:
    """Yield the ops of a block between steps, with the names of the step before and of that after."""
    before, ops = None, list[ir.Operation]()
    for op in [view.operation for view in block][:-1]:
        inner = [step.name for step in steps if op == step.op or is_within(op, step.op)]
        if not inner:
            ops.append(op)
            continue
        if ops:
            yield before, ops, inner[0]
        before, ops = inner[-1], []
    if ops:
        yield before, ops, None


def _writes(op: ir.Operation, ignored: list[ir.Value]) -> bool:
    """Return whether an op, or one in it, writes memory that a chip has."""
    accesses = (access for each in (op, *ops_in(op)) for access in accesses_of(each))
    return any(access.is_write and access.buffer not in ignored for access in accesses)


def _where(before: str | None, after: str | None) -> str:
    if before is None or after is None:
        return f"before step '{after}'" if after is not None else f"after step '{before}'"
    return f"between steps '{before}' and '{after}'"
