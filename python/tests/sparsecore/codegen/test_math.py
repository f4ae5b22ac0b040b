"""`math` against numpy, jax and Python: exact where IEEE says so, else within ulps."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pytest

from support.codegen.tile_programs import (
    DTYPES,
    Array,
    apply,
    assert_same,
    random_values,
    ulps,
)

COUNT = 512
TYPES = ["f32", "f64", "bf16"]
LANES = [0, 8]
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

EXACT = ["absf", "ceil", "floor", "trunc", "roundeven", "sqrt"]
NUMPY = {
    "absf": np.abs,
    "ceil": np.ceil,
    "floor": np.floor,
    "trunc": np.trunc,
    "roundeven": np.rint,
    "sqrt": np.sqrt,
}


def widened(array: Array) -> Array:
    """bfloat16 as float32, which its ops are computed in."""
    return array.astype(np.float32) if array.dtype == DTYPES["bf16"] else array


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("dtype", TYPES)
def test_exactly_rounded_functions_have_numpys_bits(dtype: str, lanes: int) -> None:
    a = random_values(dtype, COUNT, 1)
    ops = [f"math.{name} {{0}} : {{t}}" for name in EXACT]
    for name, row in zip(EXACT, apply(ops, [(dtype, a)], dtype, lanes), strict=True):
        assert_same(row, NUMPY[name](widened(a)).astype(a.dtype), name)


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("dtype", TYPES)
def test_round_breaks_ties_away_and_rsqrt_divides_one_by_the_root(dtype: str, lanes: int) -> None:
    a = random_values(dtype, COUNT, 3)
    halves = (np.arange(COUNT) / 2 - 100).astype(a.dtype)
    ops = ["math.round {0} : {t}"]
    (row,) = apply(ops, [(dtype, halves)], dtype, lanes)
    expected = np.copysign(np.floor(np.abs(widened(halves)) + 0.5), widened(halves))
    assert_same(row, expected.astype(a.dtype))
    (row,) = apply(["math.rsqrt {0} : {t}"], [(dtype, a)], dtype, lanes)
    assert_same(row, (1 / np.sqrt(widened(a))).astype(a.dtype))


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("dtype", TYPES)
def test_fma_rounds_once(dtype: str, lanes: int) -> None:
    a, b, c = (random_values(dtype, COUNT, 5 + k) for k in range(3))
    values = [(dtype, x) for x in (a, b, c)]
    ops = ["math.fma {0}, {1}, {2} : {t}"] + (["vector.fma {0}, {1}, {2} : {t}"] if lanes else [])
    for row in apply(ops, values, dtype, lanes):
        assert_same(row, fma(a, b, c))


def fma(a: Array, b: Array, c: Array) -> Array:
    """Multiply and add with one rounding, by fractions: Python's `math.fma` needs 3.13."""
    dtype = widened(a).dtype
    triples = zip(*(widened(v).tolist() for v in (a, b, c)), strict=True)
    return np.array([exact_fma(x, y, z, dtype) for x, y, z in triples], dtype).astype(a.dtype)


def exact_fma(x: float, y: float, z: float, dtype: np.dtype) -> float:
    if not all(map(math.isfinite, (x, y, z))):
        return x * y + z
    exact = Fraction(x) * Fraction(y) + Fraction(z)
    return nearest(exact, dtype) if exact else x * y + z


def nearest(exact: Fraction, dtype: np.dtype) -> float:
    """Round a fraction to a float type, ties to even, as `round` does with fractions."""
    info = np.finfo(dtype)
    exponent = abs(exact.numerator).bit_length() - exact.denominator.bit_length()
    if abs(exact) < Fraction(2) ** exponent:
        exponent -= 1
    unit = Fraction(2) ** max(exponent - info.nmant, int(info.minexp) - info.nmant)
    rounded = abs(round(exact / unit) * unit)
    size = float(rounded) if rounded <= float(info.max) else math.inf
    return math.copysign(size, exact)


LIBM: dict[str, tuple[Callable[[float], float], float, float, float]] = {
    # Reference, interval of the arguments, ulps that glibc 2.36 and later keep to.
    "exp": (math.exp, -85, 85, 1),
    "exp2": (lambda x: 2.0**x, -120, 120, 1),
    "expm1": (math.expm1, -10, 80, 1),
    "log": (math.log, 1e-30, 1e30, 1),
    "log10": (math.log10, 1e-30, 1e30, 2),
    "log1p": (math.log1p, -0.9, 1e10, 1),
    "log2": (math.log2, 1e-30, 1e30, 1),
    "sin": (math.sin, -100, 100, 1),
    "cos": (math.cos, -100, 100, 1),
    "tan": (math.tan, -1.5, 1.5, 1),
    "asin": (math.asin, -1, 1, 1),
    "acos": (math.acos, -1, 1, 1),
    "atan": (math.atan, -100, 100, 1),
    "sinh": (math.sinh, -80, 80, 2),
    "cosh": (math.cosh, -80, 80, 2),
    "tanh": (math.tanh, -10, 10, 2),
    "asinh": (math.asinh, -1e5, 1e5, 2),
    "acosh": (math.acosh, 1, 1e5, 2),
    "atanh": (math.atanh, -0.999, 0.999, 2),
    "erf": (math.erf, -4, 4, 1),
    "erfc": (math.erfc, -4, 5, 5),
    "cbrt": (math.cbrt, -1e30, 1e30, 1),
}


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("dtype", ["f32", "bf16"])
def test_functions_of_libm_are_within_their_bound(dtype: str, lanes: int) -> None:
    rng = np.random.default_rng(9)
    for name, (reference, low, high, allowed) in LIBM.items():
        a = rng.uniform(low, high, COUNT).astype(DTYPES[dtype])
        a = np.clip(widened(a), low, high).astype(DTYPES[dtype])
        (row,) = apply([f"math.{name} {{0}} : {{t}}"], [(dtype, a)], dtype, lanes)
        exact = np.array([reference(float(x)) for x in a])
        assert ulps(row, exact) <= 0.5 + allowed, name


def test_libm_of_doubles_is_that_of_python() -> None:
    rng = np.random.default_rng(11)
    for name, (reference, low, high, allowed) in LIBM.items():
        a = rng.uniform(low, high, COUNT)
        (row,) = apply([f"math.{name} {{0}} : {{t}}"], [("f64", a)], "f64", 0)
        exact = np.array([reference(float(x)) for x in a])
        assert ulps(row, exact) <= allowed, name


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("dtype", TYPES)
def test_functions_of_two_operands_are_within_their_bound(dtype: str, lanes: int) -> None:
    rng = np.random.default_rng(13)
    a = rng.uniform(0.01, 10, COUNT).astype(DTYPES[dtype])
    b = rng.uniform(-9, 9, COUNT).astype(DTYPES[dtype])
    ops = [f"math.{name} {{0}}, {{1}} : {{t}}" for name in ("powf", "atan2", "copysign")]
    power, angle, signed = apply(ops, [(dtype, a), (dtype, b)], dtype, lanes)
    pairs = list(zip(a.astype(float).tolist(), b.astype(float).tolist(), strict=True))
    assert ulps(power, np.array([x**y for x, y in pairs])) <= 1.5
    assert ulps(angle, np.array([math.atan2(x, y) for x, y in pairs])) <= 1.5
    assert_same(signed, np.copysign(widened(a), widened(b)).astype(a.dtype))


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("dtype", TYPES)
def test_nan_infinite_and_finite_are_told_apart(dtype: str, lanes: int) -> None:
    a = random_values(dtype, COUNT, 15)
    tests: dict[str, Callable[[Array], npt.NDArray[np.bool_]]] = {
        "isnan": np.isnan,
        "isinf": np.isinf,
        "isfinite": np.isfinite,
    }
    ops = [f"math.{name} {{0}} : {{t}}" for name in tests]
    for name, row in zip(tests, apply(ops, [(dtype, a)], "i1", lanes), strict=True):
        assert_same(row, tests[name](a), name)
