"""`vector`: loads, stores, masks, gathers, transfers."""

from __future__ import annotations

import mmap

import numpy as np
import pytest

from sdykit.sparsecore.codegen import Program, compile_module, run
from support.codegen.tile_programs import DTYPES, Array, random_values


def each_row(types: dict[str, str], body: str) -> Program:
    """A program over the rows of %out, whose type comes last."""
    parameters = ", ".join(f"%{name}: memref<{type_}>" for name, type_ in types.items())
    return compile_module(
        f"""func.func @rows({parameters}) attributes {{sparsecore.entry}} {{
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c2 = arith.constant 2 : index
          %n = memref.dim %out, %c0 : memref<{types["out"]}>
          scf.parallel (%i) = (%c0) to (%n) step (%c1) {{
            {body}
          }}
          return
        }}""",
        cache=None,
    )


@pytest.mark.parametrize("dtype", sorted(DTYPES))
def test_rows_are_loaded_and_stored(dtype: str) -> None:
    program = each_row(
        {"x": f"?x11x{dtype}", "out": f"?x8x{dtype}"},
        f"""%v = vector.load %x[%i, %c2] : memref<?x11x{dtype}>, vector<8x{dtype}>
        vector.store %v, %out[%i, %c0] : memref<?x8x{dtype}>, vector<8x{dtype}>""",
    )
    x = random_values(dtype, 55, 1).reshape(5, 11)
    out = np.zeros((5, 8), DTYPES[dtype])
    run(program, [x, out])
    assert out.tobytes() == x[:, 2:10].tobytes()


def test_vectors_of_rank_two_are_loaded_row_by_row() -> None:
    program = each_row(
        {"x": "?x?xf32", "out": "?x3x4xf32"},
        """%v = vector.load %x[%i, %c1] : memref<?x?xf32>, vector<3x4xf32>
        vector.store %v, %out[%i, %c0, %c0] : memref<?x3x4xf32>, vector<3x4xf32>""",
    )
    x = np.arange(60, dtype=np.float32).reshape(10, 6)
    out = np.zeros((8, 3, 4), np.float32)
    run(program, [x, out])
    assert (out == [x[i : i + 3, 1:5] for i in range(8)]).all()


@pytest.mark.parametrize("dtype", ["f32", "bf16", "i1", "i8", "i64"])
def test_masked_loads_and_stores_touch_selected_elements_only(dtype: str) -> None:
    program = each_row(
        {"m": "?x8xi1", "x": f"?x8x{dtype}", "out": f"?x8x{dtype}"},
        f"""%m0 = vector.load %m[%i, %c0] : memref<?x8xi1>, vector<8xi1>
        %old = vector.load %out[%i, %c0] : memref<?x8x{dtype}>, vector<8x{dtype}>
        %v = vector.maskedload %x[%i, %c0], %m0, %old
          : memref<?x8x{dtype}>, vector<8xi1>, vector<8x{dtype}> into vector<8x{dtype}>
        %r = vector.shuffle %v, %v [7, 6, 5, 4, 3, 2, 1, 0]
          : vector<8x{dtype}>, vector<8x{dtype}>
        vector.maskedstore %out[%i, %c0], %m0, %r
          : memref<?x8x{dtype}>, vector<8xi1>, vector<8x{dtype}>""",
    )
    mask = random_values("i1", 160, 2).reshape(20, 8)
    x, old = (random_values(dtype, 160, seed).reshape(20, 8) for seed in (3, 4))
    out = old.copy()
    run(program, [mask, x, out])
    merged = np.where(mask, x, old)
    assert out.tobytes() == np.where(mask, merged[:, ::-1], old).tobytes()


@pytest.mark.parametrize("dtype", ["f32", "bf16", "i1", "i8", "i64"])
def test_compressing_stores_write_selected_elements_one_after_another(dtype: str) -> None:
    program = each_row(
        {"m": "?x8xi1", "x": f"?x8x{dtype}", "out": f"?x9x{dtype}"},
        f"""%m0 = vector.load %m[%i, %c0] : memref<?x8xi1>, vector<8xi1>
        %v = vector.load %x[%i, %c0] : memref<?x8x{dtype}>, vector<8x{dtype}>
        vector.compressstore %out[%i, %c1], %m0, %v
          : memref<?x9x{dtype}>, vector<8xi1>, vector<8x{dtype}>""",
    )
    mask = random_values("i1", 160, 2).reshape(20, 8)
    x = random_values(dtype, 160, 3).reshape(20, 8)
    out = random_values(dtype, 180, 4).reshape(20, 9)
    expected = out.copy()
    for row, chosen, values in zip(expected, mask, x, strict=True):
        row[1 : 1 + chosen.sum()] = values[chosen]
    run(program, [mask, x, out])
    assert out.tobytes() == expected.tobytes()


@pytest.mark.parametrize("dtype", ["f32", "bf16", "i1", "i8", "i64"])
def test_expanding_loads_read_one_element_for_each_selected_lane(dtype: str) -> None:
    program = each_row(
        {"m": "?x8xi1", "o": f"?x8x{dtype}", "x": f"?x9x{dtype}", "out": f"?x8x{dtype}"},
        f"""%m0 = vector.load %m[%i, %c0] : memref<?x8xi1>, vector<8xi1>
        %o0 = vector.load %o[%i, %c0] : memref<?x8x{dtype}>, vector<8x{dtype}>
        %v = vector.expandload %x[%i, %c1], %m0, %o0
          : memref<?x9x{dtype}>, vector<8xi1>, vector<8x{dtype}> into vector<8x{dtype}>
        vector.store %v, %out[%i, %c0] : memref<?x8x{dtype}>, vector<8x{dtype}>""",
    )
    mask = random_values("i1", 160, 5).reshape(20, 8)
    mask[:2], mask[-1] = [[False], [True]], [True] * 7 + [False]
    x = guarded(random_values(dtype, 180, 6).reshape(20, 9))
    out, otherwise = np.zeros((20, 8), DTYPES[dtype]), random_values(dtype, 160, 7).reshape(20, 8)
    expected = otherwise.copy()
    for row, chosen, values in zip(expected, mask, x, strict=True):
        row[chosen] = values[1 : 1 + chosen.sum()]
    run(program, [mask, otherwise, x, out])
    assert out.tobytes() == expected.tobytes()


def guarded(array: Array) -> Array:
    """Put a copy right before a page that cannot be read."""
    size = -(-array.nbytes // mmap.PAGESIZE) * mmap.PAGESIZE
    pages = np.frombuffer(mmap.mmap(-1, size), np.uint8)
    copy = pages[size - array.nbytes :].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def test_transfers_stay_within_the_buffer() -> None:
    program = each_row(
        {"x": "?x11xf32", "out": "?x11xf32"},
        """%pad = arith.constant -1.0 : f32
        %c8 = arith.constant 8 : index
        %a = vector.transfer_read %x[%i, %c0], %pad {in_bounds = [true]}
          : memref<?x11xf32>, vector<8xf32>
        %b = vector.transfer_read %x[%i, %c8], %pad : memref<?x11xf32>, vector<8xf32>
        %s = arith.addf %a, %b : vector<8xf32>
        vector.transfer_write %s, %out[%i, %c0] {in_bounds = [true]}
          : vector<8xf32>, memref<?x11xf32>
        vector.transfer_write %b, %out[%i, %c8] : vector<8xf32>, memref<?x11xf32>""",
    )
    x = guarded(np.arange(55, dtype=np.float32).reshape(5, 11))
    out = guarded(np.zeros((5, 11), np.float32))
    run(program, [x, out])
    tail = np.concatenate([x[:, 8:], np.full((5, 5), -1, np.float32)], axis=1)
    assert (out == np.concatenate([x[:, :8] + tail, x[:, 8:]], axis=1)).all()


def test_transfers_respect_masks() -> None:
    program = each_row(
        {"x": "?x6xi32", "out": "?x6xi32"},
        """%pad = arith.constant 9 : i32
        %m = vector.create_mask %i : vector<4xi1>
        %a = vector.transfer_read %x[%i, %c1], %pad, %m {in_bounds = [true]}
          : memref<?x6xi32>, vector<4xi32>
        %b = vector.transfer_read %x[%i, %c2], %pad, %m : memref<?x6xi32>, vector<4xi32>
        vector.transfer_write %a, %out[%i, %c0] {in_bounds = [true]}
          : vector<4xi32>, memref<?x6xi32>
        %c4 = arith.constant 4 : index
        vector.transfer_write %b, %out[%i, %c4], %m : vector<4xi32>, memref<?x6xi32>""",
    )
    x = np.arange(30, dtype=np.int32).reshape(5, 6)
    out = np.zeros((5, 6), np.int32)
    run(program, [x, out])
    for i in range(5):
        lane = np.arange(4)
        assert (out[i, :4] == np.where(lane < i, x[i, 1:5], 9)).all()
        assert (out[i, 4:] == np.where(lane[:2] < i, x[i, 2:4], 0)).all()


@pytest.mark.parametrize("dtype", ["f32", "bf16", "i1", "i64"])
@pytest.mark.parametrize("index", ["i32", "index"])
def test_gathers_and_scatters_reach_selected_elements_only(dtype: str, index: str) -> None:
    vectors = f"vector<8x{index}>, vector<8xi1>, vector<8x{dtype}>"
    program = each_row(
        {"m": "?x8xi1", "k": f"?x8x{index}", "x": f"?x{dtype}", "out": f"?x16x{dtype}"},
        f"""%m0 = vector.load %m[%i, %c0] : memref<?x8xi1>, vector<8xi1>
        %k0 = vector.load %k[%i, %c0] : memref<?x8x{index}>, vector<8x{index}>
        %old = vector.load %out[%i, %c0] : memref<?x16x{dtype}>, vector<8x{dtype}>
        %v = vector.gather %x[%c1][%k0], %m0, %old
          : memref<?x{dtype}>, {vectors} into vector<8x{dtype}>
        vector.scatter %out[%i, %c0][%k0], %m0, %v : memref<?x16x{dtype}>, {vectors}""",
    )
    rng = np.random.default_rng(5)
    mask = random_values("i1", 80, 6).reshape(10, 8)
    places = np.array([rng.permutation(14)[:8] for _ in range(10)]).astype(DTYPES[index])
    places = np.where(mask, places, 1 << 28).astype(DTYPES[index])
    x = random_values(dtype, 16, 7)
    out = random_values(dtype, 160, 8).reshape(10, 16)
    expected = out.copy()
    for row, chosen, where in zip(expected, mask, places, strict=True):
        row[where[chosen]] = x[where[chosen] + 1]
    run(program, [mask, places, x, out])
    assert out.tobytes() == expected.tobytes()


def test_a_gather_follows_the_stride() -> None:
    program = each_row(
        {"x": "4x?xi32", "out": "?x4xi32"},
        """%c = memref.subview %x[0, %i] [4, 1] [1, 1]
          : memref<4x?xi32> to memref<4xi32, strided<[?], offset: ?>>
        %k = arith.constant dense<[1, -2, 0, -1]> : vector<4xi32>
        %m = arith.constant dense<true> : vector<4xi1>
        %v = vector.gather %c[%c2][%k], %m, %k : memref<4xi32, strided<[?], offset: ?>>,
          vector<4xi32>, vector<4xi1>, vector<4xi32> into vector<4xi32>
        vector.store %v, %out[%i, %c0] : memref<?x4xi32>, vector<4xi32>""",
    )
    x = np.arange(28, dtype=np.int32).reshape(4, 7)
    out = np.zeros((7, 4), np.int32)
    run(program, [x, out])
    assert (out == x[[3, 0, 2, 1]].T).all()


def test_nontemporal_stores_end_in_a_fence() -> None:
    types = {"x": "?x16xf32", "out": "?x16xf32"}
    body = """%v = vector.load %x[%i, %c0] : memref<?x16xf32>, vector<16xf32>
    vector.store %v, %out[%i, %c0] {nontemporal = true, alignment = 64 : i64}
      : memref<?x16xf32>, vector<16xf32>"""
    program = each_row(types, body)
    assert "!nontemporal" in program.llvm
    assert program.llvm.count("fence seq_cst") == 1
    plain = each_row(types, body.replace("nontemporal = true, ", ""))
    assert "nontemporal" not in plain.llvm
    assert "fence" not in plain.llvm
    x = np.arange(64, dtype=np.float32).reshape(4, 16)
    out = np.zeros(64 + 16, np.float32)
    start = -out.ctypes.data % 64 // 4
    aligned = out[start : start + 64].reshape(4, 16)
    run(program, [x, aligned])
    assert (aligned == x).all()
