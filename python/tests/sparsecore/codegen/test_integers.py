"""`arith` on integers against numpy and Python."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from support.codegen.tile_programs import DTYPES, Array, apply, assert_same, random_values

COUNT = 512
TYPES = ["i8", "i16", "i32", "i64", "index"]
LANES = [0, 8]


def operands(dtype: str, seed: int) -> tuple[Array, Array]:
    a, b = (random_values(dtype, COUNT, seed + k) for k in range(2))
    return a, b


def unsigned(array: Array) -> Array:
    return array.view(np.dtype(f"u{array.dtype.name}"))


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("dtype", TYPES)
def test_binary_ops_wrap_as_in_numpy(dtype: str, lanes: int) -> None:
    a, b = operands(dtype, 1)
    ua, ub = unsigned(a), unsigned(b)
    expected = {
        "addi": a + b,
        "subi": a - b,
        "muli": a * b,
        "andi": a & b,
        "ori": a | b,
        "xori": a ^ b,
        "maxsi": np.maximum(a, b),
        "minsi": np.minimum(a, b),
        "maxui": np.maximum(ua, ub).view(a.dtype),
        "minui": np.minimum(ua, ub).view(a.dtype),
    }
    ops = [f"arith.{name} {{0}}, {{1}} : {{t}}" for name in expected]
    found = apply(ops, [(dtype, a), (dtype, b)], dtype, lanes)
    for name, row in zip(expected, found, strict=True):
        assert_same(row, expected[name], name)


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("dtype", TYPES)
def test_shifts_are_those_of_python(dtype: str, lanes: int) -> None:
    a, b = operands(dtype, 3)
    bits = a.dtype.itemsize * 8
    b = b & a.dtype.type(bits - 1)
    expected = {
        "shli": a << b,
        "shrsi": a >> b,
        "shrui": (unsigned(a) >> unsigned(b)).view(a.dtype),
    }
    ops = [f"arith.{name} {{0}}, {{1}} : {{t}}" for name in expected]
    found = apply(ops, [(dtype, a), (dtype, b)], dtype, lanes)
    for name, row in zip(expected, found, strict=True):
        assert_same(row, expected[name], name)


def truncated(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("dtype", TYPES)
def test_divisions_round_as_their_names_say(dtype: str, lanes: int) -> None:
    a, b = operands(dtype, 5)
    # By 0, and the least integer by -1, there is no result.
    b = np.where((b == 0) | (b == -1), DTYPES[dtype].type(3), b)
    pairs = list(zip(a.tolist(), b.tolist(), strict=True))
    limit = 1 << a.dtype.itemsize * 8
    wide = [(x % limit, y % limit) for x, y in pairs]
    expected = {
        "divsi": [truncated(x, y) for x, y in pairs],
        "remsi": [x - truncated(x, y) * y for x, y in pairs],
        "floordivsi": [x // y for x, y in pairs],
        "ceildivsi": [-(-x // y) for x, y in pairs],
        "divui": [x // y for x, y in wide],
        "remui": [x % y for x, y in wide],
        "ceildivui": [-(-x // y) for x, y in wide],
    }
    ops = [f"arith.{name} {{0}}, {{1}} : {{t}}" for name in expected]
    found = apply(ops, [(dtype, a), (dtype, b)], dtype, lanes)
    for name, row in zip(expected, found, strict=True):
        assert [x % limit for x in row.tolist()] == [x % limit for x in expected[name]], name


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("dtype", [*TYPES, "i1"])
def test_comparisons_are_signed_or_unsigned_by_their_predicate(dtype: str, lanes: int) -> None:
    a, b = operands(dtype, 7)
    if dtype == "i1":  # Signed, true is -1.
        sa, sb, ua, ub = -a.astype(np.int8), -b.astype(np.int8), a, b
    else:
        sa, sb, ua, ub = a, b, unsigned(a), unsigned(b)
    expected = {
        "eq": a == b,
        "ne": a != b,
        "slt": sa < sb,
        "sle": sa <= sb,
        "sgt": sa > sb,
        "sge": sa >= sb,
        "ult": ua < ub,
        "ule": ua <= ub,
        "ugt": ua > ub,
        "uge": ua >= ub,
    }
    ops = [f"arith.cmpi {name}, {{0}}, {{1}} : {{t}}" for name in expected]
    found = apply(ops, [(dtype, a), (dtype, b)], "i1", lanes)
    for name, row in zip(expected, found, strict=True):
        assert_same(row, expected[name], name)


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("dtype", ["i8", "i32", "i64"])
def test_extended_ops_return_both_halves(dtype: str, lanes: int) -> None:
    a, b = operands(dtype, 9)
    bits = a.dtype.itemsize * 8
    limit = 1 << bits
    pairs = list(zip(a.tolist(), b.tolist(), strict=True))
    wide = [(x % limit, y % limit) for x, y in pairs]
    ops = {
        "addui": ("low", [x + y for x, y in wide]),
        "subui": ("low", [x - y for x, y in wide]),
        "mului": ("both", [x * y for x, y in wide]),
        "mulsi": ("both", [x * y for x, y in pairs]),
    }
    for name, (kind, exact) in ops.items():
        second = "i1" if kind == "low" else dtype
        types = "{t}, {r}" if kind == "low" else "{t}"
        pair = f"arith.{name}_extended {{0}}, {{1}} : "
        values = [(dtype, a), (dtype, b)]
        truth = f"vector<{lanes}xi1>" if lanes else "i1"
        first_types = types.replace("{r}", truth)
        (low,) = apply([first(pair + first_types)], values, dtype, lanes)
        (high,) = apply([last(pair + types)], values, second, lanes)
        assert [x % limit for x in low.tolist()] == [x % limit for x in exact], name
        carry = [(x >> bits) % limit if kind == "both" else not 0 <= x < limit for x in exact]
        assert [int(x) % limit for x in high.tolist()] == carry, name


def first(op: str) -> str:
    """Return the first result of an op that has two."""
    return f"scf.execute_region -> {{t}} {{{{\n%p:2 = {op}\nscf.yield %p#0 : {{t}}\n}}}}"


def last(op: str) -> str:
    return f"scf.execute_region -> {{r}} {{{{\n%p:2 = {op}\nscf.yield %p#1 : {{r}}\n}}}}"


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize(
    ("source", "target"), list(itertools.permutations(["i1", "i8", "i16", "i32", "i64"], 2))
)
def test_casts_extend_or_truncate(source: str, target: str, lanes: int) -> None:
    a = random_values(source, COUNT, 11)
    from_bits, to_bits = (int(name[1:]) for name in (source, target))
    if from_bits > to_bits:
        expected = {"trunci": a & 1 != 0 if target == "i1" else a.astype(DTYPES[target])}
    else:
        signed = -a.astype(np.int8) if source == "i1" else a
        wide = a if source == "i1" else unsigned(a)
        expected = {
            "extsi": signed.astype(DTYPES[target]),
            "extui": wide.astype(DTYPES[target]),
        }
    ops = [f"arith.{name} {{0}} : {{t}} to {{r}}" for name in expected]
    for name, row in zip(expected, apply(ops, [(source, a)], target, lanes), strict=True):
        assert_same(row, expected[name], name)


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("dtype", ["i1", "i8", "i32", "i64"])
def test_index_casts_extend_or_truncate(dtype: str, lanes: int) -> None:
    a = random_values(dtype, COUNT, 13)
    signed = -a.astype(np.int64) if dtype == "i1" else a.astype(np.int64)
    wide = (a if dtype == "i1" else unsigned(a)).astype(np.int64)
    ops = [f"arith.{name} {{0}} : {{t}} to {{r}}" for name in ("index_cast", "index_castui")]
    rows = apply(ops, [(dtype, a)], "index", lanes)
    assert_same(rows[0], signed)
    assert_same(rows[1], wide)
    for row in apply(ops, [("index", rows[0])], dtype, lanes):
        assert_same(row, a)


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("dtype", TYPES)
def test_bit_counts_are_those_of_python(dtype: str, lanes: int) -> None:
    a = random_values(dtype, COUNT, 15)
    bits = a.dtype.itemsize * 8
    words = [f"{x % (1 << bits):0{bits}b}" for x in a.tolist()]
    expected = {
        "absi": np.abs(a).tolist(),
        "ctpop": [word.count("1") for word in words],
        "ctlz": [len(word) - len(word.lstrip("0")) for word in words],
        "cttz": [len(word) - len(word.rstrip("0")) for word in words],
    }
    ops = [f"math.{name} {{0}} : {{t}}" for name in expected]
    for name, row in zip(expected, apply(ops, [(dtype, a)], dtype, lanes), strict=True):
        assert row.tolist() == expected[name], name


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("dtype", ["i1", "i32", "f32", "bf16"])
def test_select_takes_a_scalar_or_a_mask(dtype: str, lanes: int) -> None:
    which = random_values("i1", COUNT, 17)
    a, b = operands(dtype, 18)
    values = [("i1", which), (dtype, a), (dtype, b)]
    types = "{t}, {u}" if lanes else "{u}"
    (row,) = apply([f"arith.select {{0}}, {{1}}, {{2}} : {types}"], values, dtype, lanes)
    assert_same(row, np.where(which, a, b))
