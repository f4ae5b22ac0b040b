"""Meanings of conversions and of `select`, element-wise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sdykit.sparsecore.codegen.translation.op_attributes import integer
from sdykit.sparsecore.mosaic.reference import values
from sdykit.sparsecore.mosaic.reference.tables import Table
from sdykit.sparsecore.mosaic.reference.values import Array, Op, error_of, type_of

Meaning = Callable[..., Any]
Binder = Callable[[Op], Meaning]

OPS: Table[Binder] = Table("Conversions and selection")

_MAX_EXACT_BITS = 53
"""Bits of an integer that a float64 holds."""


@OPS("arith.extsi", "arith.trunci", "arith.index_cast")
def resize(op: Op) -> Meaning:
    """The integer with as many bits as the result has: copies of the sign above, or cut."""
    to = type_of(op.results[0])
    return lambda a: to.of_integers(values.signed(a))


@OPS("arith.extui", "arith.index_castui")
def resize_unsigned(op: Op) -> Meaning:
    """The integer with as many bits as the result has: zeros above, or cut."""
    of, to = type_of(op.operands[0]), type_of(op.results[0])
    return lambda a: to.of_integers(values.unsigned(a, of.bits))


@OPS("arith.sitofp")
def sitofp(op: Op) -> Meaning:
    """The float that is nearest to an integer, rounded once, to even."""
    to = type_of(op.results[0])
    return lambda a: to.of_array(_nearest_to_integers(values.signed(a), to.dtype))


@OPS("arith.uitofp")
def uitofp(op: Op) -> Meaning:
    """The float that is nearest to an integer without a sign, rounded once, to even."""
    of, to = type_of(op.operands[0]), type_of(op.results[0])
    return lambda a: to.of_array(_nearest_to_integers(values.unsigned(a, of.bits), to.dtype))


@OPS("arith.fptosi")
def fptosi(op: Op) -> Meaning:
    """The float rounded toward 0, as an integer.

    If that is out of its range, the nearest one that is not; 0 for NaN.
    """
    bits = type_of(op.results[0]).bits
    return _to_integer(op, -(1 << (bits - 1)), (1 << (bits - 1)) - 1)


@OPS("arith.fptoui")
def fptoui(op: Op) -> Meaning:
    """The float rounded toward 0, as an integer without a sign.

    If that is out of its range, the nearest one that is not, so 0 of negative ones; 0 for NaN.
    """
    return _to_integer(op, 0, (1 << type_of(op.results[0]).bits) - 1)


def _to_integer(op: Op, low: int, high: int) -> Meaning:
    to = type_of(op.results[0])

    def lane(number: float) -> int:
        if number != number:  # noqa: PLR0124 -- NaN
            return 0
        return int(max(low, min(high, number)))

    return lambda a: to.of_integers(map(lane, values.floats(a)))


@OPS("arith.extf", "arith.truncf")
def resize_float(op: Op) -> Meaning:
    """The nearest float of the result's type; of two, the even one; NaN stays NaN."""
    to = type_of(op.results[0])
    if integer(op.operation, "roundingmode"):
        raise error_of(op, f"'{op.operation.name}' rounds another way than to the nearest even")
    return lambda a: to.of_array(nearest(np.asarray(a).astype(np.float64), to.dtype))


def nearest(numbers: Array, dtype: np.dtype[Any]) -> Array:
    """Return float64 numbers rounded once, to nearest even, to a float type."""
    if dtype.itemsize < 4:
        numbers = _odd_float32(numbers)
    return numbers.astype(dtype)


def _odd_float32(numbers: Array) -> Array:
    """Return float32 numbers that round to narrower ones as the float64 numbers do.

    A number that is not exact becomes the one of its two neighbours whose last bit is 1. Source:
    Boldo and Melquiond, "When double rounding is odd" (2005).
    """
    near = np.asarray(numbers.astype(np.float32))
    back = near.astype(np.float64)
    bits = near.view(np.int32)
    odd = (bits - (np.abs(back) > np.abs(numbers))) | 1
    inexact = (back != numbers) & ~np.isnan(numbers)
    return np.where(inexact, odd, bits).astype(np.int32).view(np.float32)


def _nearest_to_integers(numbers: list[int], dtype: np.dtype[Any]) -> Array:
    if dtype.itemsize == 8:
        return np.array([float(number) for number in numbers])
    return nearest(np.array([float(_odd(number)) for number in numbers]), dtype)


def _odd(number: int) -> int:
    """Return an integer that a float64 holds, and that rounds to narrower floats as this one."""
    excess = max(0, number.bit_length() - _MAX_EXACT_BITS)
    top = number >> excess
    return (top | (top << excess != number)) << excess


@OPS("arith.bitcast", "tpu.bitcast")
def bitcast(op: Op) -> Meaning:
    """The same bits, read as elements of another type of the same width."""
    of, to = type_of(op.operands[0]), type_of(op.results[0])
    if of.bits != to.bits or of.count != to.count:
        raise error_of(
            op,
            f"'{op.operation.name}' from {of.bits} to {to.bits} bits cannot run on a SparseCore; "
            "expected elements of the same width",
        )
    if of.dtype.itemsize != to.dtype.itemsize:
        raise error_of(op, f"'{op.operation.name}' from {of.element} to {to.element}")
    return lambda a: to.of_array(np.ascontiguousarray(np.asarray(a, of.dtype)).view(to.dtype))


@OPS("arith.select")
def select(op: Op) -> Meaning:
    """The second operand if the first is true, otherwise the third.

    A vector of conditions chooses lane by lane.
    """
    if type_of(op.operands[0]).shape is None:
        return lambda condition, a, b: a if condition else b
    return np.where
