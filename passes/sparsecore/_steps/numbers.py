"""The law of de-duplication: the number of an entry's id stands for the id itself.

The first buffer that the first step `sort` or `deduplicate` reads has the ids of entries. The first
two that the last one writes are the distinct ids, and for each entry the number of its id among them:
`unique[numbers[e]] == ids[e]`. Steps after it may copy numbers to other buffers before they look ids
up by them.
"""

from __future__ import annotations

from collections.abc import Sequence

from sdykit.core import fail
from sdykit.core.sparsecore.steps import DEDUPLICATE, SORT, Step, steps_in
from sdykit.mlir import ir
from sdykit.passes.sparsecore._fusion.accesses import maker_of
from sdykit.passes.sparsecore._programs.buffers import buffers_of
from sdykit.passes.sparsecore._programs.nesting import is_within
from sdykit.passes.sparsecore._steps.join import fail_to_join, readers_of, replace_reads
from sdykit.passes.sparsecore._steps.unused import erase_unused

_LOAD, _STORE = "memref.load", "memref.store"
_CASTS = ("arith.index_cast", "arith.index_castui")
_GROUP = (SORT, DEDUPLICATE)
_MIN_WRITTEN = 2
_EXPECTED = (
    "expected that the first buffer read for it has the ids of entries, and that the first two it "
    "writes have the distinct ids and the number of each entry's"
)


def join_numbers(entry: ir.Operation) -> None:
    """Use ids of entries instead of their numbers; erase `deduplicate`, and `sort` before it.

    Raises:
        PassFailure: distinct ids, or their numbers, are used for something else.
    """
    group = [step for step in steps_in(entry) if step.name in _GROUP]
    if not any(step.name == DEDUPLICATE for step in group):
        return
    if not group[0].reads or len(group[-1].writes) < _MIN_WRITTEN:
        fail(group[-1].op, f"is step '{group[-1].name}'; {_EXPECTED}")
    (ids, *_), last = group[0].reads, group[-1]
    unique, numbers, *_ = last.writes
    buffers = buffers_of(entry)
    of_unique, of_numbers = (readers_of(entry, last, name) for name in (unique, numbers))
    lookups = _users(buffers[unique], of_unique)
    loads = _users(buffers[numbers], of_numbers)
    places = _places_of(last, numbers, loads, lookups)
    for step, op in lookups:
        if op.name != _LOAD or op.operands[1] not in places:
            reason = "expected that ids are looked up by the number of an entry's"
            fail_to_join(op, last, step, unique, reason)
    for _, op in loads:
        op.operands[0] = buffers[ids]
    for _, op in lookups:
        number = maker_of(op.operands[1])
        assert number is not None
        op.results[0].replace_all_uses_with(number.operands[0])
        op.erase()
    for name, readers, sources in ((unique, of_unique, []), (numbers, of_numbers, [ids])):
        for reader in readers:
            replace_reads(reader, name, sources)
    for name in reversed(_GROUP):
        erase_unused(entry, name)


_Uses = list[tuple[Step, ir.Operation]]
"""Ops that use a buffer, each with its step."""


def _users(buffer: ir.Value, steps: Sequence[Step]) -> _Uses:
    users = [use.owner.operation for use in buffer.uses]
    return [(step, op) for step in steps for op in users if is_within(step.op, op)]


def _places_of(last: Step, name: str, loads: _Uses, lookups: _Uses) -> list[ir.Value]:
    """Return the places that numbers are converted to; they are followed to where they are copied.

    Raises:
        PassFailure: numbers are used for more than to be copied, and to look ids up.
    """
    left, copies, stored = list(loads), list[ir.Value](), list[tuple[Step, ir.Operation]]()
    places: list[ir.Value] = []
    known = [op for _, op in lookups]
    numbers: list[ir.Value] = []
    while left:
        step, load = left.pop()
        reason = (
            "expected that numbers of ids are copied one by one, or that ids are looked up by them"
        )
        if load.name == _STORE and load.operands[1] in copies:
            stored.append((step, load))
            continue
        if load.name != _LOAD:
            fail_to_join(load, last, step, name, reason)
        numbers.append(load.results[0])
        for user in (use.owner.operation for use in load.results[0].uses):
            users = [use.owner.operation for result in user.results for use in result.uses]
            if user.name == _STORE and user.operands[0] == load.results[0]:
                if user.operands[1] not in copies:
                    copies.append(user.operands[1])
                    left += [(step, use.owner.operation) for use in user.operands[1].uses]
            elif user.name in _CASTS and all(op in known for op in users):
                places.append(user.results[0])
            else:
                fail_to_join(user, last, step, name, reason)
    for step, store in stored:
        if store.operands[0] not in numbers:
            fail_to_join(store, last, step, name, "it overwrites numbers of ids")
    return places
