"""Arrays that do not fit the program."""

from __future__ import annotations

import numpy as np
import pytest

from sdykit.sparsecore.codegen import Program, RunError, compile_module, run

F32 = np.float32


@pytest.fixture(scope="module")
def program() -> Program:
    return compile_module(
        """func.func @f(%a: memref<?x4xf32>, %b: memref<3xi32> {sparsecore.noalias},
            %c: memref<?xbf16>, %d: memref<?xi1> {sparsecore.aligned})
            attributes {sparsecore.entry} { return }""",
        cache=None,
    )


def arrays() -> list[np.ndarray]:
    import ml_dtypes

    return [
        np.zeros((2, 4), F32),
        np.zeros(3, np.int32),
        np.zeros(5, ml_dtypes.bfloat16),
        aligned(7),
    ]


def aligned(count: int) -> np.ndarray:
    buffer = np.zeros(count + 64, bool)
    start = -buffer.ctypes.data % 64
    return buffer[start : start + count]


@pytest.mark.parametrize("dtype", [np.int32, np.uint32])
def test_signless_integers_take_signed_and_unsigned_arrays(dtype: type[np.integer]) -> None:
    program = compile_module(
        """func.func @f(%b: memref<3xi32>) attributes {sparsecore.entry} {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c3 = arith.constant 3 : index
          %minus = arith.constant -1 : i32
          scf.parallel (%i) = (%c0) to (%c3) step (%c1) {
            memref.store %minus, %b[%i] : memref<3xi32>
          }
          return
        }""",
        cache=None,
    )
    array = np.zeros(3, dtype)
    run(program, [array], threads=4)
    assert array.tolist() == 3 * [np.array(-1).astype(dtype).item()]


def misaligned() -> np.ndarray:
    """Return an array of float32 that begins one byte after a multiple of 4."""
    return np.zeros(33, np.uint8)[1:].view(F32).reshape(2, 4)


def read_only() -> np.ndarray:
    array = np.zeros((2, 4), F32)
    array.flags.writeable = False
    return array


WRONG = [
    (0, np.zeros((2, 5), F32), "argument 0 has shape (2, 5); expected (?, 4)"),
    (0, np.zeros(4, F32), "argument 0 has shape (4,); expected (?, 4)"),
    (0, np.zeros((2, 4)), "argument 0 has dtype float64; expected float32"),
    (0, np.zeros((2, 4), ">f4"), "argument 0 has dtype >f4; expected float32"),
    (
        0,
        np.zeros((4, 2), F32).T,
        "argument 0 has strides (4, 8); expected a row-major, contiguous array, such as "
        "np.ascontiguousarray makes",
    ),
    (0, read_only(), "argument 0 is read-only; expected a writable array, such as a copy"),
    (
        0,
        misaligned(),
        "argument 0 is misaligned by 1 of the 4 bytes of an element; expected an aligned array",
    ),
    (1, np.zeros(3, np.int64), "argument 1 has dtype int64; expected int32 or uint32"),
    (1, np.zeros(2, np.int32), "argument 1 has shape (2,); expected (3)"),
    (2, np.zeros(5, np.uint16), "argument 2 has dtype uint16; expected bfloat16"),
    (
        3,
        aligned(70)[1:],
        "argument 3 is misaligned by 1 of 64 bytes; expected an aligned array, since the argument "
        "has the attribute sparsecore.aligned",
    ),
]


@pytest.mark.parametrize(("number", "array", "message"), WRONG)
def test_an_array_that_does_not_fit_its_argument_is_an_error(
    program: Program, number: int, array: np.ndarray, message: str
) -> None:
    wrong = arrays()
    wrong[number] = array
    with pytest.raises(RunError) as caught:
        run(program, wrong)
    assert str(caught.value) == message


def test_an_array_that_shares_memory_with_a_noalias_argument_is_an_error(program: Program) -> None:
    wrong = arrays()
    wrong[1] = wrong[0].view(np.int32)[0, :3]
    with pytest.raises(RunError) as caught:
        run(program, wrong)
    assert str(caught.value) == (
        "argument 1 shares memory with argument 0; expected an array of its own, since the "
        "argument has the attribute sparsecore.noalias"
    )


def test_a_wrong_number_of_arrays_or_threads_is_an_error(program: Program) -> None:
    with pytest.raises(RunError, match=r"^found 3 arrays; expected 4, one for each argument$"):
        run(program, arrays()[:3])
    with pytest.raises(RunError, match=r"^threads is 0; expected 1 or more$"):
        run(program, arrays(), threads=0)
