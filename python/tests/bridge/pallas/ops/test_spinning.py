"""Loops that look at memory until another subcore changes it: answered, and not."""

import time
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc

import sdykit.sparsecore as sc
from support.pallas.kernels import one_subcore, vector_mesh

MODES = ["reference", "check", "fast"]
ORDERS = ["lockstep", "subcore", "1"]
ROW = jax.ShapeDtypeStruct((4, 16), jnp.int32)
SCRATCH = [pltpu.VMEM((16,), jnp.int32), pltpu.SMEM((1,), jnp.int32)]


@pytest.fixture(autouse=True)
def _settings() -> Iterator[None]:
    yield
    sc.configure()


def _wait(flag: Any) -> Any:
    """Wait until a word of the subcore's own SMEM is not 0, and return it.

    JAX leaves out loops whose result nobody uses.
    """
    return jax.lax.while_loop(lambda seen: seen == 0, lambda _: flag[0], flag[0])


def _wait_by_adding(flag: Any) -> Any:
    """The same with atomic additions of 0."""

    def look(_: Any = None) -> Any:
        return plsc.fetch_and_add(flag.at[0], 0, subcore_id=jax.lax.axis_index("subcore"))

    return jax.lax.while_loop(lambda seen: seen == 0, look, look())


def _wait_and_count(flag: Any) -> Any:
    """The same, with a value that changes in each iteration and that the condition does not use."""
    seen, count = jax.lax.while_loop(
        lambda state: state[0] == 0, lambda state: (flag[0], state[1] + 1), (flag[0], jnp.int32(0))
    )
    return seen + jnp.minimum(count, 0)


def _chain(wait: Any, *, answered: bool) -> Any:
    """Return a kernel whose subcores, from the first on, tell the next one to go on."""
    mesh = vector_mesh(num_cores=1, num_subcores=4)

    @pl.kernel(out_type=ROW, mesh=mesh, scratch_types=SCRATCH)
    def chain(x: Any, out: Any, held: Any, flag: Any) -> None:
        subcore = jax.lax.axis_index("subcore")
        flag[0] = jnp.where(subcore == 0, 1, 0) if answered else 0
        plsc.subcore_barrier()
        seen = wait(flag)
        pltpu.sync_copy(x.at[subcore], held)
        held[...] = held[...] + seen
        pltpu.sync_copy(held, out.at[subcore])
        plsc.fetch_and_add(flag.at[0], 1, subcore_id=jax.lax.rem(subcore + 1, 4))

    return chain


def _error_of(kernel: Any, *arguments: Any) -> list[str]:
    with pytest.raises(jax.errors.JaxRuntimeError) as error:
        jax.block_until_ready(jax.jit(kernel)(*arguments))
    text = str(error.value)
    return text[text.index("kernel '") :].splitlines()


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("wait", [_wait, _wait_by_adding, _wait_and_count])
def test_a_loop_that_another_subcore_ends(
    wait: Any, mode: str, order: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("SDYKIT_PALLAS_ORDER", order)
    sc.configure("7x", pallas=mode)
    x = np.arange(64, dtype=np.int32).reshape(4, 16)
    np.testing.assert_array_equal(jax.jit(_chain(wait, answered=True))(x), x + 1)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("wait", [_wait, _wait_by_adding, _wait_and_count])
def test_a_loop_that_nobody_ends(wait: Any, mode: str):
    sc.configure("7x", pallas=mode)
    start = time.monotonic()
    first, *lines = _error_of(_chain(wait, answered=False), jnp.zeros((4, 16), jnp.int32))
    assert first == "kernel 'chain': deadlock: no subcore can go on:"
    assert len(lines) == 1
    assert lines[0].startswith(
        "  vector subcores (0, 0) to (0, 3) repeat the loop at test_spinning.py:"
    )
    assert lines[0].endswith(", which waits for a change of scratch 1")
    assert time.monotonic() - start < 20  # Most of it is JAX's.


@pytest.mark.parametrize("mode", MODES)
def test_a_loop_that_nobody_ends_while_others_wait(mode: str):
    sc.configure("7x", pallas=mode)
    mesh = vector_mesh(num_cores=1, num_subcores=4)

    @pl.kernel(out_type=ROW, mesh=mesh, scratch_types=SCRATCH)
    def kernel(x: Any, out: Any, held: Any, flag: Any) -> None:
        flag[0] = 0

        @pl.when(jax.lax.axis_index("subcore") == 2)
        def _() -> None:
            held[...] = jnp.zeros(16, jnp.int32) + _wait(flag)

        plsc.subcore_barrier()
        pltpu.sync_copy(x, out)

    _, *lines = _error_of(kernel, jnp.zeros((4, 16), jnp.int32))
    assert [line.partition(" at ")[0] for line in lines] == [
        "  vector subcores (0, 0) to (0, 1), (0, 3) wait",
        "  vector subcore (0, 2) repeats the loop",
    ]
    assert "wait at the barrier with 3 of 4 subcores, at test_spinning.py:" in lines[0]


@pytest.mark.parametrize("mode", MODES)
def test_a_loop_that_nobody_can_end(mode: str):
    """No other subcore can reach the memory: the loop ends at once, whatever it does besides."""
    sc.configure("7x", pallas=mode)

    @pl.kernel(
        out_type=jax.ShapeDtypeStruct((16,), jnp.int32),
        mesh=one_subcore(),
        scratch_types=[*SCRATCH, pltpu.SMEM((1,), jnp.int32)],
    )
    def kernel(x: Any, out: Any, held: Any, flag: Any, other: Any) -> None:
        flag[0] = 0
        other[0] = 0

        def body(_: Any) -> Any:
            pltpu.sync_copy(x, held)
            other[0] = other[0] + 1
            return flag[0]

        jax.lax.while_loop(lambda seen: seen == 0, body, jnp.int32(0))
        pltpu.sync_copy(held, out)

    first, line = _error_of(kernel, jnp.zeros(16, jnp.int32))
    assert first == "kernel 'kernel': deadlock: no subcore can go on:"
    assert line.startswith("  vector subcore (0, 0) repeats the loop at test_spinning.py:")
    assert line.endswith(", which waits for a change of scratch 1")


@pytest.mark.parametrize("mode", MODES)
def test_loops_that_end_by_themselves(mode: str):
    """What they carry, or write, ends them: also after more iterations than a loop may look."""
    sc.configure("7x", pallas=mode)
    count = 200 if mode == "reference" else 100_000

    @pl.kernel(
        out_type=jax.ShapeDtypeStruct((16,), jnp.int32),
        mesh=one_subcore(),
        scratch_types=SCRATCH,
    )
    def kernel(x: Any, out: Any, held: Any, counter: Any) -> None:
        counter[0] = 0

        def add(seen: Any) -> Any:
            counter[0] = seen + 1
            return counter[0]

        seen = jax.lax.while_loop(lambda seen: seen < count, add, counter[0])
        carried = jax.lax.while_loop(
            lambda at: (at * at < count * 3) & (counter[0] > 0), lambda at: at + 1, jnp.int32(0)
        )
        pltpu.sync_copy(x, held)
        held[...] = held[...] + seen + carried
        pltpu.sync_copy(held, out)

    root = int(np.ceil(np.sqrt(count * 3)))
    x = np.arange(16, dtype=np.int32)
    np.testing.assert_array_equal(jax.jit(kernel)(x), x + count + root)
