"""The law of de-duplication: the number of an entry's id stands for the id itself.

The first buffer that the first step `sort` or `deduplicate` reads has the ids of entries. The first
two that the last one writes are the distinct ids, and for each entry the number of its id among them:
`unique[numbers[e]] == ids[e]`. Steps after it may copy numbers to other buffers before they look ids
up by them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from sdykit.core import fail
from sdykit.core.sparsecore.nesting import is_within
from sdykit.core.sparsecore.steps import DEDUPLICATE, SORT, Step
from sdykit.mlir import ir
from sdykit.passes.sparsecore._programs.accesses import LOAD, STORE
from sdykit.passes.sparsecore._programs.values import maker_of
from sdykit.passes.sparsecore._steps.join import fail_to_join, users_of
from sdykit.passes.sparsecore._steps.steps import Steps
from sdykit.passes.sparsecore._steps.unused import erase_unused

_CASTS = ("arith.index_cast", "arith.index_castui")
_GROUP = (SORT, DEDUPLICATE)
_MIN_WRITTEN = 2
_EXPECTED = (
    "expected that the first buffer read for it has the ids of entries, and that the first two it "
    "writes have the distinct ids and the number of each entry's"
)
_BY_NUMBER = "expected that ids are looked up by the number of an entry's"
_COPIED = "expected that numbers of ids are copied one by one, or that ids are looked up by them"


def join_numbers(steps: Steps) -> None:
    """Use ids of entries instead of their numbers; erase `deduplicate`, and `sort` before it.

    Raises:
        PassFailure: distinct ids, or their numbers, are used for something else.
    """
    group, buffers = steps.named(*_GROUP), steps.buffers
    if not any(step.name == DEDUPLICATE for step in group):
        return
    if not group[0].reads or len(group[-1].writes) < _MIN_WRITTEN:
        fail(group[-1].op, f"is step '{group[-1].name}'; {_EXPECTED}")
    (ids, *_), last = group[0].reads, group[-1]
    unique, numbers, *_ = last.writes
    readers = {name: users_of(steps, last, name) for name in (unique, numbers)}
    lookups = _uses_in(readers[unique], buffers[unique])
    loads = _uses_in(readers[numbers], buffers[numbers])
    places = _places_of(last, numbers, loads, lookups)
    for op, step in lookups.items():
        if op.name != LOAD or op.operands[1] not in places:
            fail_to_join(op, last, step, unique, _BY_NUMBER)
    for op in loads:
        op.operands[0] = buffers[ids]
    for op in lookups:
        cast = maker_of(op.operands[1])
        assert cast is not None  # All lookups are by one of `places`.
        op.results[0].replace_all_uses_with(cast.operands[0])
        op.erase()
    for name, sources in ((unique, []), (numbers, [ids])):
        for reader in readers[name]:
            steps.rename(reader, "reads", name, sources)
    erase_unused(steps, _GROUP)


def _uses_in(steps: list[Step], buffer: ir.Value) -> dict[ir.Operation, Step]:
    """Return the ops in some steps that use a buffer, each with its step."""
    users = [use.owner.operation for use in buffer.uses]
    return {op: step for step in steps for op in users if is_within(step.op, op)}


def _places_of(
    last: Step, name: str, uses: Mapping[ir.Operation, Step], lookups: Collection[ir.Operation]
) -> list[ir.Value]:
    """Return the places that numbers are converted to; they are followed to where they are copied.

    Args:
        last: the step that writes the numbers.
        name: the name of the buffer with the numbers.
        uses: the ops that use it, each with its step.
        lookups: the ops that may look ids up by numbers.

    Raises:
        PassFailure: numbers are used for something else.
    """
    left, copies = list(uses.items()), list[ir.Value]()
    numbers, places, stores = list[ir.Value](), list[ir.Value](), list[tuple[ir.Operation, Step]]()
    for op, step in left:
        if op.name == STORE and op.operands[1] in copies:
            stores.append((op, step))
            continue
        if op.name != LOAD:
            fail_to_join(op, last, step, name, _COPIED)
        numbers.append(op.results[0])
        for user in _users_of(op):
            if user.name == STORE and user.operands[0] == op.results[0]:
                if user.operands[1] not in copies:
                    copies.append(user.operands[1])
                    left += [(use.owner.operation, step) for use in user.operands[1].uses]
            elif user.name in _CASTS and all(each in lookups for each in _users_of(user)):
                places.append(user.results[0])
            else:
                fail_to_join(user, last, step, name, _COPIED)
    for op, step in stores:
        if op.operands[0] not in numbers:
            fail_to_join(op, last, step, name, "it overwrites numbers of ids")
    return places


def _users_of(op: ir.Operation) -> list[ir.Operation]:
    return [use.owner.operation for result in op.results for use in result.uses]
