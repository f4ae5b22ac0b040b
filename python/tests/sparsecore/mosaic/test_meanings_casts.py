"""Conversions, constants and selection, against fractions and brute force."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.mosaic.types import bits_of, dtype_of
from support.codegen.tile_programs import random_values
from support.mosaic.one_op import meaning
from support.mosaic.rounding import FLOATS, nearest

FLAGS = "fastmath = #arith.fastmath<none>"
INTEGERS = ["i4", "i8", "i16", "i32", "i64"]
NARROW = ["f8E4M3FN", "f8E5M2", "bf16", "f16"]
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def wrapped(number: int, bits: int) -> int:
    return (number + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1)


def integers(element: str, seed: int) -> list[int]:
    """Corner values, and random ones of all magnitudes."""
    bits = bits_of(element)
    rng = np.random.default_rng(seed)
    powers = [sign * 2**k + d for k in range(bits) for sign in (1, -1) for d in (-1, 0, 1)]
    random = [int(rng.integers(-(2**62), 2**62)) >> int(rng.integers(0, 62)) for _ in range(60)]
    return [wrapped(number, bits) for number in powers + random]


def lanes(op: str, numbers: list[int], source: str, to: str, properties: str = "") -> list[int]:
    """Return what an op makes of integers as lanes; check that scalars give the same."""
    operand, result = f"vector<{len(numbers)}x{source}>", f"vector<{len(numbers)}x{to}>"
    found = meaning(op, [operand], result, properties)(np.array(numbers, dtype_of(source)))
    assert found.dtype == dtype_of(to)
    scalar = meaning(op, [source], to, properties)
    assert [scalar(number) for number in numbers] == found.tolist()
    return found.tolist()


@pytest.mark.parametrize(("source", "to"), list(itertools.combinations(INTEGERS, 2)))
def test_integers_get_wider_and_narrower(source: str, to: str):
    numbers, bits = integers(source, 1), bits_of(source)
    assert lanes("arith.extsi", numbers, source, to) == numbers
    assert lanes("arith.extui", numbers, source, to) == [
        wrapped(number % 2**bits, bits_of(to)) for number in numbers
    ]
    wide = integers(to, 2)
    cut = lanes("arith.trunci", wide, to, source, "overflowFlags = #arith.overflow<none>")
    assert cut == [wrapped(number, bits) for number in wide]


def test_index_casts():
    numbers = integers("i32", 3)
    assert lanes("arith.index_cast", numbers, "i32", "index") == numbers
    assert lanes("arith.index_castui", numbers, "i32", "index") == [n % 2**32 for n in numbers]
    wide = integers("index", 4)
    assert lanes("arith.index_cast", wide, "index", "i32") == [wrapped(n, 32) for n in wide]


def test_booleans_are_0_or_1_or_minus_1():
    mask = np.array([True, False])
    assert meaning("arith.extui", ["vector<2xi1>"], "vector<2xi32>")(mask).tolist() == [1, 0]
    assert meaning("arith.extsi", ["vector<2xi1>"], "vector<2xi32>")(mask).tolist() == [-1, 0]
    assert meaning("arith.extui", ["i1"], "i32")(True) == 1
    cut = meaning("arith.trunci", ["i32"], "i1", "overflowFlags = #arith.overflow<none>")
    assert [cut(number) for number in (0, 1, 2, -1)] == [False, True, False, True]
    to_float = meaning("arith.uitofp", ["vector<2xi1>"], "vector<2xf32>")
    assert to_float(mask).tolist() == [1.0, 0.0]


@pytest.mark.parametrize("to", [*NARROW, "f32", "f64"])
@pytest.mark.parametrize("source", INTEGERS)
def test_integers_to_floats_round_once(source: str, to: str):
    numbers, bits = integers(source, 5), bits_of(source)
    vector, result = f"vector<{len(numbers)}x{source}>", f"vector<{len(numbers)}x{to}>"
    array = np.array(numbers, dtype_of(source))
    for op, exact in (
        ("arith.sitofp", numbers),
        ("arith.uitofp", [number % 2**bits for number in numbers]),
    ):
        found = meaning(op, [vector], result)(array)
        assert found.dtype == dtype_of(to)
        expected = [exactly_rounded(number, to) for number in exact]
        np.testing.assert_array_equal(found.astype(np.float64), expected)


def exactly_rounded(number: int, to: str) -> float:
    if to in NARROW:
        return nearest(Fraction(number), to)
    if to == "f64":
        return float(number)
    # Of the float32 numbers around it, the nearest; of two, the even one.
    near = np.float32(float(number))
    around = [np.nextafter(near, np.float32(s), dtype=np.float32) for s in (-np.inf, np.inf)]
    key = {abs(Fraction(float(x)) - number): x for x in [*around, near] if np.isfinite(x)}
    ties = [x for x in [*around, near] if abs(Fraction(float(x)) - number) == min(key)]
    return float(min(ties, key=lambda x: int(x.view(np.int32)) & 1))


@pytest.mark.parametrize("source", ["bf16", "f16", "f32"])
@pytest.mark.parametrize("to", INTEGERS)
def test_floats_to_integers_saturate_and_nan_is_0(source: str, to: str):
    bits = bits_of(to)
    edges = [2.0**k + d for k in range(bits + 1) for d in (-1.5, -0.5, 0.0, 0.5)]
    numbers = [*random_values("f32", 96, 6).tolist(), *edges, *(-edge for edge in edges)]
    array = np.array(numbers, np.float32).astype(FLOATS[source])
    exact = array.astype(np.float64).tolist()
    vector, result = f"vector<{len(exact)}x{source}>", f"vector<{len(exact)}x{to}>"
    signed = meaning("arith.fptosi", [vector], result)(array)
    low, high = -(2 ** (bits - 1)), 2 ** (bits - 1) - 1
    assert signed.tolist() == [clamped(x, low, high) for x in exact]
    unsigned = meaning("arith.fptoui", [vector], result)(array)
    assert unsigned.tolist() == [wrapped(clamped(x, 0, 2**bits - 1), bits) for x in exact]
    assert meaning("arith.fptosi", [source], to)(array[0]) == signed[0]


def clamped(number: float, low: int, high: int) -> int:
    if math.isnan(number):
        return 0
    if math.isinf(number):
        return high if number > 0 else low
    return sorted([low, math.trunc(Fraction(number)), high])[1]


@pytest.mark.parametrize(
    ("wide", "narrow"),
    [
        *(("f32", narrow) for narrow in NARROW),
        *(("f64", narrow) for narrow in NARROW),
        ("bf16", "f8E4M3FN"),
        ("f64", "f32"),
    ],
)
def test_floats_get_narrower_and_wider(wide: str, narrow: str):
    numbers = [*random_values("f64", 64, 7).tolist(), *ties(narrow)]
    array = np.array(numbers).astype(FLOATS[wide])
    source, result = f"vector<{len(numbers)}x{wide}>", f"vector<{len(numbers)}x{narrow}>"
    found = meaning("arith.truncf", [source], result, FLAGS)(array)
    assert found.dtype == FLOATS[narrow]
    expected = [nearest(number, narrow) for number in array.astype(np.float64).tolist()]
    np.testing.assert_array_equal(found.astype(np.float64), expected)
    back = meaning("arith.extf", [result], source, FLAGS)(found)
    assert back.dtype == FLOATS[wide]
    np.testing.assert_array_equal(back.astype(np.float64), found.astype(np.float64))


def ties(narrow: str) -> list[float]:
    """Return numbers halfway between two, and next to it, around 1 and around the smallest ones."""
    if narrow == "f32":
        return [1 + 2.0**-24, 1 + 3 * 2.0**-24, 1 + 2.0**-24 + 2.0**-50, 2.0**-150, 1.5 * 2.0**-149]
    info = np.spacing(np.array(1).astype(FLOATS[narrow])).astype(np.float64)
    half = float(info) / 2
    smallest = nearest(2.0**-200, narrow)
    assert smallest == 0
    return [1 + half, 1 + 3 * half, 1 + half + 2.0**-30, 1 + half - 2.0**-30, -1 - half]


def test_other_rounding_is_refused():
    with pytest.raises(SparseCoreError, match="rounds another way than to the nearest even"):
        meaning("arith.truncf", ["f32"], "bf16", "roundingmode = 1 : i32")


@pytest.mark.parametrize("op", ["arith.bitcast", "tpu.bitcast"])
@pytest.mark.parametrize(("source", "to"), [("f32", "i32"), ("bf16", "i16")])
def test_bits_of_the_same_width(op: str, source: str, to: str):
    array = random_values("f32", 16, 8).astype(FLOATS[source])
    float_vector, integer_vector = f"vector<16x{source}>", f"vector<16x{to}>"
    bits = meaning(op, [float_vector], integer_vector)(array)
    assert bits.tobytes() == array.tobytes()
    assert meaning(op, [integer_vector], float_vector)(bits).tobytes() == array.tobytes()


def test_bits_of_scalars():
    assert meaning("arith.bitcast", ["f32"], "i32")(np.float32(-0.0)) == -(2**31)
    back = meaning("arith.bitcast", ["i32"], "f32")(0x3F800000)
    assert type(back) is np.float32
    assert back == 1


def test_bits_of_another_width_are_refused():
    with pytest.raises(SparseCoreError, match=r"'tpu.bitcast' from 32 to 16 bits cannot run"):
        meaning("tpu.bitcast", ["vector<8x16xi32>"], "vector<16x16xbf16>")


@pytest.mark.parametrize("element", ["i1", "i32", "bf16", "f32"])
def test_select_by_lane_and_as_a_whole(element: str):
    rng = np.random.default_rng(9)
    a, b = (rng.integers(0, 2, 16).astype(dtype_of(element)) for _ in range(2))
    mask = rng.integers(0, 2, 16).astype(bool)
    vector = f"vector<16x{element}>"
    found = meaning("arith.select", ["vector<16xi1>", vector, vector], vector)(mask, a, b)
    assert found.dtype == dtype_of(element)
    assert found.tolist() == [x if m else y for m, x, y in zip(mask, a, b, strict=True)]
    whole = meaning("arith.select", ["i1", vector, vector], vector)
    assert whole(True, a, b).tolist() == a.tolist()
    assert whole(False, a, b).tolist() == b.tolist()


CONSTANTS = [
    ("true", "i1", True),
    ("-3 : i4", "i4", -3),
    ("255 : i8", "i8", -1),
    ("-1 : index", "index", -1),
    ("0x7F800000 : f32", "f32", math.inf),
    ("2.5 : f8E4M3FN", "f8E4M3FN", 2.5),
    ("dense<true> : vector<4xi1>", "i1", [True] * 4),
    ("dense<[true, false, true]> : vector<3xi1>", "i1", [True, False, True]),
    ("dense<[-1, 3, 7]> : vector<3xi4>", "i4", [-1, 3, 7]),
    ("dense<[[1, 2], [3, 4]]> : vector<2x2xi32>", "i32", [[1, 2], [3, 4]]),
    ("dense<2.0> : vector<4xf8E5M2>", "f8E5M2", [2.0] * 4),
    ("dense<[1.0, 0x7F80, -4.0]> : vector<3xbf16>", "bf16", [1.0, math.inf, -4.0]),
    ("dense<[1.5, 0xFF800000]> : vector<2xf32>", "f32", [1.5, -math.inf]),
    ("dense<0x7F800000> : vector<2xf32>", "f32", [math.inf] * 2),
]


@pytest.mark.parametrize(("text", "element", "expected"), CONSTANTS)
def test_constants(text: str, element: str, expected: object):
    _, _, type_ = text.partition(" : ")
    found = meaning("arith.constant", [], type_ or "i1", f"value = {text}")()
    if isinstance(expected, list):
        assert found.dtype == dtype_of(element)
        assert found.tolist() == expected
        return
    assert found == expected
    kind = bool if element == "i1" else dtype_of(element).type if "f" in element else int
    assert type(found) is kind


@pytest.mark.parametrize("element", ["i1", "i4", "i16", "bf16", "f32"])
def test_large_constants_are_bytes(element: str):
    rng = np.random.default_rng(10)
    items = rng.integers(0, 2, 2000).astype(dtype_of(element))
    text = f'dense<"0x{items.tobytes().hex().upper()}"> : vector<2000x{element}>'
    found = meaning("arith.constant", [], f"vector<2000x{element}>", f"value = {text}")()
    assert found.dtype == dtype_of(element)
    assert found.tolist() == items.tolist()


def test_poison_is_nan_and_7f():
    assert np.isnan(meaning("ub.poison", [], "vector<2xf32>", "value = #ub.poison")()).all()
    assert meaning("ub.poison", [], "i32", "value = #ub.poison")() == 0x7F7F7F7F
    assert (
        meaning("ub.poison", [], "vector<2xi16>", "value = #ub.poison")().tolist() == [0x7F7F] * 2
    )
