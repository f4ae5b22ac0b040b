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


def test_what_fits(program: Program) -> None:
    run(program, arrays())
    unsigned = arrays()
    unsigned[1] = np.zeros(3, np.uint32)
    run(program, unsigned, threads=4)


def read_only() -> np.ndarray:
    array = np.zeros((2, 4), F32)
    array.flags.writeable = False
    return array


WRONG = [
    (0, np.zeros((2, 5), F32), "argument 0 is of shape (2, 5); expected (?, 4)"),
    (0, np.zeros(4, F32), "argument 0 is of shape (4,); expected (?, 4)"),
    (0, np.zeros((2, 4)), "argument 0 is of dtype float64; expected float32"),
    (0, np.zeros((2, 4), ">f4"), "argument 0 is of dtype >f4; expected float32"),
    (0, np.zeros((4, 2), F32).T, "argument 0 is not row-major and contiguous"),
    (0, read_only(), "argument 0 is read-only"),
    (
        0,
        np.frombuffer(bytearray(33), np.uint8)[1:].view(F32).reshape(2, 4),
        "argument 0 is not aligned to its elements",
    ),
    (1, np.zeros(3, np.int64), "argument 1 is of dtype int64; expected int32 or uint32"),
    (1, np.zeros(2, np.int32), "argument 1 is of shape (2,); expected (3)"),
    (2, np.zeros(5, np.uint16), "argument 2 is of dtype uint16; expected bfloat16"),
    (3, aligned(70)[1:], "argument 3 is not aligned to 64 bytes"),
]


@pytest.mark.parametrize(("number", "array", "message"), WRONG)
def test_one_wrong_array(program: Program, number: int, array: np.ndarray, message: str) -> None:
    given = arrays()
    given[number] = array
    with pytest.raises(RunError) as caught:
        run(program, given)
    assert str(caught.value) == message


def test_shared_memory(program: Program) -> None:
    given = arrays()
    given[1] = given[0].view(np.int32)[0, :3]
    with pytest.raises(RunError) as caught:
        run(program, given)
    assert str(caught.value) == (
        "argument 1 shares memory with argument 0; the program takes it to be apart"
    )


def test_numbers(program: Program) -> None:
    with pytest.raises(RunError, match=r"^3 arrays given; the program has 4 arguments$"):
        run(program, arrays()[:3])
    with pytest.raises(RunError, match=r"^threads is 0; expected 1 or more$"):
        run(program, arrays(), threads=0)
