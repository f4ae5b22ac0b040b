"""`memref`: views, copies, the arena, bytes of truth values."""

from __future__ import annotations

import numpy as np
import pytest

from sdykit.sparsecore.codegen import Program, compile_module, run
from support.codegen.tile_programs import DTYPES, random_values


def compiled(parameters: str, body: str) -> Program:
    """A program of one phase over 0 to the first size of %out."""
    return compile_module(
        f"""func.func @entry({parameters}) attributes {{sparsecore.entry}} {{
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c2 = arith.constant 2 : index
          %n = memref.dim %out, %c0 : {parameters.rpartition("%out: ")[2]}
          scf.parallel (%i) = (%c0) to (%n) step (%c1) {{
            {body}
          }}
          return
        }}""",
        cache=None,
    )


@pytest.mark.parametrize("dtype", sorted(DTYPES))
def test_every_type_is_loaded_and_stored(dtype: str) -> None:
    program = compiled(
        f"%a: memref<?x5x{dtype}>, %out: memref<?x{dtype}>",
        f"""%c4 = arith.constant 4 : index
        %v = memref.load %a[%i, %c4] : memref<?x5x{dtype}>
        memref.store %v, %out[%i] : memref<?x{dtype}>""",
    )
    a = random_values(dtype, 35, 1).reshape(7, 5)
    out = np.zeros(7, DTYPES[dtype])
    run(program, [a, out])
    assert out.tobytes() == np.ascontiguousarray(a[:, 4]).tobytes()


def test_rank_three_and_rank_zero_are_addressed() -> None:
    program = compiled(
        "%a: memref<?x?x?xi32>, %scale: memref<i32>, %out: memref<?x?x?xi32>",
        """%p = memref.dim %out, %c1 : memref<?x?x?xi32>
        %q = memref.dim %out, %c2 : memref<?x?x?xi32>
        scf.for %j = %c0 to %p step %c1 {
          scf.for %k = %c0 to %q step %c1 {
            %v = memref.load %a[%k, %j, %i] : memref<?x?x?xi32>
            %s = memref.load %scale[] : memref<i32>
            %w = arith.muli %v, %s : i32
            memref.store %w, %out[%i, %j, %k] : memref<?x?x?xi32>
          }
        }""",
    )
    a = np.arange(3 * 4 * 5, dtype=np.int32).reshape(5, 4, 3)
    out = np.zeros((3, 4, 5), np.int32)
    run(program, [a, np.array(7, np.int32), out])
    assert (out == 7 * a.transpose(2, 1, 0)).all()


def test_views_of_views_add_their_offsets() -> None:
    program = compiled(
        "%a: memref<?x8xf32>, %out: memref<?xf32>",
        """%rows = memref.subview %a[1, %i] [3, 2] [2, 3]
          : memref<?x8xf32> to memref<3x2xf32, strided<[16, 3], offset: ?>>
        %row = memref.subview %rows[%c2, 0] [1, %c2] [1, 1]
          : memref<3x2xf32, strided<[16, 3], offset: ?>> to memref<?xf32, strided<[3], offset: ?>>
        %v = memref.load %row[%c1] : memref<?xf32, strided<[3], offset: ?>>
        memref.store %v, %out[%i] : memref<?xf32>""",
    )
    a = np.arange(64, dtype=np.float32).reshape(8, 8)
    out = np.zeros(4, np.float32)
    run(program, [a, out])
    assert out.tolist() == [a[1::2][2, i::3][1] for i in range(4)]


def test_a_subview_may_have_dynamic_strides() -> None:
    program = compiled(
        "%a: memref<?x?xi64>, %out: memref<?x?xi64>",
        """%m = memref.dim %out, %c1 : memref<?x?xi64>
        %s = memref.subview %a[%c1, %c2] [%n, %m] [%c2, %c2]
          : memref<?x?xi64> to memref<?x?xi64, strided<[?, ?], offset: ?>>
        %t = memref.subview %s[%i, 0] [1, %m] [1, 1]
          : memref<?x?xi64, strided<[?, ?], offset: ?>> to memref<?xi64, strided<[?], offset: ?>>
        %o = memref.subview %out[%i, 0] [1, %m] [1, 1]
          : memref<?x?xi64> to memref<?xi64, strided<[1], offset: ?>>
        memref.copy %t, %o
          : memref<?xi64, strided<[?], offset: ?>> to memref<?xi64, strided<[1], offset: ?>>""",
    )
    a = np.arange(90).reshape(9, 10)
    out = np.zeros((4, 3), np.int64)
    run(program, [a, out])
    assert (out == a[1::2, 2:8:2]).all()


def test_subview_drops_the_right_dimension() -> None:
    program = compiled(
        "%a: memref<1x4x1xi64>, %out: memref<4xi64>",
        """%s = memref.subview %a[0, 0, 0] [1, 4, 1] [1, 1, 1]
          : memref<1x4x1xi64> to memref<1x4xi64, strided<[4, 1]>>
        %v = memref.load %s[%c0, %i] : memref<1x4xi64, strided<[4, 1]>>
        memref.store %v, %out[%i] : memref<4xi64>""",
    )
    a = np.array([5, 6, 7, 8]).reshape(1, 4, 1)
    out = np.zeros(4, np.int64)
    run(program, [a, out])
    assert out.tolist() == [5, 6, 7, 8]


def test_reinterpret_cast_counts_from_the_start_of_the_buffer() -> None:
    program = compiled(
        "%a: memref<?xi32>, %out: memref<?xi32>",
        """%s = memref.subview %a[5] [4] [1]
          : memref<?xi32> to memref<4xi32, strided<[1], offset: 5>>
        %r = memref.reinterpret_cast %s to offset: [%i], sizes: [2, %c2], strides: [%c2, 1]
          : memref<4xi32, strided<[1], offset: 5>> to memref<2x?xi32, strided<[?, 1], offset: ?>>
        %v = memref.load %r[%c1, %c1] : memref<2x?xi32, strided<[?, 1], offset: ?>>
        memref.store %v, %out[%i] : memref<?xi32>""",
    )
    a = np.arange(20, dtype=np.int32)
    out = np.zeros(9, np.int32)
    run(program, [a, out])
    assert out.tolist() == [i + 3 for i in range(9)]


def test_copies_follow_the_strides() -> None:
    program = compiled(
        "%a: memref<6x4xi16>, %b: memref<6x4xi16>, %out: memref<1x6x4xi16>",
        """%column = memref.subview %a[0, 1] [6, 1] [1, 1]
          : memref<6x4xi16> to memref<6xi16, strided<[4], offset: 1>>
        %to = memref.subview %b[0, 2] [6, 1] [1, 1]
          : memref<6x4xi16> to memref<6xi16, strided<[4], offset: 2>>
        memref.copy %column, %to
          : memref<6xi16, strided<[4], offset: 1>> to memref<6xi16, strided<[4], offset: 2>>
        %own = memref.alloc() : memref<6x4xi16, "spmem">
        memref.copy %b, %own : memref<6x4xi16> to memref<6x4xi16, "spmem">
        %o = memref.subview %out[0, 0, 0] [1, 6, 4] [1, 1, 1]
          : memref<1x6x4xi16> to memref<6x4xi16, strided<[4, 1]>>
        memref.copy %own, %o : memref<6x4xi16, "spmem"> to memref<6x4xi16, strided<[4, 1]>>
        memref.dealloc %own : memref<6x4xi16, "spmem">""",
    )
    a = np.arange(24, dtype=np.int16).reshape(6, 4)
    b, out = -a, np.zeros((1, 6, 4), np.int16)
    run(program, [a, b, out])
    expected = -a
    expected[:, 2] = a[:, 1]
    assert (b == expected).all()
    assert (out[0] == expected).all()


def test_each_allocation_has_its_own_aligned_buffer() -> None:
    program = compiled(
        "%out: memref<?x3xi64>",
        """%p = memref.alloca() : memref<5xi8, "spmem">
        %q = memref.alloc() {alignment = 64 : i64} : memref<3x7xi64, "spmem">
        %r = memref.alloca() : memref<i1>
        %one = arith.constant 1 : i8
        %n7 = arith.constant 7 : index
        %yes = arith.constant true
        %i8 = arith.index_cast %i : index to i8
        scf.for %j = %c0 to %n7 step %c1 {
          %w = arith.index_cast %j : index to i64
          memref.store %w, %q[%c2, %j] : memref<3x7xi64, "spmem">
        }
        memref.store %yes, %r[] : memref<i1>
        memref.store %i8, %p[%c2] : memref<5xi8, "spmem">
        %v = memref.load %p[%c2] : memref<5xi8, "spmem">
        %v64 = arith.extsi %v : i8 to i64
        %n6 = arith.constant 6 : index
        %w = memref.load %q[%c2, %n6] : memref<3x7xi64, "spmem">
        %t = memref.load %r[] : memref<i1>
        %t64 = arith.extui %t : i1 to i64
        memref.store %v64, %out[%i, %c0] : memref<?x3xi64>
        memref.store %w, %out[%i, %c1] : memref<?x3xi64>
        memref.store %t64, %out[%i, %c2] : memref<?x3xi64>""",
    )
    # 5 bytes, then 168 from byte 64, then one from 256; the whole to a multiple of 64.
    assert program.interface.scratch_bytes == 320
    out = np.zeros((40, 3), np.int64)
    run(program, [out], threads=2)
    assert out.tolist() == [[i, 6, 1] for i in range(40)]


def test_views_divide_an_allocation() -> None:
    program = compiled(
        "%out: memref<?x2xf32>",
        """%arena = memref.alloc() : memref<256xi8, "spmem">
        %at = arith.constant 64 : index
        %p = memref.view %arena[%c0][%c2] : memref<256xi8, "spmem"> to memref<?x2xf32, "spmem">
        %q = memref.view %arena[%at][] : memref<256xi8, "spmem"> to memref<4xi64, "spmem">
        %f = arith.constant 2.5 : f32
        %k = arith.index_cast %i : index to i64
        memref.store %f, %p[%c1, %c1] : memref<?x2xf32, "spmem">
        memref.store %k, %q[%c0] : memref<4xi64, "spmem">
        %v = memref.load %q[%c0] : memref<4xi64, "spmem">
        %w = arith.sitofp %v : i64 to f32
        %bytes = arith.constant 12 : index
        %same = memref.view %arena[%bytes][] : memref<256xi8, "spmem"> to memref<1xf32, "spmem">
        %g = memref.load %same[%c0] : memref<1xf32, "spmem">
        memref.store %w, %out[%i, %c0] : memref<?x2xf32>
        memref.store %g, %out[%i, %c1] : memref<?x2xf32>""",
    )
    assert program.interface.scratch_bytes == 256
    out = np.zeros((3, 2), np.float32)
    run(program, [out])
    assert out.tolist() == [[i, 2.5] for i in range(3)]


def test_every_byte_but_zero_is_true() -> None:
    program = compiled(
        "%a: memref<?xi1>, %out: memref<?xi8>",
        """%t = memref.load %a[%i] : memref<?xi1>
        %v = arith.extui %t : i1 to i8
        memref.store %v, %out[%i] : memref<?xi8>""",
    )
    out = np.zeros(3, np.int8)
    run(program, [np.array([0, 1, 2], np.uint8).view(bool), out])
    assert out.tolist() == [0, 1, 1]


def test_dim_and_rank_return_sizes_and_rank() -> None:
    program = compiled(
        "%a: memref<?x4x?xi8>, %out: memref<?xi64>",
        """%x = memref.dim %a, %c0 : memref<?x4x?xi8>
        %y = memref.dim %a, %c1 : memref<?x4x?xi8>
        %z = memref.dim %a, %c2 : memref<?x4x?xi8>
        %r = memref.rank %a : memref<?x4x?xi8>
        %p = arith.muli %x, %y : index
        %q = arith.muli %p, %z : index
        %s = arith.addi %q, %r : index
        %t = arith.index_cast %s : index to i64
        memref.store %t, %out[%i] : memref<?xi64>""",
    )
    out = np.zeros(1, np.int64)
    run(program, [np.zeros((3, 4, 7), np.int8), out])
    assert out.tolist() == [3 * 4 * 7 + 3]


def test_prefetch_may_miss_the_buffer() -> None:
    program = compiled(
        "%a: memref<?x8xf32>, %out: memref<?xf32>",
        """%far = arith.constant 1000000000000 : index
        memref.prefetch %a[%far, %c0], read, locality<3>, data : memref<?x8xf32>
        memref.prefetch %a[%i, %c0], write, locality<0>, data : memref<?x8xf32>
        %v = memref.load %a[%i, %c0] : memref<?x8xf32>
        memref.store %v, %out[%i] : memref<?xf32>""",
    )
    assert program.assembly.count("prefetch") >= 2
    out = np.zeros(2, np.float32)
    run(program, [np.ones((2, 8), np.float32), out])
    assert out.tolist() == [1, 1]


def test_a_negative_stride_counts_down_from_the_offset() -> None:
    program = compile_module(
        """func.func @reverse(%x: memref<8xi32>, %out: memref<8xi32>)
            attributes {sparsecore.entry} {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c4 = arith.constant 4 : index
          %back = memref.reinterpret_cast %x to offset: [7], sizes: [4, 2], strides: [-2, -1]
            : memref<8xi32> to memref<4x2xi32, strided<[-2, -1], offset: 7>>
          %rows = memref.reinterpret_cast %out to offset: [0], sizes: [4, 2], strides: [2, 1]
            : memref<8xi32> to memref<4x2xi32>
          scf.parallel (%i) = (%c0) to (%c4) step (%c1) {
            %a = memref.load %back[%i, %c0] : memref<4x2xi32, strided<[-2, -1], offset: 7>>
            %b = memref.load %back[%i, %c1] : memref<4x2xi32, strided<[-2, -1], offset: 7>>
            memref.store %a, %rows[%i, %c0] : memref<4x2xi32>
            memref.store %b, %rows[%i, %c1] : memref<4x2xi32>
          }
          return
        }""",
        cache=None,
    )
    x, out = np.arange(8, dtype=np.int32), np.zeros(8, np.int32)
    run(program, [x, out])
    assert out.tolist() == x[::-1].tolist()
    # By way of an address that may be outside of the buffer only `out` is not reached.
    assert program.llvm.count("getelementptr inbounds i32, ptr %v") == 1
