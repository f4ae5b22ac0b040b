"""Semaphores that calls pass to each other: chains of random kernels, and what they found."""

from __future__ import annotations

import numpy as np
import pytest

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
ONE = COUNTS.replace("2x", "1x")
SEMAPHORE = COUNTS.replace("2x", "")
ROW = "memref<8xi32, #tpu.memory_space<hbm>>"


def kernel(
    body: str, arrays: str, inputs: int, aliases: tuple[tuple[int, int], ...]
) -> RandomKernel:
    """Return a kernel of 4 subcores with these arrays, of which the first are operands."""
    text = f"""module {{
      func.func @passing(%core: i32, %subcore: i32, {arrays})
          attributes {{iteration_bounds = array<i64: 1, 4>, scratch_operands = 0 : i64,
          tpu.core_type = #tpu.core_type<sc_vector_subcore>}} {{
        %c0 = arith.constant 0 : i32
        %c3 = arith.constant 3 : i32
        {body}
        return
      }}
    }}"""
    shapes = [
        ((2,), "!tpu.semaphore") if COUNTS in each else ((8,), "i32")
        for each in arrays.split("%")[1:]
    ]
    return RandomKernel(
        text, 8, 1, 4, tuple(shapes[:inputs]), tuple(shapes[inputs:]), True, aliases
    )


def first_of(array: str) -> str:
    """Return ops that make `array`_0 of the first semaphore of an array."""
    return f"""
        %s_{array} = tpu.memref_slice %{array}[%c0] : {COUNTS} -> {ONE}
        %{array}_0 = tpu.memref_squeeze %s_{array} : {ONE} -> {SEMAPHORE}"""


SIGNAL = f"""{first_of("made")}
        tpu.sem_signal %made_0, %subcore : {SEMAPHORE}"""
WAIT_FOR_THE_RESULT = f"""{first_of("given")}{first_of("made")}
        tpu.sem_wait %made_0, %c3 : {SEMAPHORE}
        tpu.sem_signal %given_0, %subcore : {SEMAPHORE}"""


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("order", ORDERS)
def test_an_aliased_semaphore_is_one_semaphore(mode: Mode, order: Order):
    """What an operand is waited for by is what its result has; the largest count is passed."""
    signals = kernel(SIGNAL, f"%x: {ROW}, %y: {ROW}, %made: {COUNTS}", 1, ())
    waits = kernel(
        WAIT_FOR_THE_RESULT,
        f"%x: {ROW}, %given: {COUNTS}, %y: {ROW}, %made: {COUNTS}",
        2,
        ((1, 1),),
    )
    first, second = run_calls([signals, waits], mode, order, seed=1)
    np.testing.assert_array_equal(first[1], [3, 0])
    np.testing.assert_array_equal(second[1], [3, 0])
