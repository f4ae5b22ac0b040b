"""Meanings of float ops: IEEE 754, element-wise, each rounded once to nearest even.

Elements narrower than 32 bits are computed in float32, which holds them exactly.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import operator
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.codegen.translation.op_attributes import integer
from sdykit.sparsecore.mosaic.exponential import (
    BIAS,
    COEFFICIENTS,
    EXPONENT_BIT,
    LIMIT,
    LN_2,
    LOG2_E,
    SHIFT,
)
from sdykit.sparsecore.mosaic.reference.tables import Table
from sdykit.sparsecore.mosaic.reference.values import Array, Op, type_of

Compute = Callable[..., Any]
Meaning = Callable[..., Any]
Binder = Callable[[Op], Meaning]

OPS: Table[Binder] = Table("Floats")


def _floats(*ops: str) -> Callable[[Compute], Compute]:
    """Return the decorator of a function of arrays, float32 or float64."""

    def add(function: Compute) -> Compute:
        OPS.add(ops, lambda op: _computed(op, function), function)
        return function

    return add


def _computed(op: Op, function: Compute) -> Meaning:
    to = type_of(op.results[0])
    wide = wide_of(to.dtype)

    def run(*operands: Any) -> Any:
        result = function(*(np.asarray(operand, wide) for operand in operands))
        return to.of_array(np.asarray(result, to.dtype))

    return run


def wide_of(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type in which floats are computed: float32 at least."""
    return np.dtype(np.float32) if dtype.itemsize < 4 else dtype


@_floats("arith.addf")
def addf(a: Array, b: Array) -> Array:
    """`a + b`."""
    return a + b


@_floats("arith.subf")
def subf(a: Array, b: Array) -> Array:
    """`a - b`."""
    return a - b


@_floats("arith.mulf")
def mulf(a: Array, b: Array) -> Array:
    """`a * b`."""
    return a * b


@_floats("arith.divf")
def divf(a: Array, b: Array) -> Array:
    """`a / b`; infinite or NaN if `b` is 0."""
    return a / b


@_floats("arith.remf")
def remf(a: Array, b: Array) -> Array:
    """`a` without the whole multiple of `b` that is nearest toward 0: C's `fmod`."""
    return np.fmod(a, b)


@_floats("arith.negf")
def negf(a: Array) -> Array:
    """`a` with the other sign."""
    return -a


@_floats("arith.maximumf")
def maximumf(a: Array, b: Array) -> Array:
    """The larger; NaN if either is; 0 is larger than -0."""
    return np.where(a == b, np.where(np.signbit(a), b, a), np.maximum(a, b))


@_floats("arith.minimumf")
def minimumf(a: Array, b: Array) -> Array:
    """The smaller; NaN if either is; -0 is smaller than 0."""
    return np.where(a == b, np.where(np.signbit(a), a, b), np.minimum(a, b))


@_floats("math.absf")
def absf(a: Array) -> Array:
    """`a` without its sign."""
    return np.abs(a)


@_floats("math.copysign")
def copysign(a: Array, b: Array) -> Array:
    """`a` with the sign of `b`."""
    return np.copysign(a, b)


@_floats("math.ceil")
def ceil(a: Array) -> Array:
    """The nearest integer that is not smaller."""
    return np.ceil(a)


@_floats("math.floor")
def floor(a: Array) -> Array:
    """The nearest integer that is not larger."""
    return np.floor(a)


@_floats("math.trunc")
def trunc(a: Array) -> Array:
    """The nearest integer toward 0."""
    return np.trunc(a)


@_floats("math.roundeven")
def roundeven(a: Array) -> Array:
    """The nearest integer; the even one of two."""
    return np.rint(a)


@_floats("math.round")
def round_(a: Array) -> Array:
    """The nearest integer; of two, the one farther from 0."""
    down = np.trunc(a)
    return np.where(np.abs(a - down) >= 0.5, down + np.copysign(1, a), down)


@_floats("math.sqrt")
def sqrt(a: Array) -> Array:
    """The square root."""
    return np.sqrt(a)


@_floats("math.rsqrt")
def rsqrt(a: Array) -> Array:
    """1 divided by the square root, both rounded."""
    return np.divide(1, np.sqrt(a), dtype=a.dtype)


@_floats("math.exp")
def exp(a: Array) -> Array:
    """`e` to the power of `a`.

    That of an f32 is computed in float64 and rounded once, nearly always to the nearest number; that
    of an f64 is the C library's.
    """
    if a.dtype == np.float64:
        return _call("exp", a)
    x = a.astype(np.float64)
    x = np.where(x > LIMIT, LIMIT, np.where(x < -LIMIT, -LIMIT, x))
    shifted = x * LOG2_E + SHIFT
    r = x - (shifted - SHIFT) * LN_2
    power = np.full(a.shape, COEFFICIENTS[0])
    for coefficient in COEFFICIENTS[1:]:
        power = power * r + coefficient
    exponent = (shifted.view(np.int64) << EXPONENT_BIT) + (BIAS << EXPONENT_BIT)
    return (power * exponent.view(np.float64)).astype(np.float32)


_LIBM = {
    **{
        f"math.{name}": name
        for name in ("acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh")
    },
    **{f"math.{name}": name for name in ("cbrt", "cos", "cosh", "erf", "erfc", "exp2")},
    **{f"math.{name}": name for name in ("expm1", "log", "log10", "log1p", "log2")},
    "math.powf": "pow",
    **{f"math.{name}": name for name in ("sin", "sinh", "tan", "tanh")},
}
"""C's name of each function."""


@OPS(*_LIBM)
def libm(op: Op) -> Meaning:
    """The function of the C library, which is not always the nearest number."""
    name = _LIBM[op.operation.name]
    return _computed(op, lambda *operands: _call(name, *operands))


@_floats("math.fma", "vector.fma")
def fma(a: Array, b: Array, c: Array) -> Array:
    """`a * b + c`, rounded once."""
    return _call("fma", a, b, c)


def _call(name: str, *operands: Array) -> Array:
    """Call a function of libm for each lane, as compiled kernels do.

    numpy's own functions differ from it in the last bit.
    """
    scalar = _function(name, operands[0].dtype, len(operands))
    lanes = zip(*(array.ravel().tolist() for array in operands), strict=True)
    results = [scalar(*lane) for lane in lanes]
    return np.array(results, operands[0].dtype).reshape(operands[0].shape)


@cache
def _function(name: str, dtype: np.dtype[Any], count: int) -> Callable[..., float]:
    single = dtype.itemsize == 4
    function = getattr(_library(), f"{name}f" if single else name)
    scalar = ctypes.c_float if single else ctypes.c_double
    function.restype, function.argtypes = scalar, [scalar] * count
    return function


@cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(ctypes.util.find_library("m"))


_COMPARISONS = {
    "eq": operator.eq,
    "gt": operator.gt,
    "ge": operator.ge,
    "lt": operator.lt,
    "le": operator.le,
    "ne": operator.ne,
}
_PREDICATES = (
    "false",
    *("oeq", "ogt", "oge", "olt", "ole", "one", "ord"),
    *("ueq", "ugt", "uge", "ult", "ule", "une", "uno"),
    "true",
)
"""Predicates in the order of MLIR's enumeration."""


@OPS("arith.cmpf")
def cmpf(op: Op) -> Meaning:
    """Whether two floats are `eq`, `gt`, `ge`, `lt`, `le` or `ne`; -0 equals 0.

    With `o` before it: and neither is NaN (`ord`: that alone). With `u`: or one is NaN (`uno`: that
    alone). `true`, `false`: always, never.
    """
    to = type_of(op.results[0])
    predicate = _PREDICATES[integer(op.operation, "predicate")]

    def compare(a: Any, b: Any) -> Any:
        return to.of_array(_compare(predicate, np.asarray(a), np.asarray(b)))

    return compare


def _compare(predicate: str, a: Array, b: Array) -> Array:
    unordered = np.isnan(a) | np.isnan(b)
    if predicate in {"true", "false"}:
        return np.full(a.shape, predicate == "true")
    if predicate in {"ord", "uno"}:
        return unordered == (predicate == "uno")
    holds = _COMPARISONS[predicate[1:]](a, b)
    return holds | unordered if predicate[0] == "u" else holds & ~unordered


def _classify(name: str, function: Callable[[Array], Any]) -> None:
    def bind(op: Op) -> Meaning:
        to, wide = type_of(op.results[0]), wide_of(type_of(op.operands[0]).dtype)
        return lambda a: to.of_array(function(np.asarray(a, wide)))

    OPS.add((name,), bind, function)


def _isfinite(a: Array) -> npt.ArrayLike:
    """Whether it is neither infinite nor NaN."""
    return np.isfinite(a)


def _isinf(a: Array) -> npt.ArrayLike:
    """Whether it is infinite."""
    return np.isinf(a)


def _isnan(a: Array) -> npt.ArrayLike:
    """Whether it is NaN."""
    return np.isnan(a)


_classify("math.isfinite", _isfinite)
_classify("math.isinf", _isinf)
_classify("math.isnan", _isnan)
