"""Free kernels, compiled: transfers, loads and stores, and what they report."""

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
    memref_type,
    module,
    run_compiled,
    spec,
    tile_program,
)

RNG = np.random.default_rng(5)


def copying(source: str, target: str, source_type: str, target_type: str) -> str:
    """Return the ops that copy one memref to another, and wait."""
    return f"""
%sem = tpu.sem_alloc : {DMA}
tpu.enqueue_dma source({source} : {source_type}) target({target} : {target_type}) target_semaphore(%sem : {DMA})
tpu.wait_dma2 semaphore(%sem : {DMA}) src({source} : {source_type}) dst({target} : {target_type})"""


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


NARROW = {"bf16": 16, "i16": 16, "i8": 8, "i4": 4}


def joined(rows: np.ndarray, element: str) -> np.ndarray:
    """Return what rows of narrow elements are as rows of i32: part j is row k * r + j."""
    bits = NARROW[element]
    k = 32 // bits
    raw = rows.view(f"u{rows.itemsize}").astype(np.uint32) & ((1 << bits) - 1)
    parts = raw.reshape(-1, k, rows.shape[1])
    wide = np.zeros((parts.shape[0], rows.shape[1]), np.uint32)
    for j in range(k):
        wide |= parts[:, j] << np.uint32(bits * j)
    return wide.view(np.int32)


def random_rows(element: str, shape: tuple[int, int]) -> np.ndarray:
    if element == "bf16":
        return RNG.normal(size=shape).astype(ml_dtypes.bfloat16)
    bits = NARROW[element]
    dtype = ml_dtypes.int4 if element == "i4" else np.dtype(f"int{bits}")
    return RNG.integers(-(1 << (bits - 1)), 1 << (bits - 1), shape).astype(dtype)


@pytest.mark.parametrize("element", NARROW)
@pytest.mark.parametrize("columns", [16, 70])
def test_narrow_rows_are_read_and_written_as_wide_ones(element: str, columns: int):
    k = 32 // NARROW[element]
    narrow, wide = memref_type((4 * k, columns), element), memref_type((4, columns), "i32")
    row = memref_type((1, columns), "i32")
    x, y = random_rows(element, (4 * k, columns)), np.zeros((4, columns), np.int32)
    body = f"""
%none = arith.constant 0 : i32
%two = arith.constant 2 : i32
%rows = tpu.memref_bitcast %x : {narrow} -> {wide}
%in = tpu.memref_slice %rows[%two, %none] : {wide} -> {row}
%out = tpu.memref_slice %y[%none, %none] : {wide} -> {row}
{copying("%in", "%out", row, row)}
"""
    run_compiled(module(body, f"%x: {narrow}, %y: {wide}"), [x], [y])
    expected = np.zeros_like(y)
    expected[0] = joined(x, element)[2]
    np.testing.assert_array_equal(y, expected)

    z = np.zeros_like(x)
    body = f"""
%rows = tpu.memref_bitcast %z : {narrow} -> {wide}
{copying("%y", "%rows", wide, wide)}
"""
    wide_values = joined(x, element)
    run_compiled(module(body, f"%y: {wide}, %z: {narrow}"), [wide_values], [z])
    np.testing.assert_array_equal(z, x)


@pytest.mark.parametrize("element", NARROW)
def test_a_narrow_row_of_a_wide_one_keeps_the_others(element: str):
    k, columns = 32 // NARROW[element], 24
    narrow, wide = memref_type((2 * k, columns), element), memref_type((2, columns), "i32")
    row = memref_type((1, columns), element)
    x = random_rows(element, (2 * k, columns))
    at, to = k - 1, k + 1
    y = joined(random_rows(element, (2 * k, columns)), element)
    body = f"""
%none = arith.constant 0 : i32
%at = arith.constant {at} : i32
%to = arith.addi %core, %to_0 : i32
%a = tpu.memref_bitcast %x : {wide} -> {narrow}
%b = tpu.memref_bitcast %y : {wide} -> {narrow}
%in = tpu.memref_slice %a[%at, %none] : {narrow} -> {row}
%out = tpu.memref_slice %b[%to, %none] : {narrow} -> {row}
{copying("%in", "%out", row, row)}
""".replace("%to = ", f"%to_0 = arith.constant {to} : i32\n%to = ")
    expected = _split(y, element)
    expected[to] = x[at]
    run_compiled(module(body, f"%x: {wide}, %y: {wide}"), [joined(x, element)], [y])
    np.testing.assert_array_equal(_split(y, element), expected)


def _split(wide: np.ndarray, element: str) -> np.ndarray:
    """Return rows of i32 as rows of narrow elements."""
    bits = NARROW[element]
    k = 32 // bits
    shifts = np.arange(k, dtype=np.uint32)[None, :, None] * bits
    raw = (wide.view(np.uint32)[:, None] >> shifts) & ((1 << bits) - 1)
    raw = raw.reshape(-1, wide.shape[1])
    if element == "i4":
        return (raw.astype(np.int8) << 4 >> 4).astype(ml_dtypes.int4)
    dtype = ml_dtypes.bfloat16 if element == "bf16" else np.dtype(f"int{bits}")
    return raw.astype(f"u{bits // 8}").view(dtype)


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


def gathering(*, filtered: bool = False, scatters: bool = False, count: int = 12) -> str:
    """Return a kernel that gathers rows of %x by %ids to %y, or scatters them."""
    big, small = memref_type((20, 40), "f32"), memref_type((count, 40), "f32")
    rows, ids = memref_type((count, 40), "f32", "vmem"), memref_type((count,), "i32")
    own = memref_type((count,), "i32", "vmem")
    indexed = ("%y" if scatters else "%x", big)
    sides = [(*indexed,), ("%rows", rows)]
    source, target = sides[::-1] if scatters else sides
    option = " offset_filter(%skipped)" if filtered else ""
    load = copying("%x", "%rows", small, rows).replace("%sem", "%b") if scatters else ""
    store = "" if scatters else copying("%rows", "%y", rows, small).replace("%sem", "%c")
    body = f"""
%skipped = arith.constant -1 : i32
{copying("%ids", "%own", ids, own).replace("%sem", "%a")}
{load}
%sem = tpu.sem_alloc : {DMA}
tpu.enqueue_indirect_dma source({source[0]} : {source[1]}) target({target[0]} : {target[1]}) offsets(%own : {own}){option} semaphore(%sem : {DMA})
tpu.wait_indirect_dma semaphore(%sem : {DMA}) src({source[0]} : {source[1]}) dst({target[0]} : {target[1]})
{store}
"""
    x, y = (small, big) if scatters else (big, small)
    arrays = f"%x: {x}, %ids: {ids}, %y: {y}, %own: {own}, %rows: {rows}"
    return module(body, arrays, scratch=2)


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
        "that has 0, at k.py:2"
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
