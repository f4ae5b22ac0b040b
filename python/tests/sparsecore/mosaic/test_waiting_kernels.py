"""Kernels whose subcores wait for each other, compiled: signals, barriers, transfers to others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sdykit.sparsecore.codegen import compile_module, run, take_report
from sdykit.sparsecore.codegen.compiled import LOCKSTEP, SUBCORE
from sdykit.sparsecore.mosaic.buffers import Buffers, names_of
from sdykit.sparsecore.mosaic.kernel import read_kernel
from sdykit.sparsecore.mosaic.lowering import lower
from sdykit.sparsecore.mosaic.reference.run import run as run_reference
from sdykit.sparsecore.mosaic.reports import KernelError, decode
from support.mosaic.free_kernels import DMA, memref_type, module, spec

ORDERS = [LOCKSTEP, SUBCORE, 0, 77]
SEMAPHORE = "memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>"
HBM, ROW = memref_type((8, 16), "f32"), memref_type((1, 16), "f32")
VMEM = memref_type((1, 16), "f32", "vmem")


def run_together(
    text: str,
    arrays: list[np.ndarray],
    order: int,
    operands: int = 1,
    *,
    passes_device: bool = False,
) -> None:
    """Compile a kernel and run it in an order of subcores; raise what it reports."""
    kernel = read_kernel(text, "kernel")
    how = replace(spec(text, operands), passes_device=passes_device)
    program = compile_module(lower(kernel, how), cache=None)
    status, settings = np.zeros(8, np.int64), np.array([order, 0, 0, 0], np.int64)
    run(program, [*(each.reshape(-1) for each in arrays), settings, status])
    report = take_report(program.interface, status.tolist())
    if report:
        raise KernelError(decode(report), names_of(kernel, Buffers(kernel)))


# Each subcore sends its row to the next one of its core, which waits for it and stores it.
NEIGHBOURS = f"""
%none = arith.constant 0 : i32
%c1 = arith.constant 1 : i32
%c4 = arith.constant 4 : i32
%first = arith.muli %core, %c4 : i32
%row = arith.addi %first, %subcore : i32
%after = arith.addi %subcore, %c1 : i32
%next = arith.remui %after, %c4 : i32
%in = tpu.memref_slice %x[%row, %none] : {HBM} -> {ROW}
%out = tpu.memref_slice %y[%row, %none] : {HBM} -> {ROW}
tpu.enqueue_dma source(%in : {ROW}) target(%v : {VMEM}) source_semaphore(%r : {DMA}) target_semaphore(%s : {DMA}) core_id(%core) subcore_id(%next)
tpu.wait_dma2 semaphore(%r : {DMA}) src(%in : {ROW}) dst(%in : {ROW})
tpu.wait_dma2 semaphore(%s : {DMA}) src(%in : {ROW}) dst(%v : {VMEM})
tpu.enqueue_dma source(%v : {VMEM}) target(%out : {ROW}) target_semaphore(%s : {DMA})
tpu.wait_dma2 semaphore(%s : {DMA}) src(%v : {VMEM}) dst(%out : {ROW})
"""
ARRAYS = f"%x: {HBM}, %y: {HBM}, %v: {VMEM}, %s: {DMA}, %r: {DMA}"


@pytest.mark.parametrize("order", ORDERS)
def test_a_transfer_to_the_next_subcore(order: int):
    text = module(NEIGHBOURS, ARRAYS, bounds="2, 4", scratch=3)
    x = np.arange(128, dtype=np.float32).reshape(8, 16)
    y = np.zeros_like(x)
    run_together(text, [x, y], order)
    expected = np.concatenate([np.roll(x[:4], 1, axis=0), np.roll(x[4:], 1, axis=0)])
    np.testing.assert_array_equal(y, expected)


def test_the_device_of_a_transfer_may_be_the_own_one():
    by_device = NEIGHBOURS.replace("core_id(%core)", "device_id(%device) core_id(%core)")
    own = module(
        '%device = "tpu.device_id"() : () -> i32' + by_device, ARRAYS, bounds="2, 4", scratch=3
    )
    x = np.arange(128, dtype=np.float32).reshape(8, 16)
    y = np.zeros_like(x)
    run_together(own, [x, np.array([3], np.int32), y], LOCKSTEP, passes_device=True)
    np.testing.assert_array_equal(y[1:4], x[:3])
    # Ids by arithmetic are compared when the kernel runs.
    other = module(
        """%own = "tpu.device_id"() : () -> i32
%more = arith.constant 3 : i32
%device = arith.remui %own, %more : i32"""
        + by_device,
        ARRAYS,
        bounds="2, 4",
        scratch=3,
    )
    run_together(other, [x, np.array([2], np.int32), y], LOCKSTEP, passes_device=True)
    np.testing.assert_array_equal(y, np.roll(x.reshape(2, 4, 16), 1, axis=1).reshape(8, 16))
    with pytest.raises(KernelError) as caught:
        run_together(other, [x, np.array([3], np.int32), y], LOCKSTEP, passes_device=True)
    assert str(caught.value) == (
        "kernel 'kernel': vector subcore (0, 0) reaches device 0 at k.py:13: DMAs and signals to other "
        "devices cannot run on a CPU yet"
    )


def test_ids_that_name_no_subcore():
    text = module(
        NEIGHBOURS.replace("subcore_id(%next)", "subcore_id(%c4)"), ARRAYS, bounds="2, 4", scratch=3
    )
    arrays = [np.zeros((8, 16), np.float32) for _ in range(2)]
    with pytest.raises(KernelError) as caught:
        run_together(text, arrays, LOCKSTEP)
    assert str(caught.value) == (
        "kernel 'kernel': vector subcore (0, 0): no vector subcore (0, 4) at k.py:10: "
        "the kernel's mesh has 2 x 4"
    )


@pytest.mark.parametrize("order", ORDERS)
def test_counts_of_semaphores_go_in_and_out(order: int):
    several = SEMAPHORE.replace("<!tpu", "<3x!tpu", 1)
    one = SEMAPHORE.replace("<!tpu", "<1x!tpu", 1)
    body = f"""
%c0 = arith.constant 0 : i32
%c1 = arith.constant 1 : i32
%c2 = arith.constant 2 : i32
%of1 = tpu.memref_slice %a[%c1] : {several} -> {one}
%at1 = tpu.memref_squeeze %of1 : {one} -> {SEMAPHORE}
tpu.sem_wait %at1, %c2 : {SEMAPHORE}
%of2 = tpu.memref_slice %b[%c2] : {several} -> {one}
%at2 = tpu.memref_squeeze %of2 : {one} -> {SEMAPHORE}
%more = arith.addi %subcore, %c1 : i32
tpu.sem_signal %at2, %more : {SEMAPHORE}
%of0 = tpu.memref_slice %a[%c0] : {several} -> {one}
%at0 = tpu.memref_squeeze %of0 : {one} -> {SEMAPHORE}
%left = tpu.sem_read %at0 : {SEMAPHORE} -> i32
%to0 = tpu.memref_slice %b[%c0] : {several} -> {one}
%out0 = tpu.memref_squeeze %to0 : {one} -> {SEMAPHORE}
tpu.sem_signal %out0, %left : {SEMAPHORE}
"""
    text = module(body, f"%a: {several}, %b: {several}", bounds="1, 4")
    given, found = np.array([7, 2, 0], np.int32), np.full(3, 99, np.int32)
    run_together(text, [given, found], order)
    assert found.tolist() == [7, 0, 4]  # The largest count of all subcores.
    assert given.tolist() == [7, 2, 0]
    meant = np.full(3, 99, np.int32)
    run_reference(read_kernel(text, "kernel"), [given.copy(), meant], spec(text, 1))
    assert meant.tolist() == found.tolist()


@pytest.mark.parametrize("order", ORDERS)
def test_a_signal_that_is_not_waited_for_and_one_that_never_comes(order: int):
    body = f"""
%c3 = arith.constant 3 : i32
tpu.sem_signal %s, %c3 : {SEMAPHORE}
%c2 = arith.constant 2 : i32
tpu.sem_wait %s, %c2 : {SEMAPHORE}
"""
    arrays = f"%x: {HBM}, %s: {SEMAPHORE}"
    x = [np.zeros((8, 16), np.float32)]
    with pytest.raises(KernelError, match="is 1 at the end of the kernel: it was signalled more"):
        run_together(module(body, arrays, scratch=1), x, order)
    body = body.replace("%c3 = arith.constant 3", "%c3 = arith.constant 1")
    with pytest.raises(KernelError) as caught:
        run_together(module(body, arrays, scratch=1), x, order)
    assert str(caught.value) == (
        "kernel 'kernel': deadlock: no subcore can go on:\n"
        "  vector subcore (0, 0) waits for 2 on a semaphore that has 1, at k.py:4"
    )


@pytest.mark.parametrize("order", ORDERS)
def test_memory_of_a_core_and_a_barrier(order: int):
    shared = memref_type((4, 16), "f32", "vmem_shared")
    part = memref_type((1, 16), "f32", "vmem_shared")
    body = f"""
%none = arith.constant 0 : i32
%c0 = arith.constant 0 : index
%c3 = arith.constant 3 : i32
%c4 = arith.constant 4 : i32
%first = arith.muli %core, %c4 : i32
%row = arith.addi %first, %subcore : i32
%other = arith.subi %c3, %subcore : i32
%in = tpu.memref_slice %x[%row, %none] : {HBM} -> {ROW}
%out = tpu.memref_slice %y[%row, %none] : {HBM} -> {ROW}
%mine = tpu.memref_slice %m[%subcore, %none] : {shared} -> {part}
%its = tpu.memref_slice %m[%other, %none] : {shared} -> {part}
tpu.enqueue_dma source(%in : {ROW}) target(%mine : {part}) target_semaphore(%s : {DMA})
tpu.wait_dma2 semaphore(%s : {DMA}) src(%in : {ROW}) dst(%mine : {part})
tpu.barrier barrier_id(%c0)
tpu.enqueue_dma source(%its : {part}) target(%out : {ROW}) target_semaphore(%s : {DMA})
tpu.wait_dma2 semaphore(%s : {DMA}) src(%its : {part}) dst(%out : {ROW})
"""
    arrays = f"%x: {HBM}, %y: {HBM}, %m: {shared}, %s: {DMA}"
    x = np.random.default_rng(3).normal(size=(8, 16)).astype(np.float32)
    y = np.zeros_like(x)
    run_together(module(body, arrays, bounds="2, 4", scratch=2), [x, y], order)
    np.testing.assert_array_equal(y, np.concatenate([x[3::-1], x[:3:-1]]))


@pytest.mark.parametrize("order", ORDERS)
def test_memory_of_another_core(order: int):
    shared = memref_type((4, 16), "f32", "vmem_shared")
    part = memref_type((1, 16), "f32", "vmem_shared")
    body = f"""
%none = arith.constant 0 : i32
%c1 = arith.constant 1 : i32
%c4 = arith.constant 4 : i32
%first = arith.muli %core, %c4 : i32
%row = arith.addi %first, %subcore : i32
%other = arith.subi %c1, %core : i32
%in = tpu.memref_slice %x[%row, %none] : {HBM} -> {ROW}
%out = tpu.memref_slice %y[%row, %none] : {HBM} -> {ROW}
%its = tpu.memref_slice %m[%subcore, %none] : {shared} -> {part}
tpu.enqueue_dma source(%in : {ROW}) target(%its : {part}) source_semaphore(%r : {DMA}) target_semaphore(%s : {DMA}) core_id(%other) subcore_id(%subcore)
tpu.wait_dma2 semaphore(%r : {DMA}) src(%in : {ROW}) dst(%in : {ROW})
tpu.wait_dma2 semaphore(%s : {DMA}) src(%in : {ROW}) dst(%its : {part})
tpu.enqueue_dma source(%its : {part}) target(%out : {ROW}) target_semaphore(%s : {DMA})
tpu.wait_dma2 semaphore(%s : {DMA}) src(%its : {part}) dst(%out : {ROW})
"""
    arrays = f"%x: {HBM}, %y: {HBM}, %m: {shared}, %s: {DMA}, %r: {DMA}"
    x = np.random.default_rng(4).normal(size=(8, 16)).astype(np.float32)
    y = np.zeros_like(x)
    run_together(module(body, arrays, bounds="2, 4", scratch=3), [x, y], order)
    np.testing.assert_array_equal(y, np.concatenate([x[4:], x[:4]]))


@pytest.mark.parametrize("order", ORDERS)
def test_scratch_in_hbm_of_all_cores(order: int):
    # Each subcore leaves a row there, and sends one to the same subcore of the other core as a sign.
    body = f"""
%none = arith.constant 0 : i32
%c1 = arith.constant 1 : i32
%c4 = arith.constant 4 : i32
%first = arith.muli %core, %c4 : i32
%row = arith.addi %first, %subcore : i32
%other = arith.subi %c1, %core : i32
%others = arith.muli %other, %c4 : i32
%there = arith.addi %others, %subcore : i32
%in = tpu.memref_slice %x[%row, %none] : {HBM} -> {ROW}
%out = tpu.memref_slice %y[%row, %none] : {HBM} -> {ROW}
%mine = tpu.memref_slice %h[%row, %none] : {HBM} -> {ROW}
%its = tpu.memref_slice %h[%there, %none] : {HBM} -> {ROW}
tpu.enqueue_dma source(%in : {ROW}) target(%mine : {ROW}) target_semaphore(%r : {DMA})
tpu.wait_dma2 semaphore(%r : {DMA}) src(%in : {ROW}) dst(%mine : {ROW})
tpu.enqueue_dma source(%in : {ROW}) target(%v : {VMEM}) source_semaphore(%r : {DMA}) target_semaphore(%s : {DMA}) core_id(%other) subcore_id(%subcore)
tpu.wait_dma2 semaphore(%r : {DMA}) src(%in : {ROW}) dst(%in : {ROW})
tpu.wait_dma2 semaphore(%s : {DMA}) src(%in : {ROW}) dst(%v : {VMEM})
tpu.enqueue_dma source(%its : {ROW}) target(%out : {ROW}) target_semaphore(%s : {DMA})
tpu.wait_dma2 semaphore(%s : {DMA}) src(%its : {ROW}) dst(%out : {ROW})
"""
    arrays = f"%x: {HBM}, %y: {HBM}, %h: {HBM}, %v: {VMEM}, %s: {DMA}, %r: {DMA}"
    x = np.random.default_rng(5).normal(size=(8, 16)).astype(np.float32)
    y = np.zeros_like(x)
    run_together(module(body, arrays, bounds="2, 4", scratch=4), [x, y], order)
    np.testing.assert_array_equal(y, np.concatenate([x[4:], x[:4]]))


@pytest.mark.parametrize("order", ORDERS)
def test_tickets_of_the_first_subcore(order: int):
    smem, own = memref_type((1,), "i32", "smem"), memref_type((8, 16), "i32")
    row = memref_type((1, 16), "i32")
    vmem = memref_type((1, 16), "i32", "vmem")
    body = f"""
%none = arith.constant 0 : i32
%c1 = arith.constant 1 : i32
%c0 = arith.constant 0 : index
memref.store %none, %t[%c0] : {smem}
tpu.barrier barrier_id(%c0)
%ticket = "tpu.fetch_and_add_sync"(%t, %none, %c1, %none) : ({smem}, i32, i32, i32) -> i32
%all = vector.broadcast %subcore : i32 to vector<1x16xi32>
tpu.vector_store %v[%c0, %c0], %all {{strides = array<i32>}} : {vmem}, vector<1x16xi32>,
%out = tpu.memref_slice %y[%ticket, %none] : {own} -> {row}
tpu.enqueue_dma source(%v : {vmem}) target(%out : {row}) target_semaphore(%s : {DMA})
tpu.wait_dma2 semaphore(%s : {DMA}) src(%v : {vmem}) dst(%out : {row})
"""
    arrays = f"%y: {own}, %t: {smem}, %v: {vmem}, %s: {DMA}"
    y = np.full((8, 16), -1, np.int32)
    run_together(module(body, arrays, bounds="1, 8", scratch=3), [y], order, operands=0)
    assert sorted(y[:, 0]) == list(range(8))
    assert (y == y[:, :1]).all()
