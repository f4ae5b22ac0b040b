"""`sc_dma` and `sc_indirect`, compared with numpy's own indexing."""

from __future__ import annotations

import os
import sys
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest

from sdykit.sparsecore.codegen import Program, compile_module, run, take_report
from sdykit.sparsecore.codegen.runtime_functions import (
    INDIRECT_NUMBERS,
    TRANSFER_NUMBERS,
)
from support.bridge.ffi_programs import run_python
from support.machine.programs import agents, call, run_agents

Array = npt.NDArray[Any]
COPY, ADD_INTEGER, ADD_FLOAT, ADD_BFLOAT16 = range(4)
NONE = -1


@cache
def program(function: str, count: int) -> Program:
    """A program whose only agent passes numbers to a function, then waits for what it signals."""
    memrefs = {"sc_dma": 2, "sc_indirect": 3}[function]
    types = ", ".join(["memref<?xi8>"] * memrefs + ["i64"] * count)
    loads = "\n".join(
        f"""
        %at{k} = arith.constant {k} : index
        %number{k} = memref.load %numbers[%at{k}] : memref<?xi64>"""
        for k in range(count)
    )
    names = ["%source", "%target", "%offsets"][:memrefs] + [f"%number{k}" for k in range(count)]
    body = f"""
    {loads}
    func.call @transfer({", ".join(names)}) : ({types}) -> ()
    {call("sc_wait", "k0", "number3", "k1", "k5")}
    """
    return compile_module(
        agents(
            body,
            [0],
            places=[NONE],
            declarations=f"func.func private @transfer({types})"
            f' attributes {{sparsecore.runtime = "{function}"}}',
            arguments="%numbers: memref<?xi64>, %source: memref<?xi8>, %target: memref<?xi8>, "
            "%offsets: memref<?xi8>",
        ),
        cache=None,
    )


def transfer(
    function: str, numbers: list[int], source: Array, target: Array, offsets: Array
) -> list[int]:
    """Run a transfer between arrays of bytes and return the report."""
    compiled = program(function, len(numbers))
    status = np.zeros(8, np.int64)
    settings = np.array([-2, 0, 0, 0])
    run(compiled, [status, settings, np.array(numbers, np.int64), source, target, offsets])
    return take_report(compiled.interface, status)


def dma(
    source: tuple[Array, Array],
    target: tuple[Array, Array],
    operation: int = COPY,
    widths: tuple[int, int] | None = None,
) -> list[int]:
    """Start a transfer between views, each with the array of bytes that it is a view of."""
    (from_bytes, from_view), (to_bytes, to_view) = source, target
    bits, stored = widths or (8 * from_view.itemsize, 8 * to_view.itemsize)
    numbers = [
        *common(operation, bits, stored, 8 * offset_in(from_bytes, from_view)),
        8 * offset_in(to_bytes, to_view),
        *from_view.shape,
        *(8 * stride for stride in from_view.strides),
        *(8 * stride for stride in to_view.strides),
    ]
    return transfer("sc_dma", numbers, from_bytes, to_bytes, np.zeros(1, np.int8))


def common(operation: int, bits: int, stored: int, source_offset: int) -> list[int]:
    """Return the first numbers of both functions: the semaphore gets 7."""
    return [5, 0, NONE, 7, NONE, 0, NONE, operation, bits, stored, source_offset]


def offset_in(base: Array, view: Array) -> int:
    """Return how many bytes after the start of an array a view begins."""
    return view.ctypes.data - base.ctypes.data


def random_bytes(random: np.random.Generator, size: int) -> npt.NDArray[np.int8]:
    return random.integers(-128, 128, size).astype(np.int8)


def random_view(
    random: np.random.Generator, shape: tuple[int, ...], dtype: npt.DTypeLike
) -> tuple[Array, Array]:
    """Return an array of bytes, and a view of some of it, of a shape."""
    steps = random.integers(1, 3, len(shape))
    whole = [size * step + random.integers(0, 3) for size, step in zip(shape, steps, strict=True)]
    order = random.permutation(len(shape))
    size = int(np.prod(whole, dtype=int)) * np.dtype(dtype).itemsize
    memory = random_bytes(random, size + 64)
    view = memory[: size or None].view(dtype)[: int(np.prod(whole, dtype=int))]
    view = view.reshape([whole[k] for k in order]).transpose(np.argsort(order))
    for k, (length, step) in enumerate(zip(shape, steps, strict=True)):
        start = whole[k] - (length - 1) * step - 1 if length else 0
        view = view[
            (..., slice(start, start + length * step, step), *(slice(None),) * (len(shape) - k - 1))
        ]
    return memory, view[(..., *(slice(length) for length in shape))]


def test_the_numbers_of_both_functions_are_the_same_at_first() -> None:
    assert len(TRANSFER_NUMBERS) == len(common(0, 8, 8, 0)) + 1
    assert INDIRECT_NUMBERS[: len(TRANSFER_NUMBERS)] == TRANSFER_NUMBERS


@pytest.mark.parametrize("rank", range(5))
@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8"])
def test_a_copy_is_numpys(dtype: str, rank: int) -> None:
    random = np.random.default_rng(rank)
    for _ in range(20):
        shape = tuple(random.integers(0 if random.random() < 0.1 else 1, 6, rank).tolist())
        source = random_view(random, shape, dtype)
        target = random_view(random, shape, dtype)
        expected = target[0].copy()
        where = offset_in(*target)
        np.ndarray(shape, dtype, expected.data, where, target[1].strides)[...] = source[1]
        assert dma(source, target) == []
        np.testing.assert_array_equal(target[0], expected)


@pytest.mark.parametrize(
    ("dtype", "operation"),
    [
        *((dtype, ADD_INTEGER) for dtype in (np.int8, np.int16, np.int32, np.int64)),
        *((dtype, ADD_FLOAT) for dtype in (np.float32, np.float64)),
        (ml_dtypes.bfloat16, ADD_BFLOAT16),
    ],
)
def test_an_addition_is_numpys(dtype: npt.DTypeLike, operation: int) -> None:
    random = np.random.default_rng(7)
    for shape in [(), (5,), (3, 4), (2, 3, 4)]:
        source, target = (random_view(random, shape, dtype) for _ in range(2))
        for _, view in (source, target):
            view[...] = random.normal(0, 60, shape).astype(dtype)
        expected = target[1] + source[1]
        assert dma(source, target, operation) == []
        np.testing.assert_array_equal(target[1], expected)


def test_not_a_number_stays_one_when_bfloat16_is_added() -> None:
    source = np.full(2, 0x7F, np.int8).view(ml_dtypes.bfloat16)  # 0x7f7f: the largest finite one
    target = np.array([0xFFFF], np.uint16).view(ml_dtypes.bfloat16)
    assert dma((source.view(np.int8), source), (target.view(np.int8), target), ADD_BFLOAT16) == []
    assert np.isnan(target.astype(np.float32)).all()


@pytest.mark.parametrize("shift", [-3, -1, 1, 2])
def test_what_is_read_and_written_is_read_first(shift: int) -> None:
    memory = random_bytes(np.random.default_rng(1), 40)
    view = memory.view(np.int16)
    source, target = view[4:16:2], view[4 + shift : 16 + shift : 2]
    expected = view.copy()
    expected[4 + shift : 16 + shift : 2] = source.copy()
    assert dma((memory, source), (memory, target)) == []
    np.testing.assert_array_equal(view, expected)


def test_nibbles_in_bytes_become_parts_of_words_and_back() -> None:
    """Rows of int4 as words: 6.4 of what a kernel's bitcast means."""
    random = np.random.default_rng(2)
    rows, columns = 3, 5
    nibbles = random.integers(-8, 8, (8 * rows, columns)).astype(np.int8)
    words = random.integers(0, 1 << 32, (rows, columns), dtype=np.uint32).view(np.int32)
    sizes = [rows, columns, 8]
    of_nibbles = [8 * columns * 8, 8, columns * 8]
    of_words = [columns * 32, 32, 4]
    numbers = [*common(COPY, 4, 4, 0), 0, *sizes, *of_nibbles, *of_words]
    assert (
        transfer("sc_dma", numbers, nibbles.ravel(), words.view(np.int8).ravel(), nibbles[0]) == []
    )
    parts = nibbles.reshape(rows, 8, columns).astype(np.int64) & 0xF
    expected = sum(parts[:, k] << (4 * k) for k in range(8))
    np.testing.assert_array_equal(words.view(np.uint32), expected)
    back = random_bytes(random, nibbles.size)
    numbers = [*common(COPY, 4, 8, 0), 0, *sizes, *of_words, *of_nibbles]
    assert transfer("sc_dma", numbers, words.view(np.int8).ravel(), back, nibbles[0]) == []
    np.testing.assert_array_equal(back.reshape(nibbles.shape), nibbles)


@pytest.mark.parametrize(
    ("operation", "bits", "stored"),
    [(COPY, 12, 12), (COPY, 16, 8), (ADD_FLOAT, 16, 16), (ADD_INTEGER, 4, 4), (9, 8, 8)],
)
def test_widths_that_no_transfer_has_are_reported(operation: int, bits: int, stored: int) -> None:
    view = np.zeros(4, np.int16)
    report = dma((view.view(np.int8), view), (view.view(np.int8), view), operation, (bits, stored))
    assert report == [0, 0, 5, operation, bits]


# --- indirect ----------------------------------------------------------------


def indirect(
    source: Array,
    target: Array,
    offsets: npt.NDArray[np.int32],
    *,
    is_scatter: bool,
    stride: int = 1,
    left_out: int | None = None,
    operation: int = COPY,
) -> list[int]:
    """Start an indirect transfer of rows of matrices; every `stride`-th offset counts."""
    bits, columns = 8 * source.itemsize, source.shape[1]
    indexed = target if is_scatter else source
    numbers = [
        *common(operation, bits, bits, 0),
        *(0, -(-len(offsets) // stride), len(indexed), 0, stride, int(is_scatter)),
        *(int(left_out is not None), left_out or 0, bits * columns, bits * columns),
        *(1, 0, 1, 0, columns, bits, bits),
    ]
    flat = [array.view(np.int8).ravel() for array in (source, target)]
    return transfer("sc_indirect", numbers, flat[0], flat[1], offsets.view(np.int8))


@pytest.mark.parametrize("stride", [1, 3])
def test_a_gather_is_numpys(stride: int) -> None:
    random = np.random.default_rng(3)
    table = random.normal(size=(50, 7)).astype(np.float32)
    offsets = random.integers(0, 50, 90).astype(np.int32)
    used = offsets[::stride]
    target = np.zeros((len(used), 7), np.float32)
    assert indirect(table, target, offsets, is_scatter=False, stride=stride) == []
    np.testing.assert_array_equal(target, table[used])


def test_of_equal_offsets_of_a_scatter_the_last_stays() -> None:
    random = np.random.default_rng(4)
    rows = random.normal(size=(90, 3)).astype(np.float32)
    offsets = random.integers(0, 20, 90).astype(np.int32)
    target = np.zeros((20, 3), np.float32)
    expected = target.copy()
    for offset, row in zip(offsets, rows, strict=True):
        expected[offset] = row
    assert indirect(rows, target, offsets, is_scatter=True) == []
    np.testing.assert_array_equal(target, expected)


def test_a_scatter_adds_in_the_order_of_offsets() -> None:
    random = np.random.default_rng(5)
    rows = random.normal(size=(200, 3)).astype(np.float32)
    offsets = random.integers(0, 10, 200).astype(np.int32)
    target = random.normal(size=(10, 3)).astype(np.float32)
    expected = target.copy()
    np.add.at(expected, offsets, rows)  # One after another, too.
    assert indirect(rows, target, offsets, is_scatter=True, operation=ADD_FLOAT) == []
    np.testing.assert_array_equal(target, expected)


@pytest.mark.parametrize("is_scatter", [False, True])
def test_offsets_that_are_filtered_move_nothing(is_scatter: bool) -> None:
    random = np.random.default_rng(6)
    rows, other = (random.normal(size=(12, 2)).astype(np.float32) for _ in range(2))
    offsets = np.array([3, -1, 0, -1, 7, 11, -1, 2, 1, 4, 5, 6], np.int32)
    expected, kept = other.copy(), offsets != -1
    if is_scatter:
        expected[offsets[kept]] = rows[kept]
    else:
        expected[kept] = rows[offsets[kept]]
    assert indirect(rows, other, offsets, is_scatter=is_scatter, left_out=-1) == []
    np.testing.assert_array_equal(other, expected)


@pytest.mark.parametrize("is_scatter", [False, True])
@pytest.mark.parametrize("bad", [-1, 12, 1 << 30])
def test_an_offset_out_of_bounds_is_reported_and_nothing_is_moved(
    bad: int, is_scatter: bool
) -> None:
    rows, other = np.ones((12, 2), np.float32), np.zeros((12, 2), np.float32)
    offsets = np.arange(12, dtype=np.int32)
    offsets[[4, 9]] = bad
    report = indirect(rows, other, offsets, is_scatter=is_scatter)
    # OffsetOutOfBounds: agent, place, offset, position, size.
    assert report == [3, 0, 5, bad, 4, 12]
    assert not other.any()


def test_the_first_transfer_that_was_not_waited_for_is_reported() -> None:
    types = ", ".join(["memref<8xi8>"] * 2 + ["i64"] * (len(TRANSFER_NUMBERS) + 3))

    def start(place: str) -> str:
        numbers = f"%{place}, %k0, %minus, %k8, %minus, %k0, %minus, %k0, %k8, %k8, %k0, %k0"
        return f"func.call @start(%own, %own, {numbers}, %k8, %k8, %k8) : ({types}) -> ()"

    body = f"""
    %own = memref.alloc() : memref<8xi8>
    {start("k3")}
    {start("k4")}
    {start("k6")}
    {call("sc_wait", "k0", "k9", "k1", "k5")}
    """
    text = agents(
        body,
        [0],
        places=[2],
        declarations=f'func.func private @start({types}) attributes {{sparsecore.runtime = "sc_dma"}}',
    )
    # SemaphoreNotZero: 9 of 24 bytes were waited for, so that the second transfer is under way.
    assert run_agents(text, 1).report == [5, 0, 2, 0, 15, 4, -1, 5 << 48]


FULL = """
import resource
import numpy as np
from sdykit.sparsecore.codegen import compile_module, run, take_report
program = compile_module({text!r}, cache=None)
arrays = [np.zeros(8, np.int64), np.array([-2, 0, 0, 0]), np.zeros(1, np.int64)]
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
limit = resource.getrlimit(resource.RLIMIT_AS)
resource.setrlimit(resource.RLIMIT_AS, (used + (32 << 20), limit[1]))
run(program, arrays)
resource.setrlimit(resource.RLIMIT_AS, limit)
print(take_report(program.interface, arrays[0]))
"""


@pytest.mark.skipif(
    sys.platform != "linux" or "san.so" in os.environ.get("LD_PRELOAD", ""),
    reason="needs limits of Linux, and a sanitizer needs memory without one",
)
def test_without_memory_for_transfers_there_is_an_error() -> None:
    types = ", ".join(["memref<8xi8>"] * 2 + ["i64"] * (len(TRANSFER_NUMBERS) + 3))
    numbers = "%k3, %k0, %minus, %k8, %minus, %k0, %minus, %k0, %k8, %k8, %k0, %k0, %k8, %k8, %k8"
    body = f"""
    %own = memref.alloc() : memref<8xi8>
    %many = arith.constant 100000000 : index
    scf.for %t = %c0 to %many step %c1 {{
      func.call @start(%own, %own, {numbers}) : ({types}) -> ()
    }}
    """
    declared = f'func.func private @start({types}) attributes {{sparsecore.runtime = "sc_dma"}}'
    text = agents(body, [0, 0], places=[2], declarations=declared)
    # NoMemory: the agent, the line that starts the transfer, and not for want of stacks.
    assert run_python(FULL.format(text=text)) == "[15, 0, 3, 0]\n"
