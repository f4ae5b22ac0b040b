"""Which `parallel_loop`s have iterations of which it is certain that they touch no memory of each other.

Positions are sums of products of loop counters, with numbers that are the same in all iterations. Two
iterations of a loop are then as far apart as their counters, times a known number. What cannot be told
so is compared when the kernel runs.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from sdykit.mlir import ir
from sdykit.sparsecore.mosaic.lowering.numbers import Number
from sdykit.sparsecore.mosaic.reports import Action

_MANY = 256
"""As many different accesses of a buffer as are compared."""
_NARROW_LIMIT = 1 << 30
"""Sums of 32 bits that stay below are as far apart as they would be with more bits."""


@dataclass(frozen=True, slots=True)
class Touch:
    """A load or store of adjacent elements.

    Attributes:
        buffer: the buffer. Two of them share no memory while both exist.
        offset: the position of the first element.
        count: how many elements.
        action: what is done with them.
    """

    buffer: ir.Value
    offset: Number
    count: Number
    action: Action


@dataclass(frozen=True, slots=True)
class _Sum:
    """A number plus multiples of values.

    Attributes:
        number: the number.
        terms: the factor of each value.
        narrow: sums that were computed with 32 bits, and are a part of this one.
    """

    number: int = 0
    terms: Mapping[ir.Value, int] = field(default_factory=dict)
    narrow: tuple[_Sum, ...] = ()

    def plus(self, other: _Sum, factor: int = 1) -> _Sum:
        terms = dict(self.terms)
        for value, each in other.terms.items():
            terms[value] = terms.get(value, 0) + factor * each
        terms = {value: each for value, each in terms.items() if each}
        return _Sum(self.number + factor * other.number, terms, self.narrow + other.narrow)


@dataclass(frozen=True, slots=True)
class _Span:
    """Elements that a load or store touches in an iteration.

    They are those from `first` to `end`, moved by the loop's counter times `factor`, and by what is the
    `same` in all iterations: multiples of values.
    """

    factor: int
    first: int
    end: int
    same: frozenset[tuple[ir.Value, int]]


def is_independent(loop: ir.Operation, touches: Iterable[Touch]) -> bool:
    """Return whether it is certain that no iteration of a loop depends on another through memory.

    Args:
        loop: an `scf.for` of a tile program.
        touches: all loads and stores in it.
    """
    step = _constant(loop.operands[2])
    if step is None or step < 1:
        return False
    body = loop.regions[0].blocks[0]
    by_buffer: dict[ir.Value, list[Touch]] = {}
    for touch in touches:
        if not _is_inside(touch.buffer, body):  # Otherwise each iteration has its own.
            by_buffer.setdefault(touch.buffer, []).append(touch)
    return all(_are_apart(body, step, each) for each in by_buffer.values())


def _are_apart(body: ir.Block, step: int, touches: list[Touch]) -> bool:
    """Return whether touches of one buffer in different iterations certainly do not conflict."""
    actions = {touch.action for touch in touches}
    if len(actions) == 1 and Action.WRITE not in actions:
        return True
    spans = {(touch.action, _span(body, touch)) for touch in touches}
    if len(spans) > _MANY or any(span is None for _, span in spans):
        return False
    bounds = _bounds(body.arguments[0])
    longest = None if bounds is None else bounds[1] - bounds[0]
    return all(
        left == right == Action.READ or _never_meet((step, longest), first, second)
        for (left, first), (right, second) in itertools.combinations_with_replacement(spans, 2)
        if first is not None and second is not None
    )


def _never_meet(counter: tuple[int, int | None], left: _Span, right: _Span) -> bool:
    """Return whether elements of two different iterations are never the same.

    Args:
        counter: the step of the loop's counter, and how far two of its values are apart at most;
            None: that is not known.
        left: what one access touches.
        right: what the other one does, or the same one in another iteration.
    """
    if left.factor != right.factor or left.same != right.same or not left.factor:
        return False
    step, longest = counter
    distance = abs(left.factor) * step
    # They meet if a multiple of the distance, other than 0, is between these two.
    lowest, highest = left.first - right.end + 1, left.end - right.first - 1
    if longest is not None:
        limit = abs(left.factor) * longest
        lowest, highest = max(lowest, -limit), min(highest, limit)
    multiples = range(-(-lowest // distance), highest // distance + 1)
    return len(multiples) == 0 or (len(multiples) == 1 and multiples[0] == 0)


def _span(body: ir.Block, touch: Touch) -> _Span | None:
    """Return what an access touches; None if it is not known."""
    if not isinstance(touch.count, int):
        return None
    offset = _sum(touch.offset)
    counter = body.arguments[0]
    first = last = offset.number
    same: dict[ir.Value, int] = {}
    for value, factor in offset.terms.items():
        if value == counter:
            continue
        if not _is_inside(value, body):
            same[value] = factor
            continue
        bounds = _bounds(value)
        if bounds is None:
            return None
        first += min(factor * bound for bound in bounds)
        last += max(factor * bound for bound in bounds)
    varying = [each for each in offset.narrow if any(_is_inside(v, body) for v in each.terms)]
    if len(varying) > 1 or not all(_is_small(each, body) for each in varying):
        return None
    factor = offset.terms.get(counter, 0)
    return _Span(factor, first, last + touch.count, frozenset(same.items()))


def _is_small(narrow: _Sum, body: ir.Block) -> bool:
    """Return whether what a sum of 32 bits is in two iterations differs by less than these hold."""
    total = abs(narrow.number)
    for value, factor in narrow.terms.items():
        if _is_inside(value, body):
            bounds = _bounds(value)
            if bounds is None:
                return False
            total += abs(factor) * max(abs(bound) for bound in bounds)
    return total < _NARROW_LIMIT


def _sum(value: Number) -> _Sum:
    """Return what a position is the sum of."""
    if isinstance(value, int):
        return _Sum(value)
    owner = value.owner
    if isinstance(owner, ir.Block):
        return _Sum(0, {value: 1})
    constant = _constant(value)
    if constant is not None:
        return _Sum(constant)
    if owner.name == "arith.index_cast":
        return _sum(owner.operands[0])
    found = _arithmetic(owner.operation) or _Sum(0, {value: 1})
    is_value = not found.number and list(found.terms.values()) == [1]
    if is_value or isinstance(value.type, ir.IndexType):
        return found
    return _Sum(found.number, found.terms, (_Sum(found.number, found.terms),))


def _arithmetic(op: ir.Operation) -> _Sum | None:
    """Return the sum that an op computes; None if it computes none."""
    if op.name not in ("arith.addi", "arith.subi", "arith.muli"):
        return None
    left, right = (_sum(operand) for operand in op.operands)
    if op.name == "arith.addi":
        return left.plus(right)
    if op.name == "arith.subi":
        return left.plus(right, -1)
    if left.terms and right.terms:
        return None
    value, factor = (right, left.number) if right.terms else (left, right.number)
    return _Sum(narrow=value.narrow).plus(_Sum(value.number, value.terms), factor)


def _constant(value: ir.Value) -> int | None:
    owner = value.owner
    if isinstance(owner, ir.Block) or owner.name != "arith.constant":
        return None
    return ir.IntegerAttr(owner.attributes["value"]).value


def _bounds(value: ir.Value) -> tuple[int, int] | None:
    """Return the first and last value of a loop's counter; None if they are not known."""
    block = value.owner
    if not isinstance(block, ir.Block) or block.owner.operation.name != "scf.for":
        return None
    if block.arguments[0] != value:
        return None
    lower, upper, step = (_constant(each) for each in list(block.owner.operation.operands)[:3])
    if lower is None or upper is None or step is None or step < 1:
        return None
    return lower, lower + max(0, (upper - lower - 1) // step) * step


def _is_inside(value: ir.Value, body: ir.Block) -> bool:
    """Return whether a value is defined in a block, or in one of its ops' regions."""
    block: ir.Block | None = (
        value.owner if isinstance(value.owner, ir.Block) else value.owner.operation.block
    )
    while block is not None:
        if block == body:
            return True
        owner = block.owner.operation
        if owner.name == "func.func":
            return False
        block = owner.block
    return False
