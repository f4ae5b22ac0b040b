"""Free kernels, compiled: transfers, loads and stores."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from sdykit.sparsecore.codegen import run
from sdykit.sparsecore.mosaic.compile import CompiledKernel, compile_mosaic
from sdykit.sparsecore.mosaic.lowering import NotLowered
from sdykit.sparsecore.mosaic.reports import KernelError
from support.mosaic.free_kernels import (
    DMA,
    copying,
    gathering,
    memref_type,
    module,
    run_compiled,
    spec,
    tile_program,
)

RNG = np.random.default_rng(5)


def test_each_subcore_doubles_its_row():
    hbm, row = memref_type((8, 16), "f32"), memref_type((1, 16), "f32")
    vmem = memref_type((1, 16), "f32", "vmem")
    body = f"""
%c4 = arith.constant 4 : i32
%zero = arith.constant 0 : index
%none = arith.constant 0 : i32
%two = arith.constant dense<2.0> : vector<1x16xf32>
%first = arith.muli %core, %c4 : i32
%row = arith.addi %first, %subcore : i32
%in = tpu.memref_slice %x[%row, %none] : {hbm} -> {row}
%out = tpu.memref_slice %y[%row, %none] : {hbm} -> {row}
{copying("%in", "%v", row, vmem).replace("%sem", "%a")}
%loaded = tpu.vector_load %v[%zero, %zero] {{strides = array<i32>}} : {vmem}, vector<1x16xf32>,
%doubled = arith.mulf %loaded, %two : vector<1x16xf32>
tpu.vector_store %v[%zero, %zero], %doubled {{strides = array<i32>}} : {vmem}, vector<1x16xf32>,
{copying("%v", "%out", vmem, row).replace("%sem", "%b")}
"""
    text = module(body, f"%x: {hbm}, %y: {hbm}, %v: {vmem}", bounds="2, 4", scratch=1)
    x = RNG.normal(size=(8, 16)).astype(np.float32)
    for threads in (1, 3):
        y = np.zeros_like(x)
        run_compiled(text, [x], [y], threads=threads)
        np.testing.assert_array_equal(y, 2 * x)


@pytest.mark.parametrize("element", ["f32", "i32", "bf16", "i16", "i8", "i4"])
@pytest.mark.parametrize("shape", [(1,), (7,), (300,), (3, 5), (2, 3, 130), (4, 1, 2, 9)])
def test_copies_of_slices(element: str, shape: tuple[int, ...]):
    dtype = {"f32": np.float32, "bf16": ml_dtypes.bfloat16, "i4": ml_dtypes.int4}.get(
        element, np.dtype(f"int{element[1:]}" if element[0] == "i" else "f4")
    )
    whole = tuple(2 * size + 1 for size in shape)
    x = RNG.integers(-8, 8, whole).astype(dtype)
    y = RNG.integers(-8, 8, whole).astype(dtype)
    starts = [int(RNG.integers(0, size + 2)) for size in shape]
    targets = [int(RNG.integers(0, size + 2)) for size in shape]
    hbm, part = memref_type(whole, element), memref_type(shape, element)
    numbers = sorted({*starts, *targets})
    constants = "\n".join(f"%c{number} = arith.constant {number} : i32" for number in numbers)
    at, to = (", ".join(f"%c{number}" for number in each) for each in (starts, targets))
    body = f"""
{constants}
%in = tpu.memref_slice %x[{at}] : {hbm} -> {part}
%out = tpu.memref_slice %y[{to}] : {hbm} -> {part}
{copying("%in", "%out", part, part)}
"""
    expected = y.copy()
    read = tuple(slice(s, s + n) for s, n in zip(starts, shape, strict=True))
    written = tuple(slice(s, s + n) for s, n in zip(targets, shape, strict=True))
    expected[written] = x[read]
    run_compiled(module(body, f"%x: {hbm}, %y: {hbm}"), [x], [y])
    np.testing.assert_array_equal(y, expected)


def test_blocks_of_several_rows_are_loaded_and_stored():
    hbm, vmem = memref_type((4, 32), "f32"), memref_type((4, 32), "f32", "vmem")
    body = f"""
%one = arith.constant 1 : index
%eight = arith.constant 8 : index
%zero = arith.constant 0 : index
{copying("%x", "%v", hbm, vmem).replace("%sem", "%a")}
%part = tpu.vector_load %v[%one, %eight] {{strides = array<i32>}} : {vmem}, vector<2x8xf32>,
%all = tpu.vector_load %v[%zero, %zero] {{strides = array<i32>}} : {vmem}, vector<4x32xf32>,
%twice = arith.addf %all, %all : vector<4x32xf32>
tpu.vector_store %v[%zero, %zero], %twice {{strides = array<i32>}} : {vmem}, vector<4x32xf32>,
tpu.vector_store %v[%zero, %eight], %part {{add = true, strides = array<i32>}} : {vmem}, vector<2x8xf32>,
{copying("%v", "%y", vmem, hbm).replace("%sem", "%b")}
"""
    x, y = RNG.normal(size=(4, 32)).astype(np.float32), np.zeros((4, 32), np.float32)
    run_compiled(module(body, f"%x: {hbm}, %y: {hbm}, %v: {vmem}", scratch=1), [x], [y])
    expected = 2 * x
    expected[0:2, 8:16] += x[1:3, 8:16]
    np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize("count", [1, 12, 40])
def test_gather(count: int):
    x = RNG.normal(size=(20, 40)).astype(np.float32)
    ids = RNG.integers(0, 20, count).astype(np.int32)
    y = np.zeros((count, 40), np.float32)
    run_compiled(gathering(count=count), [x, ids], [y])
    np.testing.assert_array_equal(y, x[ids])


def test_scatter_leaves_out_filtered_offsets_and_the_last_row_stays():
    x = RNG.normal(size=(12, 40)).astype(np.float32)
    ids = np.array([3, -1, 7, 3, 0, -1, 19, 3, 5, 7, 1, 2], np.int32)
    y = RNG.normal(size=(20, 40)).astype(np.float32)
    expected = y.copy()
    for row, at in enumerate(ids):
        if at != -1:
            expected[at] = x[row]
    run_compiled(gathering(filtered=True, scatters=True), [x, ids], [y])
    np.testing.assert_array_equal(y, expected)


def test_an_input_may_be_written_if_a_result_is_in_its_buffer():
    hbm = memref_type((16,), "f32")
    text = module(copying("%z", "%y", hbm, hbm), f"%x: {hbm}, %z: {hbm}, %y: {hbm}")
    x, z = np.ones(16, np.float32), np.full(16, 3, np.float32)
    run_compiled(text, [x, z], [], aliases=[(0, 0)])
    np.testing.assert_array_equal(x, z)


def test_semaphores_of_a_ring_that_is_used_in_a_loop():
    hbm, row = memref_type((10, 16), "f32"), memref_type((1, 16), "f32")
    ring = "memref<2x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>"
    one = "memref<1x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>"
    body = f"""
%none = arith.constant 0 : i32
%c1 = arith.constant 1 : i32
%c2 = arith.constant 2 : i32
%c10 = arith.constant 10 : i32
%sems = tpu.sem_alloc : {ring}
scf.for %i = %none to %c10 step %c1 : i32 {{
  %slot = arith.remui %i, %c2 : i32
  %s1 = tpu.memref_slice %sems[%slot] : {ring} -> {one}
  %s = tpu.memref_squeeze %s1 : {one} -> {DMA}
  %in = tpu.memref_slice %x[%i, %none] : {hbm} -> {row}
  %out = tpu.memref_slice %y[%i, %none] : {hbm} -> {row}
  tpu.enqueue_dma source(%in : {row}) target(%out : {row}) target_semaphore(%s : {DMA})
  %later = arith.cmpi sgt, %i, %none : i32
  scf.if %later {{
    %before = arith.subi %i, %c1 : i32
    %old = arith.remui %before, %c2 : i32
    %o1 = tpu.memref_slice %sems[%old] : {ring} -> {one}
    %o = tpu.memref_squeeze %o1 : {one} -> {DMA}
    tpu.wait_dma2 semaphore(%o : {DMA}) src(%in : {row}) dst(%out : {row})
  }}
}}
%l1 = tpu.memref_slice %sems[%c1] : {ring} -> {one}
%l = tpu.memref_squeeze %l1 : {one} -> {DMA}
%some = tpu.memref_slice %y[%none, %none] : {hbm} -> {row}
WAIT
"""
    wait = f"tpu.wait_dma2 semaphore(%l : {DMA}) src(%some : {row}) dst(%some : {row})"
    x = RNG.normal(size=(10, 16)).astype(np.float32)
    y = np.zeros_like(x)
    arrays = f"%x: {hbm}, %y: {hbm}"
    run_compiled(module(body.replace("WAIT", wait), arrays), [x], [y])
    np.testing.assert_array_equal(y, x)
    with pytest.raises(
        KernelError, match=r"is 64 at the end of the kernel: a DMA started at k\.py:12"
    ):
        run_compiled(module(body.replace("WAIT", ""), arrays), [x], [y])


def test_a_copy_that_is_waited_for_at_once_needs_no_semaphore():
    hbm = memref_type((16,), "f32")
    text = tile_program(module(copying("%x", "%y", hbm, hbm), f"%x: {hbm}, %y: {hbm}"))
    assert "memref.store" not in text
    assert "scf.if" not in text
    assert "vector.store" in text


def test_what_was_checked_is_not_checked_again():
    hbm, row = memref_type((8, 16), "f32"), memref_type((1, 16), "f32")
    body = f"""
%none = arith.constant 0 : i32
%in = tpu.memref_slice %x[%subcore, %none] : {hbm} -> {row}
%out = tpu.memref_slice %y[%subcore, %none] : {hbm} -> {row}
{copying("%in", "%out", row, row)}
"""
    text = tile_program(module(body, f"%x: {hbm}, %y: {hbm}", bounds="1, 8"))
    assert text.count("scf.if") == 1


def test_an_op_without_a_lowering_says_where_it_is():
    hbm = memref_type((16,), "f32")
    with pytest.raises(NotLowered) as caught:
        tile_program(module('%d = "tpu.device_id"() : () -> i32', f"%x: {hbm}"))
    assert str(caught.value) == "k.py:1: 'tpu.device_id' that the call does not pass"
    assert caught.value.place == "k.py:1"


def test_an_error_is_described_without_a_second_lowering(monkeypatch: pytest.MonkeyPatch):
    hbm, row = memref_type((8, 16), "f32"), memref_type((1, 16), "f32")
    body = f"""
%none = arith.constant 0 : i32
%in = tpu.memref_slice %x[%subcore, %none] : {hbm} -> {row}
{copying("%in", "%v", row, memref_type((1, 16), "f32", "vmem"))}
"""
    vmem = memref_type((1, 16), "f32", "vmem")
    text = module(body, f"%x: {hbm}, %v: {vmem}", bounds="1, 9", scratch=1)
    compiled = compile_mosaic(spec(text, 1), None)
    assert isinstance(compiled, CompiledKernel)
    status = np.zeros(8, np.int64)
    run(compiled.program, [np.zeros(128, np.float32), status], 1)
    monkeypatch.delattr("sdykit.sparsecore.mosaic.lowering.program.lower")
    assert compiled.describe(status.tolist()) == (
        "kernel 'kernel': vector subcore (0, 8): slice out of bounds at k.py:2: rows 8 to 9 of 8"
    )


def test_the_work_of_a_gather_is_what_it_moves_not_its_table():
    table, ids = memref_type((1000, 64), "f32"), memref_type((8,), "i32", "vmem")
    rows, bf16 = memref_type((8, 64), "f32", "vmem"), memref_type((8, 64), "bf16")
    gather = f"""
%part = tpu.memref_slice %x[%subcore, %subcore] : {table} -> {memref_type((9, 64), "f32")}
tpu.enqueue_indirect_dma source(%part : {memref_type((9, 64), "f32")}) target(%v : {rows}) offsets(%i : {ids}) semaphore(%s : {DMA})
"""
    arguments = f"%x: {table}, %y: {bf16}, %i: {ids}, %v: {rows}, %s: {DMA}"
    text = tile_program(module(gather, arguments, scratch=3))
    assert "sparsecore.serial_bytes = 3145728 : i64" in text
    assert '"array 0", sparsecore.work = 0 : i64' in text
    assert '"array 1", sparsecore.work = 2 : i64' in text
    computing = gather + "%w = arith.constant dense<2.0> : vector<16xf32>\n"
    assert "sparsecore.work" not in tile_program(module(computing, arguments, scratch=3))
