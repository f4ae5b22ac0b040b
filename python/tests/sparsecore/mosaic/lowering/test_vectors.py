"""Vector ops, compiled: the bits that the reference defines."""

from __future__ import annotations

import numpy as np
import pytest

from support.codegen.tile_programs import assert_same, random_values
from support.mosaic.vector_functions import Array, compiled, lowered, meant, op_text

LANES = [8, 16]
ROWS = 24
MASKS = ["none", "all", "some"]


def values(element: str, lanes: int, seed: int) -> Array:
    """Rows of random values; every third has few different ones, so that many are equal."""
    rows = random_values(element, ROWS * lanes, seed).reshape(ROWS, lanes)
    rng = np.random.default_rng(seed)
    rows[::3] = rows[::3, rng.integers(0, 3, lanes)]
    return rows


def masks(which: str, lanes: int, seed: int = 1) -> Array:
    if which == "some":
        return np.random.default_rng(seed).random((ROWS, lanes)) < 0.6
    return np.full((ROWS, lanes), which == "all")


def check(text: str, arrays: list[Array]) -> list[Array]:
    found = compiled(text, arrays)
    for each, expected in zip(found, meant(text, arrays), strict=True):
        assert_same(each, expected, text)
    return found


def kind(name: str) -> str:
    return f"kind = #tpu.reduction_kind<{name}>"


@pytest.mark.parametrize("which", [*MASKS, "absent"])
@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("element", ["i1", "i16", "i32", "bf16", "f32"])
def test_scans_are_those_of_the_reference(element: str, lanes: int, which: str) -> None:
    arrays = [values(element, lanes, 1)]
    types = [f"vector<{lanes}x{element}>"]
    if which != "absent" and element != "i1":
        arrays.append(masks(which, lanes))
        types.append(f"vector<{lanes}xi1>")
    for name in ["sum"] if element == "i1" else ["sum", "max", "min"]:
        result = f"vector<{lanes}x{'i32' if element == 'i1' else element}>"
        check(op_text("tpu.scan", types, [result], kind(name)), arrays)


@pytest.mark.parametrize("which", MASKS)
@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("element", ["i8", "i16", "i32", "bf16", "f32"])
def test_equal_elements_are_counted(element: str, lanes: int, which: str) -> None:
    mask = f"vector<{lanes}xi1>"
    text = op_text(
        "tpu.scan_count", [mask, f"vector<{lanes}x{element}>"], [mask, f"vector<{lanes}xi32>"]
    )
    check(text, [masks(which, lanes), values(element, lanes, 2)])


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("which", [*MASKS, "absent"])
@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("element", ["i32", "f32"])
def test_sorts_are_stable(element: str, lanes: int, which: str, descending: bool) -> None:
    keys, mask = f"vector<{lanes}x{element}>", f"vector<{lanes}xi1>"
    numbers = np.tile(np.arange(lanes, dtype=np.int32), (ROWS, 1))
    operands, arrays = [keys, f"vector<{lanes}xi32>"], [values(element, lanes, 3), numbers]
    if which != "absent":
        operands, arrays = [*operands, mask], [*arrays, masks(which, lanes)]
    text = op_text(
        "tpu.sort", operands, [mask, *operands[:2]], f"descending = {str(descending).lower()}"
    )
    _, _, order = check(text, arrays)
    assert (np.sort(order, axis=1) == numbers).all()


@pytest.mark.parametrize("name", ["sum", "find_first_set"])
@pytest.mark.parametrize("which", MASKS)
@pytest.mark.parametrize("lanes", [4, 8, 16, 32, 64])
def test_reductions_of_masks_are_in_every_lane(lanes: int, which: str, name: str) -> None:
    text = op_text(
        "tpu.all_reduce",
        [f"vector<{lanes}xi1>"],
        [f"vector<{lanes}xi32>"],
        f"dim = 0 : i64, {kind(name)}",
    )
    check(text, [masks(which, lanes)])


@pytest.mark.parametrize("element", ["i8", "i32", "index"])
@pytest.mark.parametrize(
    ("shape", "dimensions"), [("16", [0]), ("2x8", [1]), ("2x8", [0]), ("2x3x4", [2, 0])]
)
def test_indices_count_along_dimensions(shape: str, dimensions: list[int], element: str) -> None:
    result = f"vector<{shape}x{element}>"
    attribute = f"dimensions = array<i32: {', '.join(map(str, dimensions))}>"
    text = op_text("tpu.iota", ["vector<1xi32>"], [result], attribute)
    text = text.replace('"tpu.iota"(%a0)', '"tpu.iota"()').replace(
        ": (vector<1xi32>) ->", ": () ->"
    )
    check(text, [np.zeros((1, 1), np.int32)])


@pytest.mark.parametrize("element", ["i1", "i8", "f32", "bf16"])
@pytest.mark.parametrize(
    ("sizes", "dimension", "result"),
    [(["8", "8"], 0, "16"), (["2x4", "2x3", "2x1"], 1, "2x8"), (["1x2x3", "2x2x3"], 0, "3x2x3")],
)
def test_vectors_are_joined(sizes: list[str], dimension: int, result: str, element: str) -> None:
    types = [f"vector<{size}x{element}>" for size in sizes]
    shapes = [[int(size) for size in each.split("x")] for each in sizes]
    arrays = [
        random_values(element, 5 * int(np.prod(shape)), k).reshape(5, *shape)
        for k, shape in enumerate(shapes)
    ]
    attribute = f"dimension = {dimension} : i32"
    check(op_text("tpu.concatenate", types, [f"vector<{result}x{element}>"], attribute), arrays)


GATHERS = [
    ("16", "16", [0]),
    ("8", "8", [0]),
    ("2x8", "2x8", [1]),
    ("2x8", "2x8", [0]),
    ("12", "12", [0]),
    ("2x6", "2x6", [0, 1]),
    ("2x3x4", "2x3x4", [0, 2]),
]


@pytest.mark.parametrize("element", ["i8", "i32", "f32", "bf16", "i1"])
@pytest.mark.parametrize(("shape", "places", "dimensions"), GATHERS)
def test_elements_are_picked_by_indices(
    shape: str, places: str, dimensions: list[int], element: str
) -> None:
    sizes = [int(size) for size in shape.split("x")]
    source = random_values(element, 8 * int(np.prod(sizes)), 4).reshape(8, *sizes)
    indices = random_values("i32", source.size, 5).reshape(source.shape)
    indices[::2] %= 7
    types = [f"vector<{shape}x{element}>", f"vector<{places}xi32>"]
    attribute = f"dimensions = array<i32: {', '.join(map(str, dimensions))}>"
    text = op_text("tpu.dynamic_gather", types, types[:1], attribute)
    check(text, [source, indices])


def test_known_indices_need_no_dynamic_lanes() -> None:
    type_ = "vector<16xi32>"
    text = op_text("tpu.dynamic_gather", [type_, type_], [type_], "dimensions = array<i32: 0>")
    lines = """
      %i = tpu.iota {dimensions = array<i32: 0>} : vector<16xi32>
      %last = arith.constant dense<15> : vector<16xi32>
      %down = arith.subi %last, %i : vector<16xi32>
      %r:1 ="""
    text = text.replace("%r:1 =", lines).replace("(%a0, %a1)", "(%a0, %down)")
    a = random_values("i32", 32, 6).reshape(2, 16)
    (found,) = check(text, [a, a])
    assert (found == a[:, ::-1]).all()
    assert "vector.from_elements" not in lowered(text)


PACKS = [("f32", "bf16"), ("i32", "i16"), ("i16", "i8"), ("i32", "i8")]


@pytest.mark.parametrize("form", ["interleaved", "compressed"])
@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize(("wide", "narrow"), PACKS)
def test_elements_are_packed_and_unpacked(wide: str, narrow: str, lanes: int, form: str) -> None:
    count = {"32": 4, "16": 2}[wide[1:]] // {"16": 2, "i8": 1}[narrow[-2:]]
    shape = f"{lanes}x{count}" if form == "compressed" else f"{lanes * count}"
    positions = list(range(count))[::-1]
    attributes = (
        f"positions = array<i32: {', '.join(map(str, positions))}>, "
        f"pack_format = #tpu.pack_format<{form}>"
    )
    types, packed = [f"vector<{lanes}x{wide}>"] * count, f"vector<{shape}x{narrow}>"
    arrays = [values(wide, lanes, k) for k in range(count)]
    (found,) = check(op_text("tpu.pack_subelements", types, [packed], attributes), arrays)
    for index in range(count):
        for unsigned in ("true", "false")[wide == "f32" :]:
            attributes = (
                f"index = {index} : i32, pack_format = #tpu.pack_format<{form}>, "
                f"unsigned_integers = {unsigned}"
            )
            text = op_text("tpu.unpack_subelements", [packed], types[:1], attributes)
            check(text, [found])


@pytest.mark.parametrize(("source", "target"), [("f32", "i32"), ("i32", "f32"), ("bf16", "i16")])
def test_bitcasts_keep_the_bits(source: str, target: str) -> None:
    a = values(source, 16, 7)
    text = op_text("tpu.bitcast", [f"vector<16x{source}>"], [f"vector<16x{target}>"])
    (found,) = check(text, [a])
    assert found.tobytes() == a.tobytes()
