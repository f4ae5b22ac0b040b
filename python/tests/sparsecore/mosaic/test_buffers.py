"""Numbers and texts of a kernel's memory."""

from sdykit.sparsecore.mosaic.buffers import Buffers, names_of
from sdykit.sparsecore.mosaic.kernel import read_kernel, walk

HBM = "memref<16xf32, #tpu.memory_space<hbm>>"
VMEM = "memref<16xf32, #tpu.memory_space<vmem>>"

TWO_FUNCTIONS = f"""module {{
  func.func @lead(%c: i32, %x: {HBM}, %y: {HBM}, %v: {VMEM}) attributes {{
      iteration_bounds = array<i64: 2>, scratch_operands = 1 : i64,
      tpu.core_type = #tpu.core_type<sc_scalar_subcore>}} {{
    return
  }}
  func.func @work(%c: i32, %s: i32, %x: {HBM}, %y: {HBM}, %v: {VMEM}) attributes {{
      iteration_bounds = array<i64: 1, 2>, scratch_operands = 1 : i64,
      tpu.core_type = #tpu.core_type<sc_vector_subcore>}} {{
    %a = memref.alloca() : {VMEM} loc("k.py":31:2)
    return
  }}
}}"""


def test_buffers_of_two_functions():
    kernel = read_kernel(TWO_FUNCTIONS, "both")
    buffers = Buffers(kernel)
    assert buffers.texts == ("array 0", "array 1", "scratch 0", "VMEM made at k.py:31")
    for function in kernel.functions:
        assert [buffers.of(each) for each in function.arrays] == [0, 1]
        assert [buffers.of(each) for each in function.scratch] == [2]
    (alloca,) = [op for op in walk(kernel.functions[1].op) if op.operation.name == "memref.alloca"]
    assert buffers.of(alloca.results[0]) == 3
    names = names_of(kernel, buffers)
    assert names.agent(1) == "scalar subcore 1"
    assert names.agent(3) == "vector subcore (0, 1)"
    assert names.buffer(3) == "VMEM made at k.py:31"
