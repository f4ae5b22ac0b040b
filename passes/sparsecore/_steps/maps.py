"""Map steps: what each row or element of a buffer is a copy of.

A map step writes a buffer by one `memref.copy`, either of a part of another buffer to the same part
of this one, or of one row to the row that a loop counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

from sdykit.core import fail
from sdykit.core.sparsecore.nesting import is_made_within, is_within, ops_in, parents_of
from sdykit.core.sparsecore.steps import Step
from sdykit.core.sparsecore.views import SUBVIEW, Number, parts_of
from sdykit.mlir import ir
from sdykit.passes.sparsecore._programs.accesses import COPY, LOAD, accesses_of
from sdykit.passes.sparsecore._programs.arguments import VIEWS
from sdykit.passes.sparsecore._programs.values import integer_of, maker_of

_LOOPS = ("scf.for", "scf.parallel")
_ALLOWED = ("arith.", "memref.dim", LOAD, COPY, *VIEWS, *_LOOPS, "scf.yield", "scf.reduce")
_FORMS = "one copy, of a part of another buffer to the same part, or of a row to the row that a loop counts"
_BY_PLACE = (
    "that what is copied follows from the place it is copied to, and from nothing else counted"
)


@dataclass(frozen=True)
class Part:
    """Some rows or elements of a buffer, one after another.

    Attributes:
        buffer: the whole buffer.
        first: the first row or element.
        is_one: whether there is only one.
    """

    buffer: ir.Value
    first: Number
    is_one: bool

    @property
    def is_counted(self) -> bool:
        """Whether a loop counts the first row."""
        owner = None if isinstance(self.first, int) else self.first.owner
        return isinstance(owner, ir.Block) and owner.owner.operation.name in _LOOPS


@dataclass(frozen=True)
class Map:
    """What each place of a buffer, a row or an element, is a copy of.

    Attributes:
        step: the step that writes the buffer.
        place: a place in the buffer, which the step counts or computes.
        source: the buffer that is copied from.
        origin: the place in the source that `place` is a copy of.
        ops: the ops of the step that compute `origin` from `place`, in order.
    """

    step: Step
    place: ir.Value
    source: ir.Value
    origin: ir.Value
    ops: list[ir.Operation]

    @property
    def keeps_places(self) -> bool:
        """Whether each place is a copy of the same place."""
        return self.place == self.origin

    def origin_of(self, place: ir.Value) -> ir.Value:
        """Add ops that compute what a place is a copy of, at the innermost insertion point."""
        values = {self.place: place}
        for op in self.ops:
            copy = op.clone()
            for number, operand in enumerate(op.operands):
                copy.operands[number] = values.get(operand, operand)
            values.update(zip(op.results, copy.results, strict=True))
        return values.get(self.origin, self.origin)


def map_of(step: Step, name: str, buffer: ir.Value) -> Map:
    """Return what a step copies to each place of a buffer.

    Args:
        step: the step.
        name: the name of the buffer, for errors.
        buffer: the buffer.

    Raises:
        PassFailure: the step writes it in another form.
    """
    copy, source, target = copied_to(step, name, buffer)
    place, origin = target.first, source.first
    is_whole = target.buffer == buffer and not is_made_within(step.op, source.buffer)
    is_row = target.is_one and target.is_counted
    if isinstance(place, int) or isinstance(origin, int) or not is_whole:
        _fail(copy, step, name)
    if place != origin and not is_row:
        _fail(copy, step, name)
    if isinstance(buffer.owner, ir.Block):
        _fail(copy, step, name, "an allocation")
    ops = _ops_for(step.op, origin, place)
    used = {origin, *(operand for op in ops for operand in op.operands)}
    if any(each in used and each != place for each in _counted_around(step, copy)):
        _fail(copy, step, name, _BY_PLACE)
    return Map(step, place, source.buffer, origin, ops)


def copied_to(step: Step, name: str, buffer: ir.Value) -> tuple[ir.Operation, Part, Part]:
    """Return the copy that writes a buffer in a step, what it reads and what it writes.

    Raises:
        PassFailure: the step does more than to copy, or writes the buffer in another way.
    """
    ops = ops_in(step.op)
    accesses = [access for op in ops for access in accesses_of(op) if access.is_write]
    writes = [access.op for access in accesses if access.buffer == buffer]
    for op in (step.op, *ops):
        if op not in writes and (not op.name.startswith(_ALLOWED) or _carries(op)):
            _fail(op, step, name)
    if len(writes) != 1 or writes[0].name != COPY:
        _fail((*writes, step.op)[0], step, name)
    source, target = (_part_of(view) for view in writes[0].operands)
    if source is None or target is None:
        _fail(writes[0], step, name)
    return writes[0], source, target


def _fail(op: ir.Operation, step: Step, name: str, expected: str = _FORMS) -> NoReturn:
    fail(op, f"keeps step '{step.name}' from being joined by '{name}': expected {expected}")


def _carries(op: ir.Operation) -> bool:
    """Return whether an op is a loop that passes values from one iteration to the next."""
    return op.name in _LOOPS and len(op.results) > 0


def _part_of(view: ir.Value) -> Part | None:
    """Return which rows or elements of a buffer a view is of, or None if of something else."""
    op = maker_of(view)
    if op is None or op.name != SUBVIEW:
        return Part(view, 0, is_one=False)
    (first, *offsets), (size, *sizes), steps = parts_of(op)
    shape = ir.MemRefType(op.operands[0].type).shape
    if any(offsets) or sizes != shape[1:] or any(step != 1 for step in steps):
        return None
    count = size if isinstance(size, int) else integer_of(size)
    return Part(op.operands[0], first, is_one=count == 1)


def _counted_around(step: Step, op: ir.Operation) -> Iterator[ir.Value]:
    """Yield what the loops of a step around an op count."""
    for loop in parents_of(op):
        if loop != op and (loop == step.op or is_within(step.op, loop)):
            yield from loop.regions[0].blocks[0].arguments


def _ops_for(step: ir.Operation, value: ir.Value, place: ir.Value) -> list[ir.Operation]:
    """Return the ops of a step that a value is computed by, down to a place, in order."""
    wanted, found = {value}, []
    for op in reversed(ops_in(step)):
        if any(result in wanted and result != place for result in op.results):
            wanted.update(op.operands)
            found.append(op)
    return found[::-1]
