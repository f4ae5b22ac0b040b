"""Random kernels give the same bits in all engines, and in every order of subcores."""

from __future__ import annotations

import re

import pytest

from sdykit.sparsecore.mosaic.kernel import read_kernel
from sdykit.sparsecore.mosaic.reference.run import run
from sdykit.sparsecore.mosaic.reports import KernelError
from support.codegen.tile_programs import assert_same
from support.mosaic.random_kernels.engines import (
    arrays_of,
    assert_engines_agree,
    in_machine_code,
    in_reference,
    spec_of,
)
from support.mosaic.random_kernels.program import RandomKernel, random_kernel


@pytest.mark.parametrize("seed", range(6))
def test_free_kernels(seed: int):
    assert_engines_agree(seed, meets=False, modes=["fast"])


@pytest.mark.parametrize("seed", range(6))
def test_kernels_whose_subcores_meet(seed: int):
    assert_engines_agree(seed, meets=True, modes=["fast"])


@pytest.mark.parametrize(("seed", "meets"), [(seed, seed % 2 == 0) for seed in range(100, 106)])
def test_checked_kernels(seed: int, meets: bool):
    assert_engines_agree(seed, meets=meets, modes=["check"])


def test_a_seed_is_a_kernel():
    assert random_kernel(3) == random_kernel(3)
    assert random_kernel(3) != random_kernel(4)


def without(kernel: RandomKernel, op: str, which: int) -> str:
    """Return the text of a kernel without one of its ops of a name."""
    lines = kernel.text.splitlines()
    found = [number for number, line in enumerate(lines) if re.match(rf" *{re.escape(op)} ", line)]
    del lines[found[which]]
    return "\n".join(lines)


def fails(kernel: RandomKernel, text: str) -> bool:
    try:
        run(read_kernel(text, "random"), arrays_of(kernel, 1), spec_of(kernel, "check", "lockstep"))
    except KernelError:
        return True
    return False


def test_a_kernel_without_one_of_its_waits_fails():
    kernel = random_kernel(0)
    count = kernel.text.count("tpu.wait_dma2")
    assert all(fails(kernel, without(kernel, "tpu.wait_dma2", k)) for k in range(0, count, 5))


@pytest.mark.parametrize("seed", [3, 5, 8])
def test_a_kernel_without_its_first_barrier_has_a_race(seed: int):
    kernel = random_kernel(seed, meets=True)
    assert not fails(kernel, kernel.text)
    assert fails(kernel, without(kernel, "tpu.barrier", 0))


HBM, VMEM = "#tpu.memory_space<hbm>", "#tpu.memory_space<vmem>"
DMA = "memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>"


def small(body: str) -> RandomKernel:
    """Return a kernel of a subcore that copies 8 rows, with ops of its own before."""
    text = f"""module {{
      func.func @small(%core: i32, %subcore: i32, %x: memref<8x8xf32, {HBM}>,
          %y: memref<8x8xf32, {HBM}>, %v: memref<8x8xf32, {VMEM}>, %sem: {DMA}) attributes {{
          iteration_bounds = array<i64: 1, 1>, scratch_operands = 2 : i64,
          tpu.core_type = #tpu.core_type<sc_vector_subcore>}} {{
        {copied("%x", "%v", HBM, VMEM)}
        {body}
        {copied("%v", "%y", VMEM, HBM)}
        return
      }}
    }}"""
    array = (((8, 8), "f32"),)
    return RandomKernel(text, 8, 1, 1, array, array, meets=False)


def copied(source: str, target: str, from_: str, to: str) -> str:
    types = f"memref<8x8xf32, {from_}>", f"memref<8x8xf32, {to}>"
    return f"""
        tpu.enqueue_dma source({source} : {types[0]}) target({target} : {types[1]})
          target_semaphore(%sem : {DMA})
        tpu.wait_dma2 semaphore(%sem : {DMA}) src({source} : {types[0]}) dst({target} : {types[1]})"""


FOUND = {
    "an indirect DMA that leaves all rows out": f"""
        %c3 = arith.constant 3 : i32
        %all = arith.constant dense<3> : vector<8xi32>
        tpu.enqueue_indirect_dma source(%x : memref<8x8xf32, {HBM}>)
          target(%v : memref<8x8xf32, {VMEM}>) offsets(%all : vector<8xi32>) offset_filter(%c3)
          semaphore(%sem : {DMA})
        tpu.wait_indirect_dma semaphore(%sem : {DMA}) src(%x : memref<8x8xf32, {HBM}>)
          dst(%v : memref<8x8xf32, {VMEM}>)""",
    "a vector that is the same for all subcores": f"""
        %c0 = arith.constant 0 : index
        %all = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : vector<8xf32>
        %row = vector.shape_cast %all : vector<8xf32> to vector<1x8xf32>
        tpu.vector_store %v[%c0, %c0], %row {{strides = array<i32>}} :
          memref<8x8xf32, {VMEM}>, vector<1x8xf32>,""",
}
"""What differed, or failed, in an engine once."""


@pytest.mark.parametrize("what", FOUND)
def test_what_was_found(what: str):
    kernel = small(FOUND[what])
    expected = in_reference(kernel, "lockstep", 1)
    (found,) = in_machine_code(kernel, "fast", "lockstep", 1)
    assert_same(found.ravel(), expected[0].ravel(), what)
