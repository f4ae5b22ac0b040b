"""Subcores that wait for each other: the same results in any order, and no false alarm."""

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

import sdykit.sparsecore as sc
from support.pallas.kernels import one_subcore
from support.pallas.waiting import CASES

MODES = ["reference", "check", "fast"]
ORDERS = ["lockstep", "subcore", "1"]


@pytest.fixture(autouse=True)
def _settings() -> Iterator[None]:
    yield
    sc.configure()


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", CASES)
def test_results_in_all_orders(name: str, mode: str, order: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SDYKIT_PALLAS_ORDER", order)
    sc.configure("7x", pallas=mode)
    kernel, arguments, expected = CASES[name]()
    np.testing.assert_array_equal(jax.jit(kernel)(*arguments), expected)


@pytest.mark.parametrize("mode", MODES)
def test_a_semaphore_passed_between_calls(mode: str):
    """A copy starts in one call, and the next one waits for it."""
    sc.configure("7x", pallas=mode)
    row = jax.ShapeDtypeStruct((16,), jnp.int32)

    @pl.kernel(out_type=(row, pltpu.SemaphoreType.DMA), mesh=one_subcore())
    def start(x: Any, out: Any, semaphore: Any) -> None:
        pltpu.make_async_copy(x, out, semaphore).start()

    @pl.kernel(out_type=row, mesh=one_subcore(), scratch_types=[pltpu.VMEM((16,), jnp.int32)])
    def finish(x: Any, semaphore: Any, out: Any, held: Any) -> None:
        pltpu.make_async_copy(x, x, semaphore).wait()
        pltpu.sync_copy(x, held)
        held[...] = held[...] + 1
        pltpu.sync_copy(held, out)

    x = np.arange(16, dtype=np.int32)
    started: Any = start
    np.testing.assert_array_equal(jax.jit(lambda x: finish(*started(x)))(x), x + 1)


@pytest.mark.parametrize("mode", ["reference", "check"])
def test_memory_that_was_never_written(mode: str):
    """It is NaN, or 0x7f in each byte, whenever a region is entered, and in results."""
    sc.configure("7x", pallas=mode)
    types = [jnp.float32, jnp.int32, jnp.bfloat16, jnp.int8]

    @pl.kernel(
        out_type=[jax.ShapeDtypeStruct((2, 16), each) for each in (*types, jnp.float32)],
        mesh=one_subcore(),
    )
    def kernel(*outs: Any) -> None:
        @pl.loop(0, 2)
        def _(i: Any) -> None:
            def scope(*held: Any) -> None:
                for source, target in zip(held, outs[:4], strict=True):
                    pltpu.sync_copy(source, target.at[i])
                held[0][...] = jnp.zeros(16)

            pl.run_scoped(scope, *(pltpu.VMEM((16,), each) for each in types))

    floats, integers, halves, bytes_, result = map(np.asarray, jax.jit(kernel)())
    assert np.isnan(floats).all()
    assert (integers == 0x7F7F7F7F).all()
    assert np.isnan(halves.astype(np.float32)).all()
    assert (bytes_ == 0x7F).all()
    assert np.isnan(result).all()


@pytest.mark.parametrize("mode", MODES)
def test_kernels_that_only_look_end_with_a_deadlock(mode: str):
    sc.configure("7x", pallas=mode)

    @pl.kernel(
        out_type=jax.ShapeDtypeStruct((16,), jnp.int32),
        mesh=one_subcore(),
        scratch_types=[pltpu.SemaphoreType.REGULAR],
    )
    def kernel(x: Any, out: Any, semaphore: Any) -> None:
        jax.lax.while_loop(
            lambda count: count < 1, lambda _: pl.semaphore_read(semaphore), jnp.int32(0)
        )
        pltpu.sync_copy(x, out)

    with pytest.raises(jax.errors.JaxRuntimeError) as error:
        jax.block_until_ready(jax.jit(kernel)(jnp.zeros(16, jnp.int32)))
    lines = str(error.value).splitlines()
    assert lines[0].endswith("kernel 'kernel': deadlock: no subcore can go on:")
    assert lines[1].startswith("  vector subcore (0, 0) repeats the loop at test_waiting.py:")
    assert lines[1].endswith(", which waits for a change of scratch 0")
