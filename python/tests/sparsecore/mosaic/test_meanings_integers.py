"""Integer ops against Python's integers, on the corner values of each width, scalars and vectors."""

import itertools

import numpy as np
import pytest

from sdykit.sparsecore.mosaic.types import dtype_of
from support.mosaic.one_op import meaning

WIDTHS = {"i4": 4, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64}


def wrapped(number: int, bits: int) -> int:
    low = number % 2**bits
    return low - 2**bits if low >= 2 ** (bits - 1) else low


def plain(number: int, bits: int) -> int:
    return number % 2**bits


def corners(bits: int) -> list[int]:
    top = 2 ** (bits - 1)
    return [0, 1, 2, 3, 5, top - 1, top - 2, -1, -2, -3, -top, -top + 1, bits % top]


def quotient(a: int, b: int) -> int:
    if b == 0:
        return -1
    sign = -1 if (a < 0) != (b < 0) else 1
    return sign * (abs(a) // abs(b))


# By op: the result for a pair, from integers with a sign and the width.
PAIRS = {
    "arith.addi": lambda a, b, _: a + b,
    "arith.subi": lambda a, b, _: a - b,
    "arith.muli": lambda a, b, _: a * b,
    "arith.andi": lambda a, b, _: a & b,
    "arith.ori": lambda a, b, _: a | b,
    "arith.xori": lambda a, b, _: a ^ b,
    "arith.divsi": lambda a, b, _: quotient(a, b),
    "arith.remsi": lambda a, b, _: a - quotient(a, b) * b if b else a,
    "arith.divui": lambda a, b, n: plain(a, n) // plain(b, n) if b else -1,
    "arith.remui": lambda a, b, n: plain(a, n) % plain(b, n) if b else a,
    "arith.ceildivsi": lambda a, b, _: -((-a) // b) if b else -1,
    "arith.floordivsi": lambda a, b, _: a // b if b else -1,
    "arith.ceildivui": lambda a, b, n: -(-plain(a, n) // plain(b, n)) if b else -1,
    "arith.shli": lambda a, b, n: a * 2 ** plain(b, n) if plain(b, n) < n else 0,
    "arith.shrui": lambda a, b, n: plain(a, n) // 2 ** plain(b, n) if plain(b, n) < n else 0,
    "arith.shrsi": lambda a, b, n: a // 2 ** plain(b, n) if plain(b, n) < n else -(a < 0),
    "arith.maxsi": lambda a, b, _: max(b, a),
    "arith.minsi": lambda a, b, _: min(a, b),
    "arith.maxui": lambda a, b, n: a if plain(a, n) > plain(b, n) else b,
    "arith.minui": lambda a, b, n: b if plain(a, n) > plain(b, n) else a,
}
SINGLES = {
    "math.absi": lambda a, _: -a if a < 0 else a,
    "math.ctlz": lambda a, n: n - len(f"{plain(a, n):b}") if a else n,
    "math.cttz": lambda a, n: (
        len(f"{plain(a, n):b}") - len(f"{plain(a, n):b}".rstrip("0")) if a else n
    ),
    "math.ctpop": lambda a, n: f"{plain(a, n):b}".count("1"),
}
COMPARISONS = {
    0: lambda a, b, _: a == b,
    1: lambda a, b, _: a != b,
    2: lambda a, b, _: a < b,
    3: lambda a, b, _: a <= b,
    4: lambda a, b, _: a > b,
    5: lambda a, b, _: a >= b,
    6: lambda a, b, n: plain(a, n) < plain(b, n),
    7: lambda a, b, n: plain(a, n) <= plain(b, n),
    8: lambda a, b, n: plain(a, n) > plain(b, n),
    9: lambda a, b, n: plain(a, n) >= plain(b, n),
}
FLAGS = "overflowFlags = #arith.overflow<none>"
WITH_FLAGS = {"arith.addi", "arith.subi", "arith.muli", "arith.shli"}


def flags(op: str) -> str:
    return FLAGS if op in WITH_FLAGS else ""


@pytest.mark.parametrize("element", WIDTHS)
@pytest.mark.parametrize("op", PAIRS)
def test_pairs_of_corner_values(op: str, element: str):
    bits = WIDTHS[element]
    pairs = list(itertools.product(corners(bits), repeat=2))
    expected = [wrapped(PAIRS[op](a, b, bits), bits) for a, b in pairs]
    scalar = meaning(op, [element, element], element, flags(op))
    found = [scalar(a, b) for a, b in pairs]
    assert found == expected
    assert {type(each) for each in found} == {int}
    vector = f"vector<{len(pairs)}x{element}>"
    a, b = (np.array(side, dtype_of(element)) for side in zip(*pairs, strict=True))
    result = meaning(op, [vector, vector], vector, flags(op))(a, b)
    assert result.dtype == dtype_of(element)
    assert result.tolist() == expected


@pytest.mark.parametrize("element", WIDTHS)
@pytest.mark.parametrize("op", SINGLES)
def test_single_corner_values(op: str, element: str):
    bits = WIDTHS[element]
    numbers = corners(bits)
    expected = [wrapped(SINGLES[op](a, bits), bits) for a in numbers]
    scalar = meaning(op, [element], element)
    assert [scalar(a) for a in numbers] == expected
    vector = f"vector<{len(numbers)}x{element}>"
    assert meaning(op, [vector], vector)(np.array(numbers, dtype_of(element))).tolist() == expected


@pytest.mark.parametrize("element", WIDTHS)
@pytest.mark.parametrize("predicate", COMPARISONS)
def test_comparisons(predicate: int, element: str):
    bits = WIDTHS[element]
    pairs = list(itertools.product(corners(bits), repeat=2))
    expected = [COMPARISONS[predicate](a, b, bits) for a, b in pairs]
    properties = f"predicate = {predicate} : i64"
    scalar = meaning("arith.cmpi", [element, element], "i1", properties)
    found = [scalar(a, b) for a, b in pairs]
    assert found == expected
    assert {type(each) for each in found} == {bool}
    vector, mask = f"vector<{len(pairs)}x{element}>", f"vector<{len(pairs)}xi1>"
    a, b = (np.array(side, dtype_of(element)) for side in zip(*pairs, strict=True))
    result = meaning("arith.cmpi", [vector, vector], mask, properties)(a, b)
    assert result.dtype == np.bool_
    assert result.tolist() == expected


# Of i1, "true" is -1 with a sign and 1 without.
BOOLEANS = {
    "arith.addi": lambda a, b: a != b,
    "arith.subi": lambda a, b: a != b,
    "arith.muli": lambda a, b: a and b,
    "arith.andi": lambda a, b: a and b,
    "arith.ori": lambda a, b: a or b,
    "arith.xori": lambda a, b: a != b,
    "arith.maxsi": lambda a, b: a and b,
    "arith.minsi": lambda a, b: a or b,
    "arith.maxui": lambda a, b: a or b,
    "arith.minui": lambda a, b: a and b,
}


@pytest.mark.parametrize("op", BOOLEANS)
def test_booleans(op: str):
    pairs = list(itertools.product([False, True], repeat=2))
    expected = [BOOLEANS[op](a, b) for a, b in pairs]
    scalar = meaning(op, ["i1", "i1"], "i1", flags(op))
    found = [scalar(a, b) for a, b in pairs]
    assert found == expected
    assert {type(each) for each in found} == {bool}
    a, b = (np.array(side) for side in zip(*pairs, strict=True))
    result = meaning(op, ["vector<4xi1>"] * 2, "vector<4xi1>", flags(op))(a, b)
    assert result.dtype == np.bool_
    assert result.tolist() == expected


def test_booleans_compare_with_and_without_a_sign():
    a, b = np.array([False, False, True, True]), np.array([False, True, False, True])
    less = meaning("arith.cmpi", ["vector<4xi1>"] * 2, "vector<4xi1>", "predicate = 2 : i64")
    below = meaning("arith.cmpi", ["vector<4xi1>"] * 2, "vector<4xi1>", "predicate = 6 : i64")
    assert less(a, b).tolist() == [False, False, True, False]
    assert below(a, b).tolist() == [False, True, False, False]
