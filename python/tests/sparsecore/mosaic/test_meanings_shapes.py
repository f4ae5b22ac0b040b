"""Ops that make and move vectors, against loops and numpy's indexing; what has no meaning."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from sdykit.mlir import ir
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.mosaic.reference.meanings import TABLES, bind, has_meaning
from sdykit.sparsecore.mosaic.types import bits_of, dtype_of
from support.codegen.tile_programs import random_values
from support.mosaic.one_op import context, meaning

ELEMENTS = ["i1", "i8", "i16", "i32", "bf16", "f32"]


@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("lanes", [8, 16])
def test_broadcasts(lanes: int, element: str):
    values = random_values(element, 256, 1)[:lanes]
    item = values[1] if element in {"bf16", "f32"} else values[1].item()
    vector = f"vector<{lanes}x{element}>"
    found = meaning("vector.broadcast", [element], vector)(item)
    assert found.dtype == dtype_of(element)
    assert found.tobytes() == np.array([values[1]] * lanes, values.dtype).tobytes()
    rows = meaning("vector.broadcast", [vector], f"vector<3x{lanes}x{element}>")(values)
    assert rows.tobytes() == values.tobytes() * 3
    column = meaning(
        "vector.broadcast", [f"vector<{lanes}x1x{element}>"], f"vector<{lanes}x2x{element}>"
    )
    assert column(values.reshape(lanes, 1)).tobytes() == np.repeat(values, 2).tobytes()


def test_iota_counts_several_dimensions_as_one():
    found = meaning("tpu.iota", [], "vector<4x3x2xi16>", "dimensions = array<i32: 2, 0>")()
    assert found.dtype == np.int16
    for i, j, k in np.ndindex(4, 3, 2):
        assert found[i, j, k] == k * 4 + i
    plain = meaning("tpu.iota", [], "vector<16xi32>", "dimensions = array<i32: 0>")()
    assert plain.tolist() == list(range(16))
    assert meaning("vector.step", [], "vector<8xindex>")().tolist() == list(range(8))


@pytest.mark.parametrize("element", ELEMENTS)
def test_shape_cast_transpose_and_concatenate(element: str):
    values = random_values(element, 256, 2)[:24]
    cast = meaning("vector.shape_cast", [f"vector<24x{element}>"], f"vector<2x3x4x{element}>")(
        values
    )
    assert cast.shape == (2, 3, 4)
    assert cast.tobytes() == values.tobytes()
    turned = meaning(
        "vector.transpose",
        [f"vector<2x3x4x{element}>"],
        f"vector<4x2x3x{element}>",
        "permutation = array<i64: 2, 0, 1>",
    )(cast)
    for i, j, k in np.ndindex(2, 3, 4):
        assert turned[k, i, j].tobytes() == cast[i, j, k].tobytes()
    row, result = f"vector<2x3x4x{element}>", f"vector<2x9x4x{element}>"
    joined = meaning("tpu.concatenate", [row] * 3, result, "dimension = 1 : i32")(cast, cast, cast)
    assert joined.shape == (2, 9, 4)
    assert joined[:, 3:6].tobytes() == cast.tobytes()


@pytest.mark.parametrize("element", ELEMENTS)
def test_extracts_and_inserts(element: str):
    values = random_values(element, 256, 3)[:24].reshape(2, 3, 4)
    vector = f"vector<2x3x4x{element}>"
    position = "static_position = array<i64: {}>"
    item = meaning("vector.extract", [vector], element, position.format("1, 2, 3"))(values)
    assert np.array(item, values.dtype).tobytes() == values[1, 2, 3].tobytes()
    assert isinstance(item, {"i1": bool}.get(element, int if element[0] == "i" else type(item)))
    row = meaning("vector.extract", [vector], f"vector<4x{element}>", position.format("1, 0"))(
        values
    )
    assert row.tobytes() == values[1, 0].tobytes()
    before = values.copy()
    more = meaning("vector.insert", [element, vector], vector, position.format("0, 1, 2"))(
        item, values
    )
    expected = before.copy()
    expected[0, 1, 2] = values[1, 2, 3]
    assert more.tobytes() == expected.tobytes()
    rows = meaning(
        "vector.insert", [f"vector<4x{element}>", vector], vector, position.format("0, 2")
    )
    expected = before.copy()
    expected[0, 2] = row
    assert rows(row, values).tobytes() == expected.tobytes()
    assert values.tobytes() == before.tobytes()


def test_positions_that_are_not_constant_are_refused():
    properties = "static_position = array<i64: -9223372036854775808>"
    with pytest.raises(SparseCoreError, match="at a position that is not constant cannot run"):
        meaning("vector.extract", ["vector<8xf32>", "index"], "f32", properties)


def test_strided_slices():
    values = np.arange(48).reshape(4, 12).astype(np.float32)
    piece = meaning(
        "vector.extract_strided_slice",
        ["vector<4x12xf32>"],
        "vector<2x5xf32>",
        "offsets = [1, 3], sizes = [2, 5], strides = [1, 1]",
    )(values)
    assert piece.tolist() == [[15, 16, 17, 18, 19], [27, 28, 29, 30, 31]]
    rows = meaning(
        "vector.extract_strided_slice",
        ["vector<4x12xf32>"],
        "vector<2x12xf32>",
        "offsets = [2], sizes = [2], strides = [1]",
    )(values)
    assert rows.tolist() == values[2:].tolist()
    put = meaning(
        "vector.insert_strided_slice",
        ["vector<5xf32>", "vector<4x12xf32>"],
        "vector<4x12xf32>",
        "offsets = [3, 2], strides = [1]",
    )(np.zeros(5, np.float32), values)
    assert put[3].tolist() == [36, 37, 0, 0, 0, 0, 0, 43, 44, 45, 46, 47]
    assert put[:3].tolist() == values[:3].tolist()


def test_elements_and_masks():
    vector = "vector<2x2xbf16>"
    items = [dtype_of("bf16").type(number) for number in (1, 2, 3, 4)]
    made = meaning("vector.from_elements", ["bf16"] * 4, vector)(*items)
    assert made.dtype == dtype_of("bf16")
    assert made.tolist() == [[1, 2], [3, 4]]
    assert meaning("vector.to_elements", [vector], ["bf16"] * 4)(made) == tuple(items)
    masks = meaning("vector.create_mask", ["index", "index"], "vector<3x4xi1>")
    for rows, columns in itertools.product((-1, 0, 2, 5), repeat=2):
        expected = [[i < rows and j < columns for j in range(4)] for i in range(3)]
        assert masks(rows, columns).tolist() == expected
    properties = "mask_dim_sizes = array<i64: 2, 3>"
    constant = meaning("vector.constant_mask", [], "vector<3x4xi1>", properties)
    assert constant().tolist() == masks(2, 3).tolist()


def test_shuffles_and_interleaved_lanes():
    a, b = np.arange(4, dtype=np.int32), np.arange(10, 14, dtype=np.int32)
    vector = "vector<4xi32>"
    mask = "mask = array<i64: 7, 0, -1, 4, 3>"
    found = meaning("vector.shuffle", [vector] * 2, "vector<5xi32>", mask)(a, b)
    assert found.tolist() == [13, 0, 0x7F7F7F7F, 10, 3]
    both = meaning("vector.interleave", [vector] * 2, "vector<8xi32>")(a, b)
    assert both.tolist() == [0, 10, 1, 11, 2, 12, 3, 13]
    even, odd = meaning("vector.deinterleave", ["vector<8xi32>"], [vector] * 2)(both)
    assert (even.tolist(), odd.tolist()) == (a.tolist(), b.tolist())


BITCASTS = [
    ("i32", "f32"),
    ("i32", "i16"),
    ("i32", "bf16"),
    ("i32", "i8"),
    ("i32", "i4"),
    ("i8", "i4"),
]


@pytest.mark.parametrize(("wide", "narrow"), BITCASTS)
@pytest.mark.parametrize("lanes", [8, 16])
def test_bits_along_the_last_dimension(lanes: int, wide: str, narrow: str):
    values = random_values(wide, 256, 4)[: 2 * lanes].reshape(2, lanes)
    count = bits_of(wide) // bits_of(narrow)
    source, result = f"vector<2x{lanes}x{wide}>", f"vector<2x{lanes * count}x{narrow}>"
    found = meaning("vector.bitcast", [source], result)(values)
    assert found.dtype == dtype_of(narrow)
    assert found.shape == (2, lanes * count)
    word = np.dtype(f"u{max(8, bits_of(narrow)) // 8}")
    parts = found.view(word) if bits_of(narrow) >= 8 else found.astype(np.int8).view(np.uint8) & 15
    for row, lane in np.ndindex(2, lanes):
        whole = 0
        for part in reversed(range(count)):
            whole = (whole << bits_of(narrow)) | int(parts[row, lane * count + part])
        assert whole == int(values[row, lane]) % 2 ** bits_of(wide)
    back = meaning("vector.bitcast", [result], source)(found)
    assert back.dtype == values.dtype
    assert back.tobytes() == values.tobytes()


def test_an_op_without_a_meaning_is_refused_with_its_line():
    text = """func.func @f(%a: vector<8x128xf32>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
      %0 = tpu.transpose %a, [1, 0] : vector<8x128xf32> -> vector<128x8xf32> loc("/home/me/kernel.py":42:7)
      return
    }"""
    module = ir.Module.parse(text, context())
    op = module.body.operations[0].regions[0].blocks[0].operations[0]
    with pytest.raises(
        SparseCoreError, match=r"^kernel\.py:42: 'tpu\.transpose' cannot run on a SparseCore$"
    ):
        bind(op)
    assert not has_meaning("tpu.transpose")
    assert has_meaning("tpu.scan")


def test_every_op_is_in_one_table_and_has_a_row():
    names = [name for table in TABLES for name in table.entries]
    assert len(names) == len(set(names))
    rows = [op for table in TABLES for row in table.rows for op in row.ops]
    assert sorted(rows) == sorted(names)
