"""Floats of 8 and 16 bits, and integers of 2 and 4: conversions and arithmetic, against numpy."""

from __future__ import annotations

import numpy as np
import pytest

from sdykit.sparsecore.codegen import compile_module, run
from support.codegen.tile_programs import DTYPES, Array, apply, assert_same, random_values

FLOATS = ["f16", "f8E4M3B11FNUZ", "f8E4M3FN", "f8E5M2"]
LANES = [0, 16]
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def all_of(element: str) -> Array:
    """Return every number of a type."""
    dtype = DTYPES[element]
    return np.arange(1 << 8 * dtype.itemsize).astype(f"u{dtype.itemsize}").view(dtype)


def with_middles(element: str) -> Array:
    """Return each finite number of a type, the middle to the next one, and what is beside it."""
    numbers = all_of(element).astype(np.float32)
    numbers = np.unique(numbers[np.isfinite(numbers)])
    beyond = numbers[-1] + (numbers[-1] - numbers[-2]) * np.array([0.5, 1, 2], np.float32)
    numbers = np.concatenate([-beyond, numbers, beyond])
    middles = (numbers[1:] + numbers[:-1]) / 2
    beside = [np.nextafter(middles, np.float32(way)) for way in (-np.inf, np.inf)]
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 3e38]
    return np.concatenate([numbers, middles, *beside, special]).astype(np.float32)


def padded(array: Array) -> Array:
    """Return an array whose length is a multiple of the vectors'."""
    return np.resize(array, -(-len(array) // 16) * 16)


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("element", FLOATS)
def test_every_number_widens_and_narrows_to_itself(element: str, lanes: int) -> None:
    numbers = all_of(element)
    (wide,) = apply(["arith.extf {0} : {t} to {r}"], [(element, numbers)], "f32", lanes)
    assert_same(wide, numbers.astype(np.float32))
    (back,) = apply(["arith.truncf {0} : {t} to {r}"], [("f32", wide)], element, lanes)
    assert_same(back, numbers)


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("element", FLOATS)
def test_middles_are_rounded_to_even(element: str, lanes: int) -> None:
    numbers = padded(with_middles(element))
    (found,) = apply(["arith.truncf {0} : {t} to {r}"], [("f32", numbers)], element, lanes)
    assert_same(found, numbers.astype(DTYPES[element]))


@pytest.mark.parametrize("element", FLOATS)
def test_doubles_are_rounded_once(element: str) -> None:
    # Beside a middle by less than a float32 has: rounding to that first would find the middle.
    numbers = np.unique(all_of(element).astype(np.float64))
    numbers = numbers[np.isfinite(numbers)]
    middles = (numbers[1:] + numbers[:-1]) / 2
    above = padded(np.nextafter(middles, np.inf))
    below = padded(np.nextafter(middles, -np.inf))
    for doubles, expected in ((above, numbers[1:]), (below, numbers[:-1])):
        (found,) = apply(["arith.truncf {0} : {t} to {r}"], [("f64", doubles)], element, 16)
        np.testing.assert_array_equal(found.astype(np.float64), padded(expected))


@pytest.mark.parametrize(
    ("source", "target"), [("f8E5M2", "f16"), ("f8E4M3FN", "bf16"), ("f8E4M3FN", "f64")]
)
def test_casts_between_narrow_floats(source: str, target: str) -> None:
    numbers = all_of(source)
    (wide,) = apply(["arith.extf {0} : {t} to {r}"], [(source, numbers)], target, 16)
    assert_same(wide, numbers.astype(np.float32).astype(DTYPES[target]))
    (back,) = apply(["arith.truncf {0} : {t} to {r}"], [(target, wide)], source, 16)
    assert_same(back, numbers)


@pytest.mark.parametrize("element", FLOATS)
@pytest.mark.parametrize("source", ["i8", "i32", "i64"])
def test_casts_from_integers(source: str, element: str) -> None:
    a = random_values(source, 256, 3)
    a = np.where(np.arange(256) % 2, a, a % 100).astype(a.dtype)
    (found,) = apply(["arith.sitofp {0} : {t} to {r}"], [(source, a)], element, 16)
    # All of them that a type holds are small enough for a float64.
    assert_same(found, a.astype(np.float64).astype(np.float32).astype(DTYPES[element]))


@pytest.mark.parametrize("element", FLOATS)
def test_constants(element: str) -> None:
    items = [1.0, -2.0, 0.5, 0.0, 1.5, 3.0, 0.25, 4.0]
    text = f"""func.func @f(%x: memref<8x{element}>) attributes {{sparsecore.entry}} {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      scf.parallel (%i) = (%c0) to (%c1) step (%c1) {{
        %numbers = arith.constant dense<{items}> : vector<8x{element}>
        %half = arith.constant dense<0.5> : vector<8x{element}>
        %sum = arith.addf %numbers, %half : vector<8x{element}>
        vector.store %sum, %x[%c0] : memref<8x{element}>, vector<8x{element}>
      }}
      return
    }}"""
    found = np.zeros(8, DTYPES[element])
    run(compile_module(text, cache=None), [found])
    assert_same(found, (np.array(items, np.float32) + np.float32(0.5)).astype(DTYPES[element]))


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("element", ["i2", "i4"])
def test_small_integers_wrap(element: str, lanes: int) -> None:
    bits = int(element[1])
    a, b = (random_values(element, 256, seed) for seed in (1, 2))
    x, y = a.astype(np.int32), b.astype(np.int32)
    expected = {"addi": x + y, "subi": x - y, "muli": x * y, "maxsi": np.maximum(x, y)}
    ops = [f"arith.{name} {{0}}, {{1}} : {{t}}" for name in expected]
    rows = apply(ops, [(element, a), (element, b)], element, lanes)
    for name, row in zip(expected, rows, strict=True):
        wrapped = ((expected[name] + (1 << (bits - 1))) & ((1 << bits) - 1)) - (1 << (bits - 1))
        np.testing.assert_array_equal(row.astype(np.int32), wrapped, name)
    (wide,) = apply(["arith.extsi {0} : {t} to {r}"], [(element, a)], "i32", lanes)
    np.testing.assert_array_equal(wide, x)
    (wide,) = apply(["arith.extui {0} : {t} to {r}"], [(element, a)], "i32", lanes)
    np.testing.assert_array_equal(wide, x & ((1 << bits) - 1))


def test_words_are_eight_integers_of_4_bits() -> None:
    words, found = random_values("i32", 16, 5), np.zeros(128, np.int8)
    again = np.zeros_like(words)
    text = """func.func @f(%x: memref<16xi32>, %y: memref<128xi8>, %z: memref<16xi32>)
        attributes {sparsecore.entry} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      scf.parallel (%i) = (%c0) to (%c1) step (%c1) {
        %words = vector.load %x[%c0] : memref<16xi32>, vector<16xi32>
        %parts = vector.bitcast %words : vector<16xi32> to vector<128xi4>
        %wide = arith.extsi %parts : vector<128xi4> to vector<128xi8>
        vector.store %wide, %y[%c0] : memref<128xi8>, vector<128xi8>
        %again = vector.bitcast %parts : vector<128xi4> to vector<16xi32>
        vector.store %again, %z[%c0] : memref<16xi32>, vector<16xi32>
      }
      return
    }"""
    run(compile_module(text, cache=None), [words, found, again])
    parts = (words[:, None] >> (4 * np.arange(8))) & 15
    np.testing.assert_array_equal(found, (((parts + 8) & 15) - 8).ravel())
    np.testing.assert_array_equal(again, words)
