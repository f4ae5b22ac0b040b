"""Floats in the reference and in machine code: the same bits, also of functions without a standard."""

from __future__ import annotations

import numpy as np
import pytest

from sdykit.sparsecore.codegen import compile_module, run
from sdykit.sparsecore.mosaic.reference import floats
from support.codegen.tile_programs import DTYPES, Array, apply, assert_same, program, random_values
from support.mosaic.one_op import meaning

COUNT = 256
FLAGS = "fastmath = #arith.fastmath<none>"
OPERANDS = {"math.fma": 3, "vector.fma": 3, "arith.negf": 1}
TWO = {"math.atan2", "math.copysign", "math.powf"}
# `math.exp` of kernels is not LLVM's: see the tests of their lowering.
NAMES = [
    name
    for name in floats.OPS.entries
    if not name.startswith("math.is") and name not in {"arith.cmpf", "math.exp"}
]
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def operands_of(name: str) -> int:
    if name in OPERANDS:
        return OPERANDS[name]
    return 2 if name in TWO or name.startswith("arith.") else 1


def flags_of(name: str) -> str:
    return "" if name.startswith("vector.") else FLAGS


def numbers(element: str, seed: int) -> Array:
    """Return numbers of all magnitudes, and as many of those where functions are no constants."""
    near = np.random.default_rng(seed).uniform(-6, 6, COUNT // 2).astype(DTYPES[element])
    return np.concatenate([random_values(element, COUNT // 2, seed), near])


@pytest.mark.parametrize("element", ["bf16", "f32", "f64"])
@pytest.mark.parametrize("name", NAMES)
def test_the_same_bits_as_machine_code(name: str, element: str):
    count = operands_of(name)
    arrays = [numbers(element, seed) for seed in range(count)]
    op = f"{name} {', '.join(f'{{{k}}}' for k in range(count))} : {{t}}"
    vector = f"vector<{COUNT}x{element}>"
    expected = meaning(name, [vector] * count, vector, flags_of(name))(*arrays)
    for lanes in (8, 16) if name.startswith("vector.") else (0, 8, 16):
        (found,) = apply([op], [(element, array) for array in arrays], element, lanes)
        assert_same(found, expected, f"{name}, {lanes} lanes")


@pytest.mark.parametrize("element", ["f16", "f8E4M3B11FNUZ", "f8E4M3FN", "f8E5M2"])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_narrow_floats_have_the_same_bits_as_machine_code(count: int, element: str):
    names = [name for name in NAMES if operands_of(name) == count]
    arrays = [numbers(element, seed) for seed in range(count)]
    texts = [f"{name} {', '.join(f'{{{k}}}' for k in range(count))} : {{t}}" for name in names]
    rows = apply(texts, [(element, array) for array in arrays], element, 16)
    vector = f"vector<{COUNT}x{element}>"
    for name, found in zip(names, rows, strict=True):
        expected = meaning(name, [vector] * count, vector, flags_of(name))(*arrays)
        assert_same(found, expected, name)


@pytest.mark.parametrize("exponent", [0.5, -0.5, 2.0, 3.0, -1.0, 0.25, 1.0, 0.0])
@pytest.mark.parametrize("lanes", [0, 16])
def test_powers_with_constant_exponents_have_the_same_bits(lanes: int, exponent: float):
    # LLVM knows some of them: a square root is no call of libm's function.
    base = numbers("f32", 1)
    type_ = f"vector<{lanes}xf32>" if lanes else "f32"
    text = program(["math.powf {0}, %e : {t}"], ["f32"], "f32", lanes)
    value = f"dense<{exponent}> : {type_}" if lanes else f"{exponent} : f32"
    text = text.replace("%c0 =", f"%e = arith.constant {value}\n%c0 =", 1)
    found = np.zeros((1, COUNT), np.float32)
    run(compile_module(text, cache=None), [base, found])
    vector = f"vector<{COUNT}xf32>"
    power = meaning("math.powf", [vector] * 2, vector, FLAGS)
    assert_same(found[0], power(base, np.full(COUNT, exponent, np.float32)), f"x ** {exponent}")
