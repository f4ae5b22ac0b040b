"""Where a program is counted: blocks and copies, with what each does and the loops around it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sdykit.core.sparsecore.names import CHECK, COUNTS, SIZES, STEP
from sdykit.core.sparsecore.nesting import parents_of
from sdykit.mlir import ir
from sdykit.passes.sparsecore._programs.entry import phases_of
from sdykit.passes.sparsecore.count.amounts import (
    COPY,
    DMAS,
    Amount,
    amount_of,
    launched_by,
    moved_by,
)
from sdykit.passes.sparsecore.count.loops import Nest, blocks_in

Key = tuple[int, tuple[tuple[str, int], ...]]
"""The number of a phase, and names and sizes of axes: nests that are alike share their rows."""


@dataclass(frozen=True)
class Place:
    """Where something is counted.

    Attributes:
        op: the op before which code is added: the end of a block, or a copy.
        amount: the amount to add.
        nest: the axes of the counted loops around the op.
        key: the key of the nest.
    """

    op: ir.Operation
    amount: Amount
    nest: Nest
    key: Key


def places_in(entry: ir.Operation) -> list[Place]:
    """Return where to count in all phases, in order."""
    sizes, found = _sizes_of(entry), []
    phases = [phase for phase in phases_of(entry) if CHECK not in phase.attributes]
    for number, phase in enumerate(phases):
        for block, nest in blocks_in(phase, sizes):
            key = (number, tuple((axis.name, axis.size) for axis in nest))
            counted = _amounts(entry, block)
            found += [Place(op, amount, nest, key) for op, amount in counted if amount]
    return found


def _amounts(entry: ir.Operation, block: ir.Block) -> list[tuple[ir.Operation, Amount]]:
    """Return the ops of a block to count at, and the amounts: each copy, and the end."""
    step = _step_around(block)
    found, total = [], Counter[str]()
    *ops, last = (view.operation for view in block)
    for op in (*ops, last):
        if CHECK in op.attributes:
            continue
        if op.name == COPY:
            found.append((op, _in_step(step, moved_by(entry, op, step))))
            total += {DMAS: 1}
        else:
            total += amount_of(entry, op) + launched_by(op)
    return [*found, (last, _in_step(step, total) + _iteration_of(block))]


def _iteration_of(block: ir.Block) -> Amount:
    """Return 1 of the counter that the loop of a block names, if it names one."""
    found = block.owner.operation.attributes
    return Counter({ir.StringAttr(found[COUNTS]).value: 1} if COUNTS in found else {})


def _step_around(block: ir.Block) -> ir.Operation | None:
    return next((op for op in parents_of(block.owner.operation) if STEP in op.attributes), None)


def _in_step(step: ir.Operation | None, amount: Amount) -> Amount:
    """Return an amount with the name of the step before the names of the counters."""
    if step is None:
        return amount
    name = ir.StringAttr(step.attributes[STEP]).value
    return Counter({f"{name}: {what}": number for what, number in amount.items()})


def _sizes_of(entry: ir.Operation) -> dict[str, int]:
    if SIZES not in entry.attributes:
        return {}
    found = ir.DictAttr(entry.attributes[SIZES])
    return {found[at].name: ir.IntegerAttr(found[at].attr).value for at in range(len(found))}


def nests_of(places: Sequence[Place]) -> dict[Key, Nest]:
    """Return a nest of each kind, by its key."""
    found: dict[Key, Nest] = {}
    for place in places:
        found.setdefault(place.key, place.nest)
    return found
