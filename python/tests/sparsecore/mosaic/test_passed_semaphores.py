"""Semaphores that calls pass to each other: chains of random kernels, and what they found."""

from __future__ import annotations

import numpy as np
import pytest

from sdykit.sparsecore.mosaic.reports import KernelError
from sdykit.sparsecore.mosaic.spec import Mode, Order
from support.mosaic.random_kernels.calls import random_calls
from support.mosaic.random_kernels.engines import ORDERS, assert_calls_agree, run_calls
from support.mosaic.random_kernels.program import RandomKernel

MODES: tuple[Mode, ...] = ("reference", "check", "fast")


@pytest.mark.parametrize("seed", range(8))
def test_chains_of_kernels(seed: int):
    assert_calls_agree(seed, modes=["fast", "check"])


def test_a_seed_is_a_chain():
    assert random_calls(3) == random_calls(3)
    assert random_calls(3) != random_calls(4)


COUNTS = "memref<2x!tpu.semaphore, #tpu.memory_space<semaphore_mem>>"
BYTES = COUNTS.replace("semaphore,", "dma_semaphore,")
ROW = "memref<8xi32, #tpu.memory_space<hbm>>"
VMEM = "memref<8xi32, #tpu.memory_space<vmem>>"
SHAPES = {COUNTS: ((2,), "!tpu.semaphore"), BYTES: ((2,), "!tpu.dma_semaphore"), ROW: ((8,), "i32")}


def kernel(
    body: str,
    inputs: dict[str, str],
    outputs: dict[str, str],
    *,
    subcores: int = 4,
    aliases: tuple[tuple[int, int], ...] = (),
) -> RandomKernel:
    """Return a kernel with arrays of these types, and `%v`, VMEM for a row."""
    arrays = ", ".join(f"%{name}: {type_}" for name, type_ in (inputs | outputs).items())
    text = f"""module {{
      func.func @passing(%core: i32, %subcore: i32, {arrays}, %v: {VMEM})
          attributes {{iteration_bounds = array<i64: 1, {subcores}>, scratch_operands = 1 : i64,
          tpu.core_type = #tpu.core_type<sc_vector_subcore>}} {{
        %c0 = arith.constant 0 : i32
        %c3 = arith.constant 3 : i32
        %i0 = arith.constant 0 : index
        {body}
        return
      }}
    }}"""
    shapes = [tuple(SHAPES[each] for each in given.values()) for given in (inputs, outputs)]
    return RandomKernel(text, 8, 1, subcores, *shapes, meets=True, aliases=aliases)


def first_of(array: str, type_: str) -> str:
    """Return ops that make `array`_0 of the first semaphore of an array."""
    one = type_.replace("2x", "1x")
    return f"""
        %s_{array} = tpu.memref_slice %{array}[%c0] : {type_} -> {one}
        %{array}_0 = tpu.memref_squeeze %s_{array} : {one} -> {type_.replace("2x", "")}"""


SEMAPHORE = COUNTS.replace("2x", "")
SIGNAL = f"""{first_of("made", COUNTS)}
        tpu.sem_signal %made_0, %subcore : {SEMAPHORE}"""
WAIT_FOR_THE_RESULT = f"""{first_of("given", COUNTS)}{first_of("made", COUNTS)}
        tpu.sem_wait %made_0, %c3 : {SEMAPHORE}
        tpu.sem_signal %given_0, %subcore : {SEMAPHORE}"""


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("order", ORDERS)
def test_an_aliased_semaphore_is_one_semaphore(mode: Mode, order: Order):
    """What an operand is waited for by is what its result has; the largest count is passed."""
    signals = kernel(SIGNAL, {"x": ROW}, {"y": ROW, "made": COUNTS})
    waits = kernel(
        WAIT_FOR_THE_RESULT,
        {"x": ROW, "given": COUNTS},
        {"y": ROW, "made": COUNTS},
        aliases=((1, 1),),
    )
    first, second = run_calls([signals, waits], mode, order, seed=1)
    np.testing.assert_array_equal(first[1], [3, 0])
    np.testing.assert_array_equal(second[1], [3, 0])


DMA = BYTES.replace("2x", "")
START = f"""{first_of("made", BYTES)}
        tpu.enqueue_dma source(%x : {ROW}) target(%y : {ROW}) target_semaphore(%made_0 : {DMA})"""
START_ANOTHER = f"""{first_of("given", BYTES)}
        tpu.enqueue_dma source(%x : {ROW}) target(%v : {VMEM}) target_semaphore(%given_0 : {DMA})"""
WAIT = f"""
        tpu.wait_dma2 semaphore(%given_0 : {DMA}) src(%x : {ROW}) dst(%v : {VMEM})"""
READ = f"""
        %row = tpu.vector_load %v[%i0] {{strides = array<i32>}} : {VMEM}, vector<8xi32>,"""


@pytest.mark.parametrize("mode", ["reference", "check"])
def test_a_wait_takes_the_bytes_of_an_earlier_call_first(mode: Mode):
    """Whether its own DMA is done is not known before the second wait."""
    starts = kernel(START, {"x": ROW}, {"y": ROW, "made": BYTES}, subcores=1)
    arrays = {"x": ROW, "given": BYTES}, {"y": ROW}
    early = kernel(START_ANOTHER + WAIT + READ + WAIT, *arrays, subcores=1)
    late = kernel(START_ANOTHER + WAIT + WAIT + READ, *arrays, subcores=1)
    run_calls([starts, late], mode, "lockstep", seed=1)
    with pytest.raises(KernelError, match=r"race: .* reads .* while a DMA writes it"):
        run_calls([starts, early], mode, "lockstep", seed=1)
