"""Ops between lanes against loops over lanes: all elements, 8 and 16 lanes, any mask."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.mosaic.types import bits_of, dtype_of
from support.amounts import examples
from support.codegen.tile_programs import assert_same, random_values
from support.mosaic.one_op import meaning
from support.mosaic.rounding import nearest

Array = npt.NDArray[Any]

LANES = [8, 16]
MASKS = ["none", "all", "some", "no mask"]
ELEMENTS = ["i16", "i32", "bf16", "f32"]
FLOATS = {"bf16", "f32"}
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def mask_of(kind: str, lanes: int, seed: int = 0) -> Array | None:
    if kind == "no mask":
        return None
    some = np.random.default_rng(seed).integers(0, 2, lanes).astype(bool)
    return {"none": np.zeros(lanes, bool), "all": np.ones(lanes, bool), "some": some}[kind]


def random_lanes(element: str, lanes: int, seed: int) -> Array:
    """Return values of all magnitudes for even seeds; few different ones, with both zeros, for odd."""
    if seed % 2 == 0:
        return random_values(element, 256, seed)[:lanes]
    few = [0.0, -0.0, 1.0, -1.0, math.nan] if element in FLOATS else [0, 1, -1, 2, -3]
    return np.random.default_rng(seed).choice(np.array(few).astype(dtype_of(element)), lanes)


def sortable(item: Any, element: str) -> tuple[bool, float]:
    """Return what to order by: integers without a sign, NaN above all."""
    if element in FLOATS:
        number = float(item)
        return (math.isnan(number), 0.0 if math.isnan(number) else number)
    return (False, int(item) % 2 ** bits_of(element))


def run(op: str, operands: list[Array], mask: Array | None, results: Any, properties: str) -> Any:
    """Run an op on vectors; the mask is its last operand."""
    names = {np.dtype(np.bool_): "i1"} | {np.dtype(dtype_of(e)): e for e in ELEMENTS}
    values = [*operands, *([] if mask is None else [mask])]
    types = [f"vector<{len(value)}x{names[value.dtype]}>" for value in values]
    return meaning(op, types, results, properties)(*values)


SCANS = list(itertools.product(ELEMENTS, LANES, MASKS, [2, 3]))


@pytest.mark.parametrize(("element", "lanes", "masked", "seed"), SCANS)
def test_sums_up_to_each_lane(element: str, lanes: int, masked: str, seed: int):
    values, mask = random_lanes(element, lanes, seed), mask_of(masked, lanes)
    total: Any = 0.0 if element in FLOATS else 0
    expected = []
    for lane in range(lanes):
        if mask is None or mask[lane]:
            item = float(values[lane]) if element in FLOATS else int(values[lane])
            first = lane == 0 and element in FLOATS
            total = item if first else total + item
            total = nearest(total, element) if element in FLOATS else total
        expected.append(total)
    vector = f"vector<{lanes}x{element}>"
    found = run("tpu.scan", [values], mask, vector, "kind = #tpu.reduction_kind<sum>")
    if element in FLOATS:
        assert_same(found, np.array(expected).astype(values.dtype))
    else:
        bits = bits_of(element)
        wrapped = [(n + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1) for n in expected]
        assert found.dtype == values.dtype
        assert found.tolist() == wrapped


@pytest.mark.parametrize("kind", ["max", "min"])
@pytest.mark.parametrize(("element", "lanes", "masked", "seed"), SCANS)
def test_extremes_up_to_each_lane(element: str, lanes: int, masked: str, seed: int, kind: str):
    values, mask = random_lanes(element, lanes, seed), mask_of(masked, lanes)

    def key(item: Any) -> tuple[float, float]:
        if element not in FLOATS:
            return (int(item) % 2 ** bits_of(element), 0)
        return (float(item), math.copysign(1, float(item)))

    expected = []
    for lane in range(lanes):
        before = [values[k] for k in range(lane + 1) if mask is None or mask[k]]
        nans = [item for item in before if element in FLOATS and math.isnan(float(item))]
        choose = max if kind == "max" else min
        expected.append((nans or [choose(before, key=key)])[0] if before else values[lane])
    vector = f"vector<{lanes}x{element}>"
    found = run("tpu.scan", [values], mask, vector, f"kind = #tpu.reduction_kind<{kind}>")
    assert_same(found, np.array(expected, values.dtype))


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("masked", MASKS[:3])
def test_counts_up_to_each_lane(masked: str, lanes: int):
    mask = mask_of(masked, lanes)
    assert mask is not None
    properties = "kind = #tpu.reduction_kind<sum>"
    found = run("tpu.scan", [mask], None, f"vector<{lanes}xi32>", properties)
    assert found.dtype == np.int32
    assert found.tolist() == [int(mask[: lane + 1].sum()) for lane in range(lanes)]


# The op takes keys of 32 bits only.
SORTS = [case for case in SCANS if case[0] in {"i32", "f32"}]


@pytest.mark.parametrize("descending", [None, False, True])
@pytest.mark.parametrize(("element", "lanes", "masked", "seed"), SORTS)
def test_sorts(element: str, lanes: int, masked: str, seed: int, descending: bool | None):
    keys, mask = random_lanes(element, lanes, seed), mask_of(masked, lanes, seed)
    values = np.arange(lanes).astype(np.int32)
    # Insertion, from the first lane on: a key goes before the first that must come after it.
    order: list[int] = []
    for lane in [k for k in range(lanes) if mask is None or mask[k]]:
        mine, at = sortable(keys[lane], element), len(order)
        while at and _after(
            sortable(keys[order[at - 1]], element), mine, descending=bool(descending)
        ):
            at -= 1
        order.insert(at, lane)
    count = len(order)
    order += [lane for lane in range(lanes) if lane not in order]
    vector, indices = f"vector<{lanes}x{element}>", f"vector<{lanes}xi32>"
    properties = "" if descending is None else f"descending = {str(descending).lower()}"
    found_mask, found_keys, found_values = run(
        "tpu.sort", [keys, values], mask, [f"vector<{lanes}xi1>", vector, indices], properties
    )
    assert found_values.tolist() == order
    assert_same(found_keys, keys[order])
    assert found_mask.tolist() == [lane < count for lane in range(lanes)]


def _after(a: tuple[bool, float], b: tuple[bool, float], *, descending: bool) -> bool:
    return a < b if descending else a > b


@given(
    st.lists(st.integers(-3, 3), min_size=16, max_size=16),
    st.lists(st.booleans(), min_size=16, max_size=16),
)
@settings(max_examples=examples(25))
def test_sorted_lanes_are_a_permutation_in_order(keys: list[int], mask: list[bool]):
    found_mask, found, order = run(
        "tpu.sort",
        [np.array(keys, np.int32), np.arange(16, dtype=np.int32)],
        np.array(mask),
        ["vector<16xi1>", "vector<16xi32>", "vector<16xi32>"],
        "",
    )
    assert sorted(order.tolist()) == list(range(16))
    assert [keys[k] for k in order] == found.tolist()
    inside = [(number % 2**32, k) for number, k in zip(found.tolist(), order.tolist(), strict=True)]
    assert inside[: sum(mask)] == sorted(inside[: sum(mask)])
    assert found_mask.sum() == sum(mask)


@pytest.mark.parametrize(
    ("element", "lanes", "masked", "seed"), [case for case in SCANS if case[2] != "no mask"]
)
def test_counts_of_equal_lanes(element: str, lanes: int, masked: str, seed: int):
    values, mask = random_lanes(element, lanes, seed), mask_of(masked, lanes, seed)
    assert mask is not None
    counts, last = [], []
    for lane in range(lanes):
        same = [k for k in range(lanes) if mask[k] and mask[lane] and values[k] == values[lane]]
        counts.append(max(1, sum(k <= lane for k in same)))
        last.append(bool(mask[lane]) and not any(k > lane for k in same))
    types = [f"vector<{lanes}xi1>", f"vector<{lanes}x{element}>"]
    found_last, found = meaning("tpu.scan_count", types, [types[0], f"vector<{lanes}xi32>"])(
        mask, values
    )
    assert found.dtype == np.int32
    assert found.tolist() == counts
    assert found_last.tolist() == last


@pytest.mark.parametrize("masked", MASKS[:3])
@pytest.mark.parametrize(("lanes", "results"), [(8, 8), (16, 16), (16, 8), (8, 1)])
def test_counts_and_first_of_a_mask_in_all_lanes(lanes: int, results: int, masked: str):
    mask = mask_of(masked, lanes, 1)
    assert mask is not None
    true = [lane for lane in range(lanes) if mask[lane]]
    for kind, expected in (("sum", len(true)), ("find_first_set", (true or [lanes])[0])):
        properties = f"dim = 0 : i64, kind = #tpu.reduction_kind<{kind}>"
        found = run("tpu.all_reduce", [mask], None, f"vector<{results}xi32>", properties)
        assert found.dtype == np.int32
        assert found.tolist() == [expected] * results


@pytest.mark.parametrize("element", ["i1", *ELEMENTS])
@pytest.mark.parametrize("lanes", LANES)
def test_gathers_from_lanes(lanes: int, element: str):
    source = random_values(element, 256, 4)[:lanes]
    indices = np.random.default_rng(5).integers(-3 * lanes, 3 * lanes, lanes).astype(np.int32)
    vector = f"vector<{lanes}x{element}>"
    gather = meaning(
        "tpu.dynamic_gather", [vector, f"vector<{lanes}xi32>"], vector, "dimensions = array<i32: 0>"
    )
    found = gather(source, indices)
    assert found.dtype == source.dtype
    expected = np.array([source[int(index) % lanes] for index in indices])
    assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("dimensions", [[0], [1], [0, 1], [1, 0]])
def test_gathers_along_dimensions(dimensions: list[int]):
    source = np.arange(32, dtype=np.float32).reshape(4, 8)
    indices = np.random.default_rng(6).integers(0, 64, (4, 8)).astype(np.int32)
    expected = np.empty_like(source)
    for at in np.ndindex(4, 8):
        place, rest = list(at), int(indices[at])
        for dimension in reversed(dimensions):
            place[dimension] = rest % source.shape[dimension]
            rest //= source.shape[dimension]
        expected[at] = source[tuple(place)]
    text = ", ".join(map(str, dimensions))
    gather = meaning(
        "tpu.dynamic_gather",
        ["vector<4x8xf32>", "vector<4x8xi32>"],
        "vector<4x8xf32>",
        f"dimensions = array<i32: {text}>",
    )
    assert gather(source, indices).tolist() == expected.tolist()


PACKS = [("f32", "bf16"), ("i32", "i16"), ("i16", "i8"), ("i32", "i8")]


@pytest.mark.parametrize("format_", ["interleaved", "compressed"])
@pytest.mark.parametrize(("wide", "narrow"), PACKS)
@pytest.mark.parametrize("lanes", LANES)
def test_packs_and_unpacks(lanes: int, wide: str, narrow: str, format_: str):
    count = bits_of(wide) // bits_of(narrow)
    sources = [random_values(wide, 256, seed)[:lanes] for seed in range(count)]
    positions = list(range(count))
    shape = f"{count * lanes}" if format_ == "interleaved" else f"{lanes}x{count}"
    source, packed = f"vector<{lanes}x{wide}>", f"vector<{shape}x{narrow}>"
    attribute = f"pack_format = #tpu.pack_format<{format_}>"
    properties = f"{attribute}, positions = array<i32: {', '.join(map(str, positions))}>"
    found = meaning("tpu.pack_subelements", [source] * count, packed, properties)(*sources)
    assert found.dtype == dtype_of(narrow)
    assert found.shape == tuple(map(int, shape.split("x")))
    flat = found.ravel()
    for lane, position in itertools.product(range(lanes), positions):
        got, item = flat[count * lane + position], sources[position][lane]
        if wide in FLOATS:
            assert float(got) == nearest(float(item), narrow) or math.isnan(float(item))
        else:
            assert int(got) % 2 ** bits_of(narrow) == int(item) % 2 ** bits_of(narrow)
    for index in positions:
        more = f"index = {index} : i32, {attribute}"
        back = meaning("tpu.unpack_subelements", [packed], source, more)(found)
        assert back.dtype == dtype_of(wide)
        assert_same(back, flat[index::count].astype(dtype_of(wide)))
        if wide not in FLOATS:
            unsigned = meaning(
                "tpu.unpack_subelements", [packed], source, f"{more}, unsigned_integers = true"
            )(found)
            low = [int(item) % 2 ** bits_of(narrow) for item in flat[index::count]]
            assert unsigned.tolist() == low


def test_packs_go_to_their_positions():
    first, second = np.zeros(8, np.int32), np.ones(8, np.int32)
    properties = "pack_format = #tpu.pack_format<interleaved>, positions = array<i32: 1, 0>"
    pack = meaning("tpu.pack_subelements", ["vector<8xi32>"] * 2, "vector<16xi16>", properties)
    assert pack(first, second).tolist() == [1, 0] * 8


def test_floats_are_not_packed_as_integers():
    properties = "pack_format = #tpu.pack_format<interleaved>, positions = array<i32: 0, 1>"
    with pytest.raises(
        SparseCoreError, match="from f32 to i16 cannot run on a SparseCore; expected"
    ):
        meaning("tpu.pack_subelements", ["vector<8xf32>"] * 2, "vector<16xi16>", properties)


REDUCTIONS = {
    "add": lambda a, b: a + b,
    "mul": lambda a, b: a * b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "maxsi": max,
    "minsi": min,
    "maxui": lambda a, b: max(a, b, key=lambda item: item % 2**32),
    "minui": lambda a, b: min(a, b, key=lambda item: item % 2**32),
}


@pytest.mark.parametrize("kind", REDUCTIONS)
def test_reductions_of_integers(kind: str):
    source, start = random_values("i32", 256, 7)[:32], random_values("i32", 256, 8)[:8]
    properties = f"kind = #vector.kind<{kind}>"
    whole = meaning("vector.reduction", ["vector<32xi32>"], "i32", properties)(source)
    total: Any = None
    for item in source.tolist():
        total = item if total is None else REDUCTIONS[kind](total, item)
    assert whole == (total + 2**31) % 2**32 - 2**31
    rows = meaning(
        "vector.multi_reduction",
        ["vector<4x8xi32>", "vector<8xi32>"],
        "vector<8xi32>",
        f"{properties}, reduction_dims = array<i64: 0>",
    )(source.reshape(4, 8), start)
    for lane in range(8):
        total = int(start[lane])
        for item in source.reshape(4, 8)[:, lane].tolist():
            total = REDUCTIONS[kind](total, item)
        assert rows[lane] == (total + 2**31) % 2**32 - 2**31


@pytest.mark.parametrize("element", ["bf16", "f32"])
@pytest.mark.parametrize("kind", ["add", "mul", "maximumf", "minimumf"])
def test_reductions_of_floats_are_in_row_major_order(kind: str, element: str):
    rng = np.random.default_rng(9)
    source = rng.standard_normal((2, 4, 8)).astype(dtype_of(element))
    start = rng.standard_normal(4).astype(dtype_of(element))
    functions = {
        "add": lambda a, b: nearest(a + b, element),
        "mul": lambda a, b: nearest(a * b, element),
        "maximumf": max,
        "minimumf": min,
    }
    found = meaning(
        "vector.multi_reduction",
        [f"vector<2x4x8x{element}>", f"vector<4x{element}>"],
        f"vector<4x{element}>",
        f"kind = #vector.kind<{kind}>, reduction_dims = array<i64: 0, 2>",
    )(source, start)
    assert found.dtype == source.dtype
    for row in range(4):
        total = float(start[row])
        for item in source[:, row, :].astype(np.float64).ravel().tolist():
            total = functions[kind](total, item)
        assert float(found[row]) == total


def test_other_reductions_are_refused():
    with pytest.raises(SparseCoreError, match="of the kind 'maxnumf' cannot run on a SparseCore"):
        meaning("vector.reduction", ["vector<8xf32>"], "f32", "kind = #vector.kind<maxnumf>")
    properties = "dim = 0 : i64, kind = #tpu.reduction_kind<max>"
    with pytest.raises(
        SparseCoreError, match=r"of vector<8xf32> cannot run on a SparseCore; expected"
    ):
        meaning("tpu.all_reduce", ["vector<8xf32>"], "vector<8xf32>", properties)
