"""Phases: sizes, ranges of iterations, order, what is recomputed in each."""

from __future__ import annotations

import ctypes
import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdykit.sparsecore.codegen import Argument, Program, RunError, compile_module, run
from support.amounts import examples

PHASE = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p
)

THREE_DIMENSIONS = """
func.func @cube(%bounds: memref<9xi64>, %out: memref<?x?x?xi64>, %log: memref<?xi64>)
    attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %p = memref.dim %out, %c0 : memref<?x?x?xi64>
  %q = memref.dim %out, %c1 : memref<?x?x?xi64>
  %r = memref.dim %out, %c2 : memref<?x?x?xi64>
  %last = arith.subi %r, %c1 : index
  scf.parallel (%i, %j, %k) = (%c0, %c1, %c2) to (%p, %q, %last) step (%c1, %c2, %c3) {
    %own = memref.alloca() : memref<4xi64, "spmem">
    %ten = arith.constant 10 : index
    %a = arith.muli %i, %ten : index
    %b = arith.addi %a, %j : index
    %c = arith.muli %b, %ten : index
    %d = arith.addi %c, %k : index
    %e = arith.index_cast %d : index to i64
    memref.store %e, %own[%c3] : memref<4xi64, "spmem">
    %f = memref.load %own[%c3] : memref<4xi64, "spmem">
    memref.store %f, %out[%i, %j, %k] : memref<?x?x?xi64>
  }
  return
}
"""


def phase_runner(program: Program, arrays: list[np.ndarray], dims: list[int]):
    """A function that runs iterations [begin, end) of a phase, as native callers do."""
    buffers = (ctypes.c_void_p * len(arrays))(*(array.ctypes.data for array in arrays))
    c_dims = (ctypes.c_int64 * max(len(dims), 1))(*dims)
    arena = np.zeros(program.interface.scratch_bytes + 64, np.uint8)
    start = -(-arena.ctypes.data // 64) * 64

    def call(number: int, begin: int, end: int) -> None:
        PHASE(program.phases[number].address)(buffers, c_dims, begin, end, start)

    return call


def cube(shape: tuple[int, int, int]) -> np.ndarray:
    expected = np.zeros(shape, np.int64)
    for i, j, k in itertools.product(
        range(shape[0]), range(1, shape[1], 2), range(2, shape[2] - 1, 3)
    ):
        expected[i, j, k] = 100 * i + 10 * j + k
    return expected


@pytest.mark.parametrize(
    "shape", [(2, 5, 9), (1, 2, 4), (3, 4, 6), (0, 3, 3), (2, 1, 9), (2, 3, 0)]
)
def test_results_do_not_depend_on_how_iterations_are_divided(shape: tuple[int, int, int]) -> None:
    program = compile_module(THREE_DIMENSIONS, cache=None)
    expected = cube(shape)
    dims = [*shape, 1]
    size = program.phases[0].size(dims)
    assert size == np.count_nonzero(expected)
    for begin, end in itertools.combinations_with_replacement(range(size + 1), 2):
        out = np.zeros(shape, np.int64)
        call = phase_runner(program, [np.zeros(9, np.int64), out, np.zeros(1, np.int64)], dims)
        call(0, begin, end)
        assert np.count_nonzero(out) == end - begin
        call(0, 0, begin)
        call(0, end, size)
        assert (out == expected).all()


def test_iterations_are_numbered_in_row_major_order() -> None:
    program = compile_module(THREE_DIMENSIONS, cache=None)
    shape = (2, 5, 9)
    order = np.argwhere(cube(shape))
    for number, place in enumerate(order.tolist()):
        out = np.zeros(shape, np.int64)
        arrays = [np.zeros(9, np.int64), out, np.zeros(1, np.int64)]
        phase_runner(program, arrays, [*shape, 1])(0, number, number + 1)
        assert np.argwhere(out).tolist() == [place]


DYNAMIC = """
func.func @dynamic(%low: memref<?xi8>, %high: memref<?xi8>, %by: memref<?xi8>, %out: memref<?xi64>)
    attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %c1 = arith.constant 1 : index
  %l = memref.dim %low, %c0 : memref<?xi8>
  %h = memref.dim %high, %c0 : memref<?xi8>
  %b = memref.dim %by, %c0 : memref<?xi8>
  %from = arith.subi %l, %c7 : index
  %to = arith.subi %h, %c7 : index
  %step = arith.subi %b, %c7 : index
  scf.parallel (%i) = (%from) to (%to) step (%step) {
    %k = arith.addi %i, %c7 : index
    %v = arith.index_cast %i : index to i64
    memref.store %v, %out[%k] : memref<?xi64>
  }
  return
}
"""


@settings(max_examples=examples(100), deadline=None)
@given(st.integers(-7, 20), st.integers(-7, 20), st.integers(-7, 9), st.integers(1, 4))
def test_dynamic_bounds_set_the_number_of_iterations(
    low: int, high: int, step: int, threads: int
) -> None:
    program = compile_module(DYNAMIC, cache=None)
    out = np.full(40, 99, np.int64)
    arrays = [*(np.zeros(n + 7, np.int8) for n in (low, high, step)), out]
    if step <= 0:
        with pytest.raises(RunError) as caught:
            run(program, arrays, threads)
        sizes = [len(array) for array in arrays]
        assert str(caught.value) == (
            f"phase_0: with dynamic sizes {sizes}, a step of the loop is 0 or negative; expected "
            "positive steps"
        )
        return
    run(program, arrays, threads)
    expected = np.full(40, 99)
    for i in range(low, high, step):
        expected[i + 7] = i
    assert out.tolist() == expected.tolist()


TWO_PHASES = """
func.func @sums(%x: memref<?x?xi32>, %rows: memref<?xi32>, %out: memref<?xi32>)
    attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %n = memref.dim %x, %c0 : memref<?x?xi32>
  %m = memref.dim %x, %c1 : memref<?x?xi32>
  %all = memref.memory_space_cast %rows : memref<?xi32> to memref<?xi32, "hbm">
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %sum = scf.for %j = %c0 to %m step %c1 iter_args(%p = %zero) -> (i32) {
      %v = memref.load %x[%i, %j] : memref<?x?xi32>
      %q = arith.addi %p, %v : i32
      scf.yield %q : i32
    }
    memref.store %sum, %rows[%i] : memref<?xi32>
  }
  %one = memref.dim %out, %c0 : memref<?xi32>
  scf.parallel (%k) = (%c0) to (%one) step (%c1) {
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%p = %zero) -> (i32) {
      %v = memref.load %all[%i] : memref<?xi32, "hbm">
      %q = arith.addi %p, %v : i32
      scf.yield %q : i32
    }
    memref.store %sum, %out[%k] : memref<?xi32>
  }
  return
}
"""


@pytest.mark.parametrize("threads", [1, 2, 3, 16])
def test_a_phase_begins_after_the_one_before_has_ended(threads: int) -> None:
    program = compile_module(TWO_PHASES, cache=None)
    assert [phase.name for phase in program.phases] == ["phase_0", "phase_1"]
    assert [phase.size([3, 4, 5, 6]) for phase in program.phases] == [3, 6]
    x = np.random.default_rng(1).integers(-100, 100, (501, 37)).astype(np.int32)
    rows, out = np.zeros(501, np.int32), np.zeros(3, np.int32)
    run(program, [x, rows, out], threads)
    assert rows.tolist() == x.sum(1).tolist()
    assert out.tolist() == [x.sum()] * 3


def test_the_interface_describes_arguments_and_arena() -> None:
    program = compile_module(
        """func.func @many(%a: memref<?x3xbf16> {sparsecore.noalias},
            %b: memref<i1, "spmem"> {sparsecore.aligned}, %c: memref<2x?x4xf64>)
            attributes {sparsecore.entry} { return }""",
        cache=None,
    )
    assert program.interface.entry == "many"
    assert program.interface.arguments == (
        Argument("bf16", (None, 3), noalias=True),
        Argument("i1", (), aligned=True),
        Argument("f64", (2, None, 4)),
    )
    assert program.phases == ()
    assert program.interface.scratch_bytes == 0


def test_a_program_may_have_no_arguments() -> None:
    program = compile_module(
        """func.func @none() attributes {sparsecore.entry} {
          %c0 = arith.constant 0 : index
          %c3 = arith.constant 3 : index
          %c1 = arith.constant 1 : index
          scf.parallel (%i) = (%c0) to (%c3) step (%c1) {}
          return
        }""",
        cache=None,
    )
    assert program.phases[0].size([]) == 3
    run(program, [])


def test_unused_scalars_are_not_computed() -> None:
    # The division by a size would trap if the phase computed it, too.
    text = """func.func @lazy(%n: memref<?xi8>, %out: memref<2xi64>) attributes {sparsecore.entry} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %d = memref.dim %n, %c0 : memref<?xi8>
      %q = arith.divsi %c2, %d : index
      scf.parallel (%i) = (%c0) to (%c2) step (%c1) {
        %v = arith.index_cast %i : index to i64
        memref.store %v, %out[%i] : memref<2xi64>
      }
      return
    }"""
    out = np.full(2, -1, np.int64)
    program = compile_module(text, cache=None)
    run(program, [np.zeros(0, np.int8), out])
    assert out.tolist() == [0, 1]
    assert "sdiv" not in program.llvm


TWO_OF_A_KIND = """
func.func @steps(%a: memref<?xi64>, %b: memref<?xi64>, %unused: memref<?xi64>)
    attributes {{sparsecore.entry}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %a, %c0 : memref<?xi64>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {{
    {first}
  }}
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {{
    {second}
  }}
  return
}}
"""


def add_to(target: str, number: int) -> str:
    return f"""
    %own = memref.alloca() : memref<1xi64, "spmem">
    %more = arith.constant {number} : i64
    %old = memref.load %{target}[%i] : memref<?xi64>
    %new = arith.addi %old, %more : i64
    memref.store %new, %own[%c0] : memref<1xi64, "spmem">
    %held = memref.load %own[%c0] : memref<1xi64, "spmem">
    memref.store %held, %{target}[%i] : memref<?xi64>
    """


@pytest.mark.parametrize(
    ("second", "bodies", "expected"),
    [
        (add_to("a", 5), 1, ([10, 11], [0, 0])),
        (add_to("a", 6), 2, ([11, 12], [0, 0])),
        (add_to("b", 5), 2, ([5, 6], [5, 5])),
    ],
    ids=["the same", "another constant", "another buffer"],
)
def test_equal_phases_share_their_code(
    second: str, bodies: int, expected: tuple[list[int], list[int]]
) -> None:
    text = TWO_OF_A_KIND.format(first=add_to("a", 5), second=second)
    program = compile_module(text, cache=None)
    arrays = [np.array([0, 1]), np.zeros(2, np.int64), np.zeros(2, np.int64)]
    run(program, arrays)
    assert (arrays[0].tolist(), arrays[1].tolist()) == expected
    assert program.llvm.count("define internal void @phase_") == bodies
    assert "%a2" not in program.llvm
    assert [argument.written for argument in program.interface.arguments] == [
        True,
        any(expected[1]),
        False,
    ]
    assert [phase.size([2, 2, 2]) for phase in program.phases] == [2, 2]
