"""Reading kernels: functions, agents, memrefs, source lines, and whether agents can meet."""

import ml_dtypes
import numpy as np
import pytest

from sdykit.mlir import ir, make_context, register_tpu_dialect
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.mosaic.kernel import read_kernel, walk
from sdykit.sparsecore.mosaic.types import MemRef, bits_of, dtype_of, memref_of

HBM = "memref<32x16xf32, #tpu.memory_space<hbm>>"
VMEM = "memref<16xf32, #tpu.memory_space<vmem>>"
SHARED = "memref<16xf32, #tpu.memory_space<vmem_shared>>"
SEMAPHORE = "memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>"
DMA = "memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>"


def function(
    body: str = "",
    *,
    name: str = "copy",
    core: str = "sc_vector_subcore",
    bounds: str = "2, 16",
    arrays: str = f"%x: {HBM}, %v: {VMEM}",
    scratch: int = 1,
) -> str:
    indices = ", ".join(f"%i{k}: i32" for k in range(len(bounds.split(","))))
    return f"""
    func.func @{name}({indices}, {arrays}) attributes {{
        iteration_bounds = array<i64: {bounds}>, scratch_operands = {scratch} : i64,
        tpu.core_type = #tpu.core_type<{core}>}} {{
      {body}
      return
    }}"""


def module(*functions: str) -> str:
    return "module {" + "".join(functions) + "\n}"


def test_function_and_its_arguments():
    kernel = read_kernel(module(function()), "copy")
    (found,) = kernel.functions
    assert (kernel.name, found.name, found.core, found.bounds) == (
        "copy",
        "copy",
        "vector",
        (2, 16),
    )
    assert [each.arg_number for each in found.indices] == [0, 1]
    assert [memref_of(each.type) for each in found.arrays] == [MemRef((32, 16), "f32", "hbm")]
    assert [memref_of(each.type) for each in found.scratch] == [MemRef((16,), "f32", "vmem")]


def test_agents_are_numbered_through_all_functions():
    scalar = function(name="lead", core="sc_scalar_subcore", bounds="2", scratch=0)
    kernel = read_kernel(module(scalar, function(bounds="2, 3")), "both")
    assert [agent.number for agent in kernel.agents] == list(range(8))
    assert [agent.text for agent in kernel.agents] == [
        "scalar subcore 0",
        "scalar subcore 1",
        *(f"vector subcore ({core}, {subcore})" for core in range(2) for subcore in range(3)),
    ]
    assert kernel.functions[1].agents == kernel.agents[2:]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("memref<i32, #tpu.memory_space<smem>>", MemRef((), "i32", "smem")),
        (
            "memref<?x16xi4, #tpu.memory_space<vmem, sc_scalar_subcore>>",
            MemRef((None, 16), "i4", "vmem", "scalar"),
        ),
        (
            "memref<2x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem, sc_vector_subcore>>",
            MemRef((2,), "dma_semaphore", "semaphore_mem", "vector"),
        ),
        (
            "memref<8x128xbf16, strided<[256, 1], offset: ?>, #tpu.memory_space<vmem_shared>>",
            MemRef((8, 128), "bf16", "vmem_shared"),
        ),
    ],
)
def test_memref(text: str, expected: MemRef):
    context = make_context()
    register_tpu_dialect(context)
    assert memref_of(ir.Type.parse(text, context)) == expected


def test_elements():
    assert [bits_of(each) for each in ("i1", "i4", "i8", "bf16", "f32", "i64")] == [
        *(1, 4, 8, 16, 32, 64)
    ]
    assert dtype_of("bf16") == np.dtype(ml_dtypes.bfloat16)
    assert MemRef((), "semaphore", "semaphore_mem").is_semaphore
    with pytest.raises(SparseCoreError, match="elements of type tensor cannot be on a SparseCore"):
        dtype_of("tensor")


OFFSETS = "memref<16xi32, #tpu.memory_space<vmem>>"
HBM_VECTOR = "memref<16xf32, #tpu.memory_space<hbm>>"
ARRAYS = f"%a: {HBM_VECTOR}, %v: {VMEM}, %s: {SEMAPHORE}, %d: {DMA}, %o: {OFFSETS}"
SCATTER = f"""tpu.enqueue_indirect_dma source(%v : {VMEM}) target(%a : {HBM_VECTOR})
    offsets(%o : {OFFSETS}) semaphore(%d : {DMA}) {{add = FLAG}}"""
GATHER = f"""tpu.enqueue_indirect_dma source(%a : {HBM_VECTOR}) target(%v : {VMEM})
    offsets(%o : {OFFSETS}) semaphore(%d : {DMA}) {{add = FLAG}}"""


BODIES = [
    ("", True),
    (f"tpu.sem_signal %s, %i0 : {SEMAPHORE}", True),
    (f"tpu.sem_signal %s, %i0 core_id %i0 subcore_id %i1 : {SEMAPHORE}", False),
    (f"tpu.sem_wait %s, %i0 : {SEMAPHORE}", False),
    (f"%r = tpu.sem_read %s : {SEMAPHORE} -> i32", False),
    ("%b = arith.index_cast %i0 : i32 to index\n tpu.barrier barrier_id(%b)", False),
    (f"%m = memref.alloca() : {SHARED}", False),
    (SCATTER.replace("FLAG", "true"), False),
    (SCATTER.replace("FLAG", "false"), True),
    (GATHER.replace("FLAG", "true"), True),
]


@pytest.mark.parametrize(("body", "free"), BODIES, ids=range(len(BODIES)))
def test_free_kernels(body: str, free: bool):
    text = module(function(body, arrays=ARRAYS, scratch=4))
    assert read_kernel(text, "k").is_free == free


def test_kernels_of_several_functions_are_not_free():
    scalar = function(name="lead", core="sc_scalar_subcore", bounds="2", scratch=0)
    assert not read_kernel(module(scalar, function()), "k").is_free


def test_semaphores_of_the_call_are_not_free():
    assert not read_kernel(module(function(arrays=f"%s: {SEMAPHORE}", scratch=0)), "k").is_free


@pytest.mark.parametrize(
    ("location", "place"),
    [
        ('loc("/a/b/k.py":12:4 to :9)', "k.py:12"),
        ('loc("mul:"("f"("/a/k.py":7:1)))', "k.py:7"),
        ('loc(callsite("inner.py":3:1 at "outer.py":9:1))', "inner.py:3"),
        ('loc(fused["a"("k.py":5:1), "k.py":6:1])', "k.py:5"),
        ('loc("dma_start:"("dma_start/dma_start"))', "k.py:31"),
        ("loc(unknown)", "k.py:31"),
    ],
)
def test_place_of_an_op(location: str, place: str):
    body = (
        f'"tpu.region"() ({{ tpu.delay %i0 {location}\n tpu.yield }}) : () -> () loc("k.py":31:2)'
    )
    kernel = read_kernel(module(function(body)), "k")
    op = next(op for op in walk(kernel.functions[0].op) if op.operation.name == "tpu.delay")
    assert kernel.places.text(op) == place
    number = kernel.places.of(op)
    assert kernel.places.texts[number] == place
    assert kernel.places.of(op) == number


def test_place_of_an_op_without_any_line():
    kernel = read_kernel(module(function("tpu.delay %i0 loc(unknown)") + " loc(unknown)"), "k")
    op = next(op for op in walk(kernel.functions[0].op) if op.operation.name == "tpu.delay")
    # The function itself was parsed from text without a location: that of the text.
    assert kernel.places.text(op).startswith("-:")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("module {", "kernel 'k': its module cannot be read: "),
        ("module {}", "kernel 'k': the module has no function; expected one per mesh"),
        (
            "module { func.func private @f() }",
            "function 'f' has no attribute 'tpu.core_type' of a kernel",
        ),
        (
            module(function(core="tc")),
            "found core type 'tc' in a kernel; expected 'sc_vector_subcore' or 'sc_scalar_subcore'",
        ),
        (
            module(function(bounds="2")),
            r"function 'copy' has the iteration bounds \[2\]; "
            r"expected \[cores, subcores\] for a vector subcore",
        ),
    ],
)
def test_modules_that_are_no_kernels(text: str, message: str):
    with pytest.raises(SparseCoreError, match=message):
        read_kernel(text, "k")
