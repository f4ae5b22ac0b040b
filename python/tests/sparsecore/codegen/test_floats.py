"""`arith` on floats, and its casts, against numpy: the same bits."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from support.codegen.tile_programs import DTYPES, Array, apply, assert_same, random_values

COUNT = 2048
TYPES = ["f32", "f64", "bf16"]
LANES = [0, 8]
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def operands(dtype: str, seed: int) -> tuple[Array, Array]:
    a, b = (random_values(dtype, COUNT, seed + k) for k in range(2))
    return a, b


def in_float32(name: str, dtype: str, *arrays: Array) -> Array:
    """Return numpy's result; ml_dtypes also computes bfloat16 in float32 and rounds once."""
    function = getattr(np, name)
    if dtype != "bf16":
        return function(*arrays)
    return function(*(array.astype(np.float32) for array in arrays)).astype(DTYPES[dtype])


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("dtype", TYPES)
def test_binary_ops_have_numpys_bits(dtype: str, lanes: int) -> None:
    a, b = operands(dtype, 1)
    names = {"addf": "add", "subf": "subtract", "mulf": "multiply", "divf": "divide"}
    names["remf"] = "fmod"
    ops = [f"arith.{name} {{0}}, {{1}} : {{t}}" for name in names]
    rows = apply(ops, [(dtype, a), (dtype, b)], dtype, lanes)
    for function, row in zip(names.values(), rows, strict=True):
        assert_same(row, in_float32(function, dtype, a, b), function)


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("dtype", TYPES)
def test_minimum_and_maximum_have_numpys_bits(dtype: str, lanes: int) -> None:
    a, b = operands(dtype, 3)
    # Of zeros with two signs, maxnumf may return either, as numpy does.
    a = np.where((a == 0) & (b == 0), b, a)
    names = {"maximumf": "maximum", "minimumf": "minimum", "maxnumf": "fmax", "minnumf": "fmin"}
    ops = [f"arith.{name} {{0}}, {{1}} : {{t}}" for name in names]
    rows = apply(ops, [(dtype, a), (dtype, b)], dtype, lanes)
    for function, row in zip(names.values(), rows, strict=True):
        assert_same(row, in_float32(function, dtype, a, b), function)


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("dtype", TYPES)
def test_maximum_orders_zeros(dtype: str, lanes: int) -> None:
    zeros = np.array([0.0, -0.0, 0.0, -0.0] * 2, DTYPES[dtype])
    others = np.array([0.0, 0.0, -0.0, -0.0] * 2, DTYPES[dtype])
    ops = [f"arith.{name} {{0}}, {{1}} : {{t}}" for name in ("maximumf", "minimumf")]
    most, least = apply(ops, [(dtype, zeros), (dtype, others)], dtype, lanes)
    assert np.signbit(most).tolist() == [False, False, False, True] * 2
    assert np.signbit(least).tolist() == [False, True, True, True] * 2


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("dtype", TYPES)
def test_negation_flips_the_sign_bit(dtype: str, lanes: int) -> None:
    a, _ = operands(dtype, 5)
    (row,) = apply(["arith.negf {0} : {t}"], [(dtype, a)], dtype, lanes)
    assert_same(row, np.negative(a))


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("dtype", TYPES)
def test_comparisons_order_nans_by_their_predicate(dtype: str, lanes: int) -> None:
    a, b = operands(dtype, 7)
    b[::3] = a[::3]
    unordered = np.isnan(a) | np.isnan(b)
    ordered = {
        "eq": a == b,
        "gt": a > b,
        "ge": a >= b,
        "lt": a < b,
        "le": a <= b,
        "ne": (a != b) & ~unordered,
    }
    expected = {
        **{f"o{name}": truth & ~unordered for name, truth in ordered.items()},
        **{f"u{name}": truth | unordered for name, truth in ordered.items()},
        "ord": ~unordered,
        "uno": unordered,
        "false": np.zeros(COUNT, bool),
        "true": np.ones(COUNT, bool),
    }
    ops = [f"arith.cmpf {name}, {{0}}, {{1}} : {{t}}" for name in expected]
    rows = apply(ops, [(dtype, a), (dtype, b)], "i1", lanes)
    for name, row in zip(expected, rows, strict=True):
        assert_same(row, expected[name], name)


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize(
    ("source", "target", "op"),
    [
        ("bf16", "f32", "extf"),
        ("bf16", "f64", "extf"),
        ("f32", "f64", "extf"),
        ("f32", "bf16", "truncf"),
        ("f64", "f32", "truncf"),
    ],
)
def test_casts_between_floats_have_numpys_bits(
    source: str, target: str, op: str, lanes: int
) -> None:
    a, _ = operands(source, 9)
    (row,) = apply([f"arith.{op} {{0}} : {{t}} to {{r}}"], [(source, a)], target, lanes)
    assert_same(row, a.astype(DTYPES[target]))


@pytest.mark.parametrize("lanes", LANES)
def test_double_to_bfloat16_rounds_once(lanes: int) -> None:
    # Just above the middle of two bfloat16: rounding to float32 first would choose the lower one.
    middle = (1 + 2.0**-8) * np.array([1, 2.0**-130, 2.0**100, 3e38 / (1 + 2.0**-8)])
    a = np.concatenate([middle, middle * (1 + 2.0**-40), middle * (1 - 2.0**-40), [1e300, 1e-300]])
    a = np.concatenate([a, -a, [np.nan, np.inf, -np.inf, 0.0]])
    (row,) = apply(["arith.truncf {0} : {t} to {r}"], [("f64", a)], "bf16", lanes)
    assert_same(row, exact_bfloat16(a))
    assert row[4] == ml_dtypes.bfloat16(1 + 2.0**-7)


def exact_bfloat16(values: Array) -> Array:
    """Round doubles to the nearest bfloat16 by comparison with its neighbours."""
    near = values.astype(np.float32).astype(ml_dtypes.bfloat16)
    words = near.view(np.int16).astype(np.int32)
    choices = np.stack([np.clip(words + step, -32768, 32767) for step in (-1, 0, 1)])
    floats = choices.astype(np.int16).view(ml_dtypes.bfloat16).astype(np.float64)
    # What would be rounded to infinity lies half a step above the largest number.
    floats = np.where(np.isinf(floats), np.copysign(2.0**128, floats), floats)
    distance = np.abs(floats - values.astype(np.float64)) + (choices & 1) * 1e-320
    distance = np.where(np.isnan(distance), np.inf, distance)
    best = np.argmin(distance, axis=0)
    picked = np.take_along_axis(choices, best[None], 0)[0].astype(np.int16)
    return np.where(np.abs(values) < 2.0**128, picked.view(ml_dtypes.bfloat16), near)


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("target", TYPES)
@pytest.mark.parametrize("source", ["i1", "i8", "i16", "i32", "i64"])
def test_casts_from_integers_round_once(source: str, target: str, lanes: int) -> None:
    a = random_values(source, COUNT, 11)
    if a.dtype.itemsize == 8:
        # Around the middles between bfloat16 numbers, where rounding twice is wrong.
        shift = 1 << np.arange(COUNT) % 55
        a = np.where(np.arange(COUNT) % 2, a, shift * 257 + np.arange(COUNT) % 3 - 1)
    signed = -a.astype(np.int8) if source == "i1" else a
    wide = a if source == "i1" else a.view(f"u{a.dtype.name}")
    ops = [f"arith.{name} {{0}} : {{t}} to {{r}}" for name in ("sitofp", "uitofp")]
    rows = apply(ops, [(source, a)], target, lanes)
    for row, integers in zip(rows, (signed, wide), strict=True):
        if target == "bf16":
            expected = np.array([round_integer(int(x)) for x in integers], DTYPES[target])
        else:
            expected = integers.astype(DTYPES[target])
        assert_same(row, expected)


def round_integer(number: int) -> float:
    """Round an integer to 8 bits, ties to even, exactly."""
    drop = max(abs(number).bit_length() - 8, 0)
    if not drop:
        return float(number)
    kept, rest = divmod(abs(number), 1 << drop)
    half = 1 << (drop - 1)
    kept += rest > half or (rest == half and kept & 1)
    return float(kept << drop) * (1 if number > 0 else -1)


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("source", TYPES)
@pytest.mark.parametrize("target", ["i8", "i16", "i32", "i64"])
def test_casts_to_integers_truncate(source: str, target: str, lanes: int) -> None:
    limits = np.iinfo(DTYPES[target])
    rng = np.random.default_rng(13)
    reals = rng.uniform(-1, 1, COUNT) * 2.0 ** rng.uniform(0, limits.bits - 1.01, COUNT)
    a = reals.astype(DTYPES[source])
    a = np.where(np.abs(a.astype(np.float64)) < limits.max * 0.99, a, DTYPES[source].type(-1.75))
    (row,) = apply(["arith.fptosi {0} : {t} to {r}"], [(source, a)], target, lanes)
    assert row.tolist() == [int(x) for x in a.tolist()]
    b = np.abs(a.astype(np.float64)).astype(DTYPES[source])
    (row,) = apply(["arith.fptoui {0} : {t} to {r}"], [(source, b)], target, lanes)
    assert row.tolist() == [int(x) for x in b.tolist()]


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize(("a", "b"), [("f32", "i32"), ("f64", "i64"), ("bf16", "i16")])
def test_bitcasts_keep_the_bits(a: str, b: str, lanes: int) -> None:
    words = random_values(b, COUNT, 15)
    (floats,) = apply(["arith.bitcast {0} : {t} to {r}"], [(b, words)], a, lanes)
    assert (floats.view(words.dtype) == words).all()
    (again,) = apply(["arith.bitcast {0} : {t} to {r}"], [(a, floats)], b, lanes)
    assert (again == words).all()


@pytest.mark.parametrize("lanes", LANES)
def test_every_bfloat16_widens_and_narrows_to_itself(lanes: int) -> None:
    words = np.arange(65536, dtype=np.uint16).view(ml_dtypes.bfloat16)
    (wide,) = apply(["arith.extf {0} : {t} to {r}"], [("bf16", words)], "f32", lanes)
    assert (wide.view(np.uint32) == words.view(np.uint16).astype(np.uint32) << 16).all()
    (back,) = apply(["arith.truncf {0} : {t} to {r}"], [("f32", wide)], "bf16", lanes)
    assert_same(back, words)


@pytest.mark.parametrize("dtype", TYPES)
def test_constants_have_the_bits_of_their_values(dtype: str) -> None:
    numbers = ["1.5", "-0.0", "1.0e-40", "3.0e38", "0.1", "-2.0", "7.0", "0.0"]
    hexadecimal = {"f32": "0xFF800000", "f64": "0xFFF0000000000000", "bf16": "0xFF80"}[dtype]
    ops = [f"arith.constant {number} : {{t}}" for number in [*numbers, hexadecimal]]
    values = [*map(float, numbers), -np.inf]
    rows = apply(ops, [(dtype, np.zeros(8, DTYPES[dtype]))], dtype, 0)
    for row, value in zip(rows, values, strict=True):
        assert_same(row, np.full(8, value).astype(DTYPES[dtype]))
    dense = f"arith.constant dense<[{', '.join([*numbers[:7], hexadecimal])}]> : {{t}}"
    splat = "arith.constant dense<2.5> : {t}"
    rows = apply([dense, splat], [(dtype, np.zeros(8, DTYPES[dtype]))], dtype, 8)
    assert_same(rows[0], np.array([*values[:7], -np.inf]).astype(DTYPES[dtype]))
    assert_same(rows[1], np.full(8, 2.5).astype(DTYPES[dtype]))
