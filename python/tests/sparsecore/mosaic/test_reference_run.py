"""Runs of the reference machine: messages, errors of what it cannot do, orders of subcores."""

import dataclasses
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.mosaic.kernel import read_kernel
from sdykit.sparsecore.mosaic.reference.run import run
from sdykit.sparsecore.mosaic.reference.scheduler import splitmix
from support.mosaic.free_kernels import DMA, memref_type, module, spec

F32 = memref_type((4, 8), "f32")
VMEM = memref_type((4, 8), "f32", "vmem")
ONE = "memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>"


def run_text(
    text: str, arrays: Sequence[npt.NDArray[Any]] = (), operands: int = 0, **settings: Any
) -> None:
    """Run a kernel on arrays, in place."""
    chosen = dataclasses.replace(spec(text, operands), **settings)
    run(read_kernel(text, "k"), arrays, chosen)


def test_messages_are_lines_in_the_order_of_the_subcores(capfd: pytest.CaptureFixture[str]):
    smem = memref_type((2,), "i32", "smem")
    body = f"""
      %c = arith.constant dense<[1, 2]> : vector<2xi32>
      "tpu.log"(%subcore) <{{tag = "number"}}> : (i32) -> ()
      "tpu.log"(%c) <{{tag = "vector"}}> : (vector<2xi32>) -> ()
      "tpu.log"() <{{tag = "none"}}> : () -> ()
      "tpu.log_buffer"(%s) <{{shape = array<i64: 2>, tag = "memory"}}> : ({smem}) -> ()
    """
    run_text(module(body, f"%s: {smem}", bounds="1, 2", scratch=1))
    poison = 0x7F7F7F7F
    expected: list[str] = []
    for subcore in range(2):
        who = f"vector subcore (0, {subcore})"
        expected += [
            f"{who}: number: i32 {subcore}",
            f"{who}: vector: vector<2xi32> [1, 2]",
            f"{who}: none",
            f"{who}: memory: 2xi32 [{poison}, {poison}]",
        ]
    assert capfd.readouterr().err.splitlines() == expected


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            f"""%0 = tpu.memref_bitcast %v : {VMEM} -> {memref_type((8, 8), "bf16", "vmem")}
            %c1 = arith.constant 1 : i32
            %c0 = arith.constant 0 : i32
            %1 = tpu.memref_slice %0[%c1, %c0] : {memref_type((8, 8), "bf16", "vmem")} -> """
            + memref_type((2, 8), "bf16", "vmem"),
            "kernel 'k': vector subcore (0, 0): rows 1 to 2 after a bitcast at k.py:4: they neither "
            "begin and end at multiples of 2, nor lie between two of them",
        ),
        (
            f"""%c9 = arith.constant 9 : i32
            tpu.sem_signal %s, %c9 device_id %c9 : {ONE}""",
            "kernel 'k': vector subcore (0, 0) reaches device 9 at k.py:2: DMAs and signals to other "
            "devices cannot run on a CPU yet",
        ),
        (
            """%c = arith.constant 1.0 : f32
            %0 = "tpu.weird"(%c) : (f32) -> i1""",
            "k.py:2: 'tpu.weird' cannot run on a SparseCore",
        ),
        (
            f"%0 = tpu.reinterpret_cast %v : {VMEM} -> {memref_type((8, 4), 'f32', 'vmem')}",
            f"k.py:1: 'tpu.reinterpret_cast' from {VMEM} to {memref_type((8, 4), 'f32', 'vmem')} "
            "cannot run on a SparseCore; expected the same elements and sizes",
        ),
    ],
    ids=["layout", "device", "unknown", "resized"],
)
def test_what_cannot_run(body: str, message: str):
    text = module(body, f"%x: {F32}, %v: {VMEM}, %s: {ONE}", scratch=2)
    with pytest.raises(SparseCoreError) as error:
        run_text(text, [np.zeros((4, 8), np.float32)], operands=1)
    assert str(error.value) == message


@pytest.mark.parametrize("op", ["reinterpret_cast", "assume_layout", "erase_memref_layout"])
def test_a_memref_with_another_layout_is_the_same(op: str):
    body = f"""
      %d = tpu.sem_alloc : {DMA}
      %0 = tpu.{op} %x : {F32} -> {F32}
      tpu.enqueue_dma source(%0 : {F32}) target(%y : {F32}) target_semaphore(%d : {DMA})
      tpu.wait_dma2 semaphore(%d : {DMA}) src(%0 : {F32}) dst(%y : {F32})
    """
    x, y = np.arange(32, dtype=np.float32).reshape(4, 8), np.zeros((4, 8), np.float32)
    run_text(module(body, f"%x: {F32}, %y: {F32}"), [x, y], operands=1)
    np.testing.assert_array_equal(y, x)


def test_memory_of_subcores_that_run_nothing():
    semaphore = "memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem, sc_scalar_subcore>>"
    with pytest.raises(SparseCoreError) as error:
        run_text(module("", f"%s: {semaphore}", scratch=1))
    assert str(error.value) == (
        "kernel 'k': vector subcore (0, 0) uses memory of a scalar subcore, and the kernel has no "
        "function for these"
    )


def test_too_few_arrays():
    with pytest.raises(SparseCoreError, match="kernel 'k': found 0 arrays; expected 1"):
        run_text(module("", f"%x: {F32}"))


def test_reads_out_of_bounds_can_be_what_was_never_written():
    """The last rows of a block are beyond the memref; stores are checked all the same."""
    block = memref_type((4, 8), "f32", "vmem")
    body = f"""
      %d = tpu.sem_alloc : {DMA}
      tpu.enqueue_dma source(%x : {F32}) target(%v : {block}) target_semaphore(%d : {DMA})
      tpu.wait_dma2 semaphore(%d : {DMA}) src(%x : {F32}) dst(%v : {block})
      %c0 = arith.constant 0 : index
      %c2 = arith.constant 2 : index
      %1 = "tpu.vector_load"(%v, %c2, %c0) <{{operandSegmentSizes = array<i32: 1, 2, 0>, \
strides = array<i32>}}> : ({block}, index, index) -> vector<4x8xf32>
      "tpu.vector_store"(%1, %v, %c0, %c0) <{{operandSegmentSizes = array<i32: 1, 1, 2, 0>, \
strides = array<i32>, add = false}}> : (vector<4x8xf32>, {block}, index, index) -> ()
      tpu.enqueue_dma source(%v : {block}) target(%y : {F32}) target_semaphore(%d : {DMA})
      tpu.wait_dma2 semaphore(%d : {DMA}) src(%v : {block}) dst(%y : {F32})
    """
    text = module(body, f"%x: {F32}, %y: {F32}, %v: {block}", scratch=1)
    x, y = np.arange(32, dtype=np.float32).reshape(4, 8), np.zeros((4, 8), np.float32)
    run_text(text, [x, y], operands=1, out_of_bounds="uninitialized")
    np.testing.assert_array_equal(y[:2], x[2:])
    assert np.isnan(y[2:]).all()
    with pytest.raises(SparseCoreError, match=r"load out of bounds at k\.py:6: rows 2 to 6"):
        run_text(text, [x, y], operands=1)


def log_turns(order: Any, count: int) -> None:
    """Log the numbers of subcores three times each; in between they wait for nothing."""
    wait = f"tpu.sem_wait %s, %c0 : {ONE}"
    log = '"tpu.log"(%subcore) <{tag = ""}> : (i32) -> ()'
    body = "\n".join(["%c0 = arith.constant 0 : i32", *[log, wait] * 2, log])
    text = module(body, f"%s: {ONE}", bounds=f"1, {count}", scratch=1)
    run_text(text, order=order)


@pytest.mark.parametrize(
    ("order", "expected"),
    [("lockstep", [0, 1, 2] * 3), ("subcore", [0, 0, 0, 1, 1, 1, 2, 2, 2])],
)
def test_orders(order: str, expected: list[int], capfd: pytest.CaptureFixture[str]):
    log_turns(order, 3)
    lines = capfd.readouterr().err.splitlines()
    assert [int(line.split()[-1]) for line in lines] == expected


def test_a_seed_draws_from_those_that_can_run(capfd: pytest.CaptureFixture[str]):
    log_turns(7, 3)
    lines = [int(line.split()[-1]) for line in capfd.readouterr().err.splitlines()]
    left, expected = {0: 3, 1: 3, 2: 3}, list[int]()
    numbers = splitmix(7)
    while left:
        ready = sorted(left)
        chosen = ready[next(numbers) % len(ready)]
        expected.append(chosen)
        left[chosen] -= 1
        if not left[chosen]:
            del left[chosen]
    assert lines == expected


def test_splitmix():
    """The first numbers of the published generator, seed 1234567."""
    assert list(itertools.islice(splitmix(1234567), 3)) == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
    ]


def nested(depth: int) -> str:
    """Return loops in loops, around an op."""
    if not depth:
        return '"tpu.log"(%subcore) <{tag = ""}> : (i32) -> ()\n'
    return f"scf.for %i{depth} = %c0 to %c1 step %c1 {{\n{nested(depth - 1)}}}\n"


def test_loops_that_are_nested_too_deeply(capfd: pytest.CaptureFixture[str]):
    constants = "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n"
    run_text(module(constants + nested(18), f"%s: {ONE}", scratch=1))
    assert capfd.readouterr().err == "vector subcore (0, 0): : i32 0\n"
    with pytest.raises(SparseCoreError) as error:
        run_text(module(constants + nested(30), f"%s: {ONE}", scratch=1))
    assert str(error.value).startswith(
        "kernel 'k': function 'kernel' is nested too deeply for the reference machine: "
    )
