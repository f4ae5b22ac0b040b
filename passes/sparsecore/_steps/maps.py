"""Map steps: what each place of a buffer is a copy of.

A map step writes a buffer once, in one of these forms:

- `memref.copy` of some rows or elements of a source, to as many places from a first one on;
- `memref.copy` of one row of a source, to the place that a loop counts;
- `memref.store` of an element that is loaded or computed, to the place that a loop counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sdykit.core import fail
from sdykit.core.sparsecore.steps import Step
from sdykit.mlir import ir
from sdykit.passes.sparsecore._fusion.accesses import integer_of, maker_of
from sdykit.passes.sparsecore._instrument.numbers import (
    SUBVIEW,
    Number,
    compute,
    parts_of,
    value_of,
)
from sdykit.passes.sparsecore._programs.accesses import accesses_of
from sdykit.passes.sparsecore._programs.arguments import VIEWS
from sdykit.passes.sparsecore._programs.nesting import is_within, ops_in, parents_of

_COPY, _STORE, _ADD = "memref.copy", "memref.store", "arith.addi"
_LOOPS = ("scf.for", "scf.parallel")
_PURE = ("arith.", "memref.dim", "memref.load", *VIEWS)
_FORMS = "expected one copy of rows or elements, or one store of an element at the place that a loop counts"


@dataclass(frozen=True)
class Map:
    """What each place of a buffer is a copy of.

    Attributes:
        step: the step that writes the buffer.
        place: a place in the buffer, which the step computes; None: the first one.
        source: where `place` is copied from; None: `value` is stored.
        value: the place in the source that `place` is a copy of, or the element.
        ops: the ops of the step that compute source and value from the place, in order.
    """

    step: Step
    place: ir.Value | None
    source: ir.Value | None
    value: Number
    ops: Sequence[ir.Operation]

    @property
    def is_shift(self) -> bool:
        """Whether adjacent places are copies of adjacent places."""
        return self.place is None or _is_shift(self.place, self.value)

    def at(self, place: ir.Value) -> tuple[ir.Value | None, ir.Value]:
        """Add ops that compute source and value of a place, at the innermost insertion point."""
        values = {} if self.place is None else {self.place: place}
        for op in self.ops:
            copy = op.clone()
            for number, operand in enumerate(op.operands):
                copy.operands[number] = values.get(operand, operand)
            values.update(zip(op.results, copy.results, strict=True))
        source = self.source and values.get(self.source, self.source)
        value = self.value
        if not isinstance(value, int):
            value = values.get(value, value)
        if self.place is None:
            value = compute(_ADD, value, place)
        return source, value_of(value)


def map_of(step: Step, name: str, buffer: ir.Value) -> Map:
    """Return what a step copies to each place of a buffer.

    Args:
        step: the step, of a program that `-sparsecore-verify-steps` has checked.
        name: the name of the buffer, for errors.
        buffer: the buffer.

    Raises:
        PassFailure: the step writes it in another form.
    """
    accesses = [access for op in ops_in(step.op) for access in accesses_of(op)]
    writes = [access.op for access in accesses if access.is_write and access.buffer == buffer]
    around = [op for op in parents_of(writes[0]) if is_within(step.op, op) and op != writes[0]]
    loops = [step.op, *around]
    found = None
    if len(writes) == 1 and all(op.name in _LOOPS and not len(op.results) for op in loops):
        found = _form_of(writes[0], buffer)
    if found is None:
        fail(writes[0], f"writes '{name}' in step '{step.name}'; {_FORMS}")
    place, source, value = found
    roots = [each for each in (source, value) if isinstance(each, ir.Value)]
    ops = _ops_for(step.op, roots, place)
    counted = [each for op in loops for each in op.regions[0].blocks[0].arguments]
    used = {*roots, *(operand for op in ops for operand in op.operands)}
    if any(each in used and each != place for each in counted):
        fail(writes[0], f"writes '{name}' in step '{step.name}', other than by place; {_FORMS}")
    for op in ops:
        if not op.name.startswith(_PURE):
            fail(op, f"computes '{name}' in step '{step.name}'; expected arithmetic and loads")
    return Map(step, place, source, value, ops)


_Form = tuple[ir.Value | None, ir.Value | None, Number]
"""Place, source and value of a map."""


def _form_of(write: ir.Operation, buffer: ir.Value) -> _Form | None:
    """Return how an op writes a buffer, None if not in one of the forms."""
    if write.name == _STORE:
        value, target, *places = write.operands
        is_whole = target == buffer and len(places) == 1
        return (places[0], None, value) if is_whole and _is_counted(places[0]) else None
    parts = [_part_of(view) for view in write.operands] if write.name == _COPY else [None]
    source, target = parts if len(parts) == 2 else (None, None)
    if source is None or target is None or target[0] != buffer:
        return None
    (_, place, is_one), (whole, value, _) = target, source
    if place == 0:
        return None, whole, value
    if isinstance(place, int) or isinstance(value, int):
        return None
    is_known = _is_shift(place, value) or (is_one and _is_counted(place))
    return (place, whole, value) if is_known else None


def _is_shift(place: ir.Value, value: Number) -> bool:
    """Return whether a value is a place, or the sum of the place and another value."""
    op = None if isinstance(value, int) else maker_of(value)
    return value == place or (op is not None and op.name == _ADD and place in list(op.operands))


def _part_of(view: ir.Value) -> tuple[ir.Value, Number, bool] | None:
    """Return the buffer of a view of some rows or elements, the first one, and whether it is one.

    None: it is a view of something else.
    """
    op = maker_of(view)
    if op is None or op.name != SUBVIEW:
        return view, 0, False
    (first, *offsets), (size, *sizes), steps = parts_of(op)
    shape = ir.MemRefType(op.operands[0].type).shape
    if any(offsets) or sizes != shape[1:] or any(step != 1 for step in steps):
        return None
    return op.operands[0], first, (size if isinstance(size, int) else integer_of(size)) == 1


def _is_counted(place: ir.Value) -> bool:
    """Return whether a loop counts a value."""
    return isinstance(place.owner, ir.Block) and place.owner.owner.operation.name in _LOOPS


def _ops_for(
    step: ir.Operation, roots: Sequence[ir.Value], place: ir.Value | None
) -> list[ir.Operation]:
    """Return the ops of a step that values depend on, down to a place, in order."""
    wanted, found = set(roots), []
    for op in reversed(list(ops_in(step))):
        if any(result in wanted and result != place for result in op.results):
            wanted.update(op.operands)
            found.append(op)
    return found[::-1]
