"""Free kernels, compiled: what they report."""

from __future__ import annotations

import numpy as np
import pytest

from sdykit.sparsecore.mosaic.reports import KernelError
from support.mosaic.free_kernels import (
    DMA,
    copying,
    gathering,
    memref_type,
    module,
    run_compiled,
)

RNG = np.random.default_rng(5)


@pytest.mark.parametrize("offset", [-1, 20, 2**31 - 1, -(2**31)])
def test_offset_out_of_bounds(offset: int):
    ids = np.zeros(12, np.int32)
    ids[7] = offset
    arrays = [np.zeros((20, 40), np.float32), ids]
    with pytest.raises(KernelError) as caught:
        run_compiled(gathering(), arrays, [np.zeros((12, 40), np.float32)])
    assert str(caught.value) == (
        "kernel 'kernel': vector subcore (0, 0): indirect DMA started at k.py:8: "
        f"offset {offset} at position 7 is not in [0, 20)"
    )


@pytest.mark.parametrize("subcores", [2, 3])
def test_slice_out_of_bounds_and_no_later_subcore_writes(subcores: int):
    hbm, row = memref_type((2, 16), "f32"), memref_type((1, 16), "f32")
    body = f"""
%none = arith.constant 0 : i32
%in = tpu.memref_slice %x[%subcore, %none] : {hbm} -> {row}
%out = tpu.memref_slice %y[%none, %none] : {hbm} -> {row}
{copying("%in", "%out", row, row)}
"""
    text = module(body, f"%x: {hbm}, %y: {hbm}", bounds=f"1, {subcores}")
    x, y = np.ones((2, 16), np.float32), np.zeros((2, 16), np.float32)
    if subcores == 2:
        run_compiled(text, [x], [y])
        return
    with pytest.raises(KernelError) as caught:
        run_compiled(text, [x], [y])
    assert str(caught.value) == (
        "kernel 'kernel': vector subcore (0, 2): slice out of bounds at k.py:2: rows 2 to 3 of 2"
    )


def test_dynamic_slice_out_of_bounds():
    hbm, part = memref_type((8, 4), "f32"), memref_type(("?", 4), "f32")
    arrays = f"%x: {hbm}, %n: {memref_type((2,), 'i32')}, %y: {hbm}, %s: {memref_type((2,), 'i32', 'smem')}"
    number, own = memref_type((2,), "i32"), memref_type((2,), "i32", "smem")
    body = f"""
%none = arith.constant 0 : i32
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
{copying("%n", "%s", number, own).replace("%sem", "%a").strip()}
%start = memref.load %s[%c0] : {own}
%count = memref.load %s[%c1] : {own}
%in = tpu.memref_slice %x[%start, %none] <%count> : {hbm} -> {part}
%out = tpu.memref_slice %y[%none, %none] <%count> : {hbm} -> {part}
{copying("%in", "%out", part, part)}
"""
    text = module(body, arrays, scratch=1)
    x = RNG.normal(size=(8, 4)).astype(np.float32)
    for start, count in ((0, 8), (3, 2), (8, 0), (7, 1)):
        y = np.zeros_like(x)
        run_compiled(text, [x, np.array([start, count], np.int32)], [y])
        np.testing.assert_array_equal(y[:count], x[start : start + count])
        assert not y[count:].any()
    for start, count in ((1, 8), (-1, 2), (3, -1), (9, 0), (2**31 - 1, 2**31 - 1)):
        with pytest.raises(KernelError, match=r"slice out of bounds at k\.py:9: rows") as caught:
            run_compiled(text, [x, np.array([start, count], np.int32)], [np.zeros_like(x)])
        assert f"rows {start} to {start + count} of 8" in str(caught.value)


def test_load_and_store_out_of_bounds():
    hbm, vmem = memref_type((16,), "i32"), memref_type((16,), "i32", "vmem")
    for at, op, what in (
        (
            1,
            f"%v = tpu.vector_load %m[%i] {{strides = array<i32>}} : {vmem}, vector<16xi32>,",
            "load",
        ),
        (
            -1,
            f"tpu.vector_store %m[%i], %k {{strides = array<i32>}} : {vmem}, vector<16xi32>,",
            "store",
        ),
    ):
        body = f"""
%k = arith.constant dense<1> : vector<16xi32>
%c = arith.constant {at} : i32
%n = arith.addi %c, %core : i32
%i = arith.index_cast %n : i32 to index
{op}
"""
        text = module(body, f"%x: {hbm}, %m: {vmem}", scratch=1)
        with pytest.raises(KernelError) as caught:
            run_compiled(text, [np.zeros(16, np.int32)], [])
        assert str(caught.value) == (
            f"kernel 'kernel': vector subcore (0, 0): {what} out of bounds at k.py:5: "
            f"elements {at} to {at + 16} of 16"
        )


def test_a_wait_without_a_transfer_is_a_deadlock():
    hbm = memref_type((16,), "f32")
    body = f"""
%sem = tpu.sem_alloc : {DMA}
tpu.wait_dma2 semaphore(%sem : {DMA}) src(%x : {hbm}) dst(%y : {hbm})
"""
    arrays = [np.zeros(16, np.float32), np.zeros(16, np.float32)]
    with pytest.raises(KernelError) as caught:
        run_compiled(module(body, f"%x: {hbm}, %y: {hbm}"), arrays[:1], arrays[1:])
    assert str(caught.value) == (
        "kernel 'kernel': deadlock: no subcore can go on:\n"
        "  vector subcore (0, 0) waits for 64 bytes of DMAs on a semaphore made at k.py:1 "
        "that has 0, at k.py:2; expected a DMA started on it, of as many bytes, for each wait"
    )


def test_a_condition_that_stays_true():
    hbm = memref_type((16,), "f32")
    body = """
%c0 = arith.constant 0 : i32
%c1 = arith.constant 1 : i32
%end = "scf.while"(%c0) ({ ^bb0(%at: i32): %holds = arith.cmpi slt, %at, %c1 : i32 \
scf.condition(%holds) %at : i32 }, { ^bb0(%same: i32): scf.yield %same : i32 }) : (i32) -> i32
"""
    arrays = [np.zeros(16, np.float32), np.zeros(16, np.float32)]
    with pytest.raises(KernelError) as caught:
        run_compiled(module(body, f"%x: {hbm}, %y: {hbm}"), arrays[:1], arrays[1:])
    assert str(caught.value) == (
        "kernel 'kernel': deadlock: no subcore can go on:\n"
        "  vector subcore (0, 0) repeats the loop at k.py:3, whose condition stays true"
    )


def test_a_transfer_that_nobody_waits_for():
    hbm = memref_type((16,), "f32")
    body = copying("%x", "%y", hbm, hbm).rpartition("\n")[0]
    region = f'"tpu.region"() ({{\n{body.strip()}\ntpu.yield\n}}) : () -> ()'
    arrays = [np.zeros(16, np.float32), np.zeros(16, np.float32)]
    for text, what in ((body, "kernel"), (region, "region that made it")):
        with pytest.raises(KernelError) as caught:
            run_compiled(module(text, f"%x: {hbm}, %y: {hbm}"), arrays[:1], arrays[1:])
        line = 1 if what == "kernel" else 2
        assert str(caught.value) == (
            f"kernel 'kernel': vector subcore (0, 0): a semaphore made at k.py:{line} is 64 at the end "
            f"of the {what}: a DMA started at k.py:{line + 1} was never waited for"
        )


def test_a_transfer_to_an_input():
    hbm = memref_type((16,), "f32")
    text = module(copying("%y", "%x", hbm, hbm), f"%x: {hbm}, %y: {hbm}")
    x, y = np.ones(16, np.float32), np.zeros(16, np.float32)
    with pytest.raises(KernelError) as caught:
        run_compiled(text, [x], [y])
    assert str(caught.value) == (
        "kernel 'kernel': vector subcore (0, 0): a DMA started at k.py:2 writes array 0, an input "
        "that no result is aliased with"
    )
    assert x.all()
