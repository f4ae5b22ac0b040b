"""Arithmetic of kernels, compiled: defined for all operands, with the bits of the reference."""

from __future__ import annotations

import numpy as np
import pytest

from support.codegen.tile_programs import DTYPES, assert_same, random_values
from support.mosaic.vector_functions import Array, compiled, lowered, meant, op_text

ROWS, LANES = 64, 8
DIVISIONS = ["divsi", "divui", "remsi", "remui", "ceildivsi", "ceildivui", "floordivsi"]
SHIFTS = ["shli", "shrsi", "shrui"]


def of_scalars(name: str, operands: list[str], result: str) -> str:
    """Return a function of vectors of one element, which applies an op to the scalars in them."""
    lines = [
        f"%s{k} = vector.extract %a{k}[0] : {element} from vector<1x{element}>"
        for k, element in enumerate(operands)
    ]
    names = ", ".join(f"%s{k}" for k in range(len(operands)))
    lines.append(f'%r = "{name}"({names}) : ({", ".join(operands)}) -> {result}')
    arguments = ", ".join(f"%a{k}: vector<1x{element}>" for k, element in enumerate(operands))
    body = "\n".join(lines)
    return f"""func.func @f({arguments}) -> vector<1x{result}> {{
      {body}
      %v = vector.broadcast %r : {result} to vector<1x{result}>
      return %v : vector<1x{result}>
    }}"""


def check(name: str, operands: list[str], result: str, arrays: list[Array]) -> Array:
    """Check an op on vectors and on scalars; return the results."""
    types = [f"vector<{LANES}x{element}>" for element in operands]
    text = op_text(name, types, [f"vector<{LANES}x{result}>"])
    (found,) = compiled(text, arrays)
    assert_same(found, meant(text, arrays)[0], name)
    (scalars,) = compiled(
        of_scalars(name, operands, result), [each.reshape(-1, 1) for each in arrays]
    )
    assert_same(scalars.reshape(found.shape), found, f"{name} of scalars")
    return found


def pairs(element: str) -> list[Array]:
    """Random integers, and every pair of those at the edges."""
    low, high = np.iinfo(DTYPES[element]).min, np.iinfo(DTYPES[element]).max
    bits = DTYPES[element].itemsize * 8
    edges = [0, 1, -1, 2, 7, -7, low, low + 1, high, bits - 1, bits, bits + 1]
    grid = np.array([(a, b) for a in edges for b in edges]).astype(DTYPES[element])
    count = ROWS * LANES
    found = [random_values(element, count, seed) for seed in (1, 2)]
    for each, column in zip(found, grid.T, strict=True):
        each[: len(column)] = column
    return [each.reshape(ROWS, LANES) for each in found]


@pytest.mark.parametrize("element", ["i8", "i16", "i32", "index"])
@pytest.mark.parametrize("name", [*DIVISIONS, *SHIFTS])
def test_no_pair_of_integers_is_undefined(name: str, element: str) -> None:
    check(f"arith.{name}", [element, element], element, pairs(element))


def test_what_division_by_zero_and_minus_one_return() -> None:
    low = -(2**31)
    a = np.array([[7, -7, 0, low, low, 5, -5, 1]], np.int32)
    b = np.array([[0, 0, 0, -1, 0, -1, -1, 0]], np.int32)
    expected = {
        "divsi": [-1, -1, -1, low, -1, -5, 5, -1],
        "divui": [-1, -1, -1, 0, -1, 0, 0, -1],
        "remsi": [7, -7, 0, 0, low, 0, 0, 1],
    }
    for name, wanted in expected.items():
        found = check(f"arith.{name}", ["i32", "i32"], "i32", [a, b])
        if name == "divui":  # -5 without a sign is less than -1.
            wanted[6] = 0
        assert found.ravel().tolist() == wanted, name


@pytest.mark.parametrize("target", ["i8", "i16", "i32"])
@pytest.mark.parametrize("source", ["f32", "bf16"])
@pytest.mark.parametrize("name", ["fptosi", "fptoui"])
def test_floats_become_the_nearest_integer_of_the_range(
    name: str, source: str, target: str
) -> None:
    values = random_values(source, ROWS * LANES, 3)
    bits = DTYPES[target].itemsize * 8
    edges = [0.5, -0.5, -0.99, -1.0, np.nan, np.inf, -np.inf, -0.0]
    for power in (bits - 1, bits):
        limit = np.float32(2.0**power)
        for edge in (limit, np.nextafter(limit, np.float32(0)), limit - 1, limit - 0.5):
            edges += [edge, -edge]
    values[: len(edges)] = np.array(edges, np.float32).astype(values.dtype)
    check(f"arith.{name}", [source], target, [values.reshape(ROWS, LANES)])


@pytest.mark.parametrize(
    ("name", "number"), [("divsi", 3), ("remui", 8), ("shli", 4), ("shrsi", 31)]
)
def test_constants_that_are_defined_need_no_more_ops(name: str, number: int) -> None:
    text = op_text(f"arith.{name}", ["vector<8xi32>"] * 2, ["vector<8xi32>"])
    constant = f"%c = arith.constant dense<{number}> : vector<8xi32>\n      %r:1 ="
    text = text.replace("%r:1 =", constant).replace("(%a0, %a1)", "(%a0, %c)")
    assert "arith.select" not in lowered(text)
    a = random_values("i32", 16, 4).reshape(2, 8)
    assert_same(compiled(text, [a, a])[0], meant(text, [a, a])[0])


@pytest.mark.parametrize("element", ["f32", "bf16"])
def test_exp_has_the_bits_of_the_reference(element: str) -> None:
    values = random_values(element, ROWS * LANES, 5)
    values[: ROWS * LANES // 2] = np.random.default_rng(5).uniform(-105, 90, ROWS * LANES // 2)
    check("math.exp", [element], element, [values.reshape(ROWS, LANES)])


def test_exp_is_the_nearest_number() -> None:
    """Of float64's, which is exact enough, rounded: where it overflows, underflows, and between."""
    edges = np.array(
        [88.72283, 88.72284, -87.33654, -103.27893, -103.97208, -103.97209], np.float32
    )
    around = np.concatenate([np.nextafter(edges, np.float32(side)) for side in (-200, 200)])
    special = np.array([0.0, -0.0, 1e-30, np.inf, -np.inf, np.nan, 3e38, -3e38], np.float32)
    drawn = np.random.default_rng(6).uniform(-104, 89, 200_000).astype(np.float32)
    values = np.concatenate([edges, around, special, drawn])
    values = values[: len(values) // 8 * 8].reshape(-1, 8)
    text = op_text("math.exp", ["vector<8xf32>"], ["vector<8xf32>"])
    with np.errstate(all="ignore"):
        expected = np.exp(values.astype(np.float64)).astype(np.float32)
    assert_same(compiled(text, [values])[0].ravel(), expected.ravel())
