"""Float ops against Python's floats, rounded by brute force; functions against `math`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from support.codegen.tile_programs import random_values
from support.mosaic.one_op import meaning
from support.mosaic.rounding import FLOATS, nearest

COUNT = 96
FLAGS = "fastmath = #arith.fastmath<none>"
ELEMENTS = ["bf16", "f16", "f32", "f64"]
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def cases(element: str, seed: int) -> list[float]:
    wide = random_values("f64", COUNT, seed)
    return wide.astype(np.float32).astype(FLOATS[element]).astype(np.float64).tolist()


def divided(a: float, b: float) -> float:
    if b == 0:
        same = math.copysign(1, a) == math.copysign(1, b)
        return math.nan if a == 0 or math.isnan(a) else math.inf if same else -math.inf
    return a / b


def remainder(a: float, b: float) -> float:
    if math.isnan(a) or math.isnan(b) or math.isinf(a) or b == 0:
        return math.nan
    return math.fmod(a, b)


def larger(a: float, b: float) -> float:
    if math.isnan(a) or math.isnan(b):
        return math.nan
    return max(a, b, key=lambda x: (x, math.copysign(1, x)))


def smaller(a: float, b: float) -> float:
    if math.isnan(a) or math.isnan(b):
        return math.nan
    return min(a, b, key=lambda x: (x, math.copysign(1, x)))


def whole(function: Callable[[float], int]) -> Callable[[float], float]:
    def run(a: float) -> float:
        return math.copysign(function(a), a) if math.isfinite(a) else a

    return run


def away(a: float) -> int:
    return math.floor(abs(a)) + (abs(a) - math.floor(abs(a)) >= 0.5)


def root(a: float) -> float:
    return a if a == 0 else math.sqrt(a) if a > 0 else math.nan


PAIRS = {
    "arith.addf": lambda a, b: a + b,
    "arith.subf": lambda a, b: a - b,
    "arith.mulf": lambda a, b: a * b,
    "arith.divf": divided,
    "arith.remf": remainder,
    "arith.maximumf": larger,
    "arith.minimumf": smaller,
    "math.copysign": math.copysign,
}
SINGLES = {
    "arith.negf": lambda a: -a,
    "math.absf": abs,
    "math.ceil": whole(math.ceil),
    "math.floor": whole(math.floor),
    "math.trunc": whole(math.trunc),
    "math.roundeven": whole(round),
    "math.round": whole(away),
    "math.sqrt": root,
}


def assert_equal(found: list[float], expected: list[float], operands: Sequence[object]) -> None:
    for got, wanted, operand in zip(found, expected, operands, strict=True):
        both_nan = math.isnan(got) and math.isnan(wanted)
        same = got == wanted and math.copysign(1, got) == math.copysign(1, wanted)
        assert both_nan or same, (operand, got, wanted)


def check(op: str, element: str, operands: list[list[float]], expected: list[float]) -> None:
    """Check a vector of all lanes, and some scalars."""
    vector = f"vector<{len(expected)}x{element}>"
    arrays = [np.array(each).astype(FLOATS[element]) for each in operands]
    result = meaning(op, [vector] * len(arrays), vector, FLAGS)(*arrays)
    assert result.dtype == FLOATS[element]
    each = list(zip(*operands, strict=True))
    assert_equal(result.astype(np.float64).tolist(), expected, each)
    scalar = meaning(op, [element] * len(arrays), element, FLAGS)
    for k in range(0, len(expected), 7):
        item = scalar(*(array[k] for array in arrays))
        assert isinstance(item, FLOATS[element])
        assert_equal([float(item)], [expected[k]], [each[k]])


@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("op", PAIRS)
def test_pairs(op: str, element: str):
    a, b = cases(element, 1), cases(element, 2)
    expected = [nearest(PAIRS[op](x, y), element) for x, y in zip(a, b, strict=True)]
    check(op, element, [a, b], expected)


@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("op", SINGLES)
def test_singles(op: str, element: str):
    a = [*cases(element, 3), 0.5, 1.5, -0.5, -2.5, 0.25, 2.75]
    check(op, element, [a], [nearest(SINGLES[op](x), element) for x in a])


@pytest.mark.parametrize("element", ELEMENTS)
def test_rsqrt_rounds_the_root_and_the_quotient(element: str):
    a = cases(element, 4)
    wide = "f64" if element == "f64" else "f32"
    roots = [nearest(root(x), wide) for x in a]
    check(
        "math.rsqrt", element, [a], [nearest(nearest(divided(1, r), wide), element) for r in roots]
    )


ORDERED = {1: "eq", 2: "gt", 3: "ge", 4: "lt", 5: "le", 6: "ne"}


def holds(predicate: int, a: float, b: float) -> bool:
    if predicate in {0, 15}:
        return predicate == 15
    nan = math.isnan(a) or math.isnan(b)
    if predicate in {7, 14}:
        return nan == (predicate == 14)
    name = ORDERED[predicate if predicate < 7 else predicate - 7]
    compared = {
        "eq": a == b,
        "gt": a > b,
        "ge": a >= b,
        "lt": a < b,
        "le": a <= b,
        "ne": a != b,
    }[name]
    return (compared and not nan) if predicate < 7 else (compared or nan)


@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("predicate", range(16))
def test_comparisons(predicate: int, element: str):
    a, b = cases(element, 5), cases(element, 6)
    b[::5] = a[::5]
    expected = [holds(predicate, x, y) for x, y in zip(a, b, strict=True)]
    vector, mask = f"vector<{COUNT}x{element}>", f"vector<{COUNT}xi1>"
    properties = f"predicate = {predicate} : i64, {FLAGS}"
    arrays = [np.array(each).astype(FLOATS[element]) for each in (a, b)]
    result = meaning("arith.cmpf", [vector, vector], mask, properties)(*arrays)
    assert result.dtype == np.bool_
    assert result.tolist() == expected
    scalar = meaning("arith.cmpf", [element, element], "i1", properties)
    assert [scalar(arrays[0][k], arrays[1][k]) for k in range(COUNT)] == expected


@pytest.mark.parametrize("element", ELEMENTS)
def test_classes(element: str):
    a = cases(element, 7)
    vector, mask = f"vector<{COUNT}x{element}>", f"vector<{COUNT}xi1>"
    array = np.array(a).astype(FLOATS[element])
    for name in ("isfinite", "isinf", "isnan"):
        result = meaning(f"math.{name}", [vector], mask, FLAGS)(array)
        assert result.tolist() == [getattr(math, name)(x) for x in a]


FUNCTIONS = {
    "math.acos": math.acos,
    "math.acosh": math.acosh,
    "math.asin": math.asin,
    "math.asinh": math.asinh,
    "math.atan": math.atan,
    "math.atanh": math.atanh,
    "math.cbrt": lambda a: a ** (1 / 3),
    "math.cos": math.cos,
    "math.cosh": math.cosh,
    "math.erf": math.erf,
    "math.erfc": math.erfc,
    "math.exp": math.exp,
    "math.exp2": lambda a: 2.0**a,
    "math.expm1": math.expm1,
    "math.log": math.log,
    "math.log10": math.log10,
    "math.log1p": math.log1p,
    "math.log2": math.log2,
    "math.sin": math.sin,
    "math.sinh": math.sinh,
    "math.tan": math.tan,
    "math.tanh": math.tanh,
}
FUNCTIONS_OF_TWO = {"math.atan2": math.atan2, "math.powf": math.pow}


@pytest.mark.parametrize("element", ["bf16", "f32"])
@pytest.mark.parametrize("op", [*FUNCTIONS, *FUNCTIONS_OF_TWO])
def test_functions_are_within_two_units_in_the_last_place(op: str, element: str):
    rng = np.random.default_rng(8)
    low = 1.0 if op == "math.acosh" else 0.0
    operands = rng.uniform(low, low + 1, (1 + (op in FUNCTIONS_OF_TWO), 64)).astype(FLOATS[element])
    vector = f"vector<64x{element}>"
    found = meaning(op, [vector] * len(operands), vector, FLAGS)(*operands)
    assert found.dtype == FLOATS[element]
    function = {**FUNCTIONS, **FUNCTIONS_OF_TWO}[op]
    expected = [nearest(function(*map(float, lane)), element) for lane in operands.T]
    spacing = 2.0 ** (-7 if element == "bf16" else -23)
    for got, wanted in zip(found.astype(np.float64).tolist(), expected, strict=True):
        if not (math.isinf(wanted) and got == wanted):
            assert abs(got - wanted) <= 2 * spacing * max(abs(wanted), 2.0**-100)


def test_exp_of_special_numbers():
    exp = meaning("math.exp", ["vector<5xf32>"], "vector<5xf32>", FLAGS)
    found = exp(np.array([-np.inf, np.inf, np.nan, 0.0, 200.0], np.float32))
    np.testing.assert_array_equal(found, np.array([0, np.inf, np.nan, 1, np.inf], np.float32))


def test_fma_rounds_once():
    fma = meaning("math.fma", ["f32"] * 3, "f32", FLAGS)
    # (1 + 2^-12)^2 - 1 has a last bit that the product alone, rounded, has not.
    number = np.float32(1 + 2**-12)
    assert float(fma(number, number, np.float32(-1))) == 2**-11 + 2**-24
