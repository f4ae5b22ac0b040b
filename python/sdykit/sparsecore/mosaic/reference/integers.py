"""Meanings of integer ops, lane by lane: what a lane does, in Python's integers.

Results are wrapped to their width, so overflow needs no word. Nothing traps: division by zero and
shifts beyond the width have results.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from sdykit.sparsecore.codegen.translation.op_attributes import integer
from sdykit.sparsecore.mosaic.reference import values
from sdykit.sparsecore.mosaic.reference.tables import Table
from sdykit.sparsecore.mosaic.reference.values import Op, ValueType, type_of

Lane = Callable[..., Any]
Meaning = Callable[..., Any]
Binder = Callable[[Op], Meaning]

OPS: Table[Binder] = Table("Integers")


def _modular(*ops: str) -> Callable[[Lane], Lane]:
    """Return the decorator of a function whose result needs no more bits of its operands than it has.

    It is called with numpy's arrays, too, which wrap by themselves.
    """

    def add(function: Lane) -> Lane:
        def bind(op: Op) -> Meaning:
            to = type_of(op.results[0])
            if to.shape is None:
                return lambda *operands: to.wrap(function(*operands))
            return function if _is_native(to) else _lanes(function, to, values.signed)

        OPS.add(ops, bind, function)
        return function

    return add


def _signed(*ops: str) -> Callable[[Lane], Lane]:
    """Return the decorator of a function of integers with a sign."""
    return _each(ops, lambda _: values.signed)


def _unsigned(*ops: str) -> Callable[[Lane], Lane]:
    """Return the decorator of a function of integers without a sign."""
    return _each(ops, lambda bits: lambda value: values.unsigned(value, bits))


def _each(
    ops: tuple[str, ...], reader: Callable[[int], Callable[[Any], list[int]]]
) -> Callable[[Lane], Lane]:
    def add(function: Lane) -> Lane:
        def bind(op: Op) -> Meaning:
            read = reader(type_of(op.operands[0]).bits)
            return _lanes(function, type_of(op.results[0]), read)

        OPS.add(ops, bind, function)
        return function

    return add


def _lanes(function: Lane, to: ValueType, read: Callable[[Any], list[int]]) -> Meaning:
    """Return the meaning of an op that does the same in each lane."""
    return lambda *operands: to.of_integers(map(function, *map(read, operands)))


def _is_native(to: ValueType) -> bool:
    """Return whether numpy's own arithmetic wraps to the width of the elements."""
    return to.bits >= 8


@_modular("arith.addi")
def addi(a: Any, b: Any) -> Any:
    """`a + b`; overflow wraps."""
    return a + b


@_modular("arith.subi")
def subi(a: Any, b: Any) -> Any:
    """`a - b`; overflow wraps."""
    return a - b


@_modular("arith.muli")
def muli(a: Any, b: Any) -> Any:
    """`a * b`; overflow wraps."""
    return a * b


@_modular("arith.andi")
def andi(a: Any, b: Any) -> Any:
    """The bits that are set in both."""
    return a & b


@_modular("arith.ori")
def ori(a: Any, b: Any) -> Any:
    """The bits that are set in either."""
    return a | b


@_modular("arith.xori")
def xori(a: Any, b: Any) -> Any:
    """The bits in which they differ."""
    return a ^ b


@_signed("arith.divsi")
def divsi(a: int, b: int) -> int:
    """`a / b` rounded toward 0; -1 if `b` is 0; the smallest integer divided by -1 is itself."""
    if b == 0:
        return -1
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


@_unsigned("arith.divui")
def divui(a: int, b: int) -> int:
    """`a / b` without signs, rounded down; all bits set if `b` is 0."""
    return a // b if b else -1


@_signed("arith.remsi")
def remsi(a: int, b: int) -> int:
    """`a - a / b * b`, with the sign of `a`; `a` if `b` is 0."""
    return a - divsi(a, b) * b


@_unsigned("arith.remui")
def remui(a: int, b: int) -> int:
    """The remainder of `a / b` without signs; `a` if `b` is 0."""
    return a % b if b else a


@_signed("arith.ceildivsi")
def ceildivsi(a: int, b: int) -> int:
    """`a / b` rounded up; -1 if `b` is 0."""
    return -(-a // b) if b else -1


@_unsigned("arith.ceildivui")
def ceildivui(a: int, b: int) -> int:
    """`a / b` without signs, rounded up; all bits set if `b` is 0."""
    return -(-a // b) if b else -1


@_signed("arith.floordivsi")
def floordivsi(a: int, b: int) -> int:
    """`a / b` rounded down; -1 if `b` is 0."""
    return a // b if b else -1


@OPS("arith.shli")
def shli(op: Op) -> Meaning:
    """`a` moved up by `b` bits; 0 if `b`, read without a sign, is the width or more."""
    return _shift(op, lambda a, b, bits: a << b if b < bits else 0)


@OPS("arith.shrui")
def shrui(op: Op) -> Meaning:
    """`a` moved down by `b` bits, zeros above; 0 if `b`, without a sign, is the width or more."""
    return _shift(op, lambda a, b, bits: (a & ((1 << bits) - 1)) >> min(b, bits))


@OPS("arith.shrsi")
def shrsi(op: Op) -> Meaning:
    """`a` moved down by `b` bits, copies of its sign above.

    They are all there is if `b`, read without a sign, is the width or more.
    """
    return _shift(op, lambda a, b, bits: a >> min(b, bits))


def _shift(op: Op, lane: Callable[[int, int, int], int]) -> Meaning:
    to = type_of(op.results[0])

    def shift(a: Any, b: Any) -> Any:
        amounts = values.unsigned(b, to.bits)
        pairs = zip(values.signed(a), amounts, strict=True)
        return to.of_integers(lane(number, amount, to.bits) for number, amount in pairs)

    return shift


@_signed("arith.maxsi")
def maxsi(a: int, b: int) -> int:
    """The larger of two integers."""
    return max(a, b)


@_unsigned("arith.maxui")
def maxui(a: int, b: int) -> int:
    """The larger of two integers without signs."""
    return max(a, b)


@_signed("arith.minsi")
def minsi(a: int, b: int) -> int:
    """The smaller of two integers."""
    return min(a, b)


@_unsigned("arith.minui")
def minui(a: int, b: int) -> int:
    """The smaller of two integers without signs."""
    return min(a, b)


@_signed("math.absi")
def absi(a: int) -> int:
    """`a` without its sign; the smallest integer stays what it is."""
    return abs(a)


@OPS("math.ctlz")
def ctlz(op: Op) -> Meaning:
    """The number of zeros above the highest bit that is set; the width for 0."""
    of = type_of(op.operands[0])
    return _lanes(lambda a: of.bits - a.bit_length(), of, lambda v: values.unsigned(v, of.bits))


@OPS("math.cttz")
def cttz(op: Op) -> Meaning:
    """The number of zeros below the lowest bit that is set; the width for 0."""
    of = type_of(op.operands[0])
    return _lanes(lambda a: (a & -a).bit_length() - 1 if a else of.bits, of, values.signed)


@_unsigned("math.ctpop")
def ctpop(a: int) -> int:
    """The number of bits that are set."""
    return a.bit_count()


_COMPARISONS = (
    *((operator.eq, False), (operator.ne, False)),
    *((compare, False) for compare in (operator.lt, operator.le, operator.gt, operator.ge)),
    *((compare, True) for compare in (operator.lt, operator.le, operator.gt, operator.ge)),
)
"""Comparisons, and whether without signs, in the order of MLIR's enumeration."""


@OPS("arith.cmpi")
def cmpi(op: Op) -> Meaning:
    """Whether two integers are `eq` or `ne`, or how they compare.

    With signs: `slt`, `sle`, `sgt`, `sge`; without: `ult`, `ule`, `ugt`, `uge`.
    """
    of = type_of(op.operands[0])
    compare, is_unsigned = _COMPARISONS[integer(op.operation, "predicate")]
    if not is_unsigned:
        return compare if of.bits > 1 else _lanes(compare, type_of(op.results[0]), values.signed)
    if of.shape is None:
        mask = (1 << of.bits) - 1
        return lambda a, b: compare(a & mask, b & mask)
    if not _is_native(of):
        return _lanes(compare, type_of(op.results[0]), lambda v: values.unsigned(v, of.bits))
    dtype = np.dtype(f"u{of.dtype.itemsize}")
    return lambda a, b: compare(a.view(dtype), b.view(dtype))
