"""Loops, conditions, regions and numbers of subcores, against numpy."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc

from support.pallas.kernels import vector_mesh
from support.pallas.one_op import in_vmem, lanes, numbers

pytestmark = pytest.mark.usefixtures("chip")


def test_loops_with_carried_values():
    n = lanes()
    rows = numbers((6, n), np.int32)

    def body(x: Any, out: Any) -> None:
        def step(i: Any, carried: Any) -> Any:
            total, _ = carried
            return total * 2 + x[i], total

        total, before = jax.lax.fori_loop(1, 6, step, (x[0], jnp.zeros(n, jnp.int32)), unroll=False)
        out[0], out[1] = total, before

    found = in_vmem(body, rows, out=np.zeros((2, n), np.int32))
    total, before = rows[0], np.zeros(n, np.int32)
    for row in rows[1:]:
        total, before = total * 2 + row, total
    np.testing.assert_array_equal(found, [total, before])


def test_loops_that_do_nothing():
    n = lanes()

    def body(x: Any, out: Any) -> None:
        @pl.loop(0, x[...][0])
        def _(i: Any) -> None:
            out[...] = x[...] + i

    found = in_vmem(body, np.zeros(n, np.int32), out=np.full(n, 5, np.int32))
    np.testing.assert_array_equal(found, np.full(n, 5))


def test_while_loops():
    """How many steps a number takes to 1: n / 2, or 3 n + 1 if it is odd."""
    n = lanes()

    def body(x: Any, out: Any) -> None:
        def step(carried: Any) -> Any:
            value, steps = carried
            return jnp.where(value % 2 == 0, value // 2, 3 * value + 1), steps + 1

        _, steps = jax.lax.while_loop(
            lambda carried: carried[0] != 1, step, (x[...][0], jnp.int32(0))
        )
        out[...] = jnp.full((n,), steps)

    found = in_vmem(body, np.full(n, 27, np.int32))
    np.testing.assert_array_equal(found, np.full(n, 111))


@pytest.mark.parametrize("case", [0, 1, 2])
def test_conditions_with_results(case: int):
    n = lanes()

    def body(which: Any, out: Any) -> None:
        number = which[...][0]
        value = jax.lax.switch(
            number, [lambda: out[...] + 1, lambda: out[...] * 2, lambda: out[...] - number]
        )
        pl.when(number > 1)(lambda: out.__setitem__(..., value * 10))
        pl.when(number <= 1)(lambda: out.__setitem__(..., value))

    out = numbers((n,), np.int32)
    found = in_vmem(body, np.full(n, case, np.int32), out=out)
    np.testing.assert_array_equal(found, [out + 1, out * 2, (out - 2) * 10][case])


def test_parallel_loops():
    n = lanes()
    values = numbers((4 * n,), np.int32)

    def body(x: Any, out: Any) -> None:
        @plsc.parallel_loop(0, 4 * n, step=n, carry=jnp.zeros(n, jnp.int32))
        def total(at: Any, carried: Any) -> Any:
            out[pl.ds(at, n)] = x[pl.ds(at, n)] * 3
            return carried + x[pl.ds(at, n)]

        out[pl.ds(4 * n, n)] = total

    found = in_vmem(body, values, out=np.zeros(5 * n, np.int32))
    np.testing.assert_array_equal(found[: 4 * n], values * 3)
    np.testing.assert_array_equal(found[4 * n :], values.reshape(4, n).sum(0))


def test_memory_of_regions():
    n = lanes()
    values = numbers((n,), np.int32)

    def body(x: Any, out: Any) -> None:
        @pl.loop(0, 3)
        def _(i: Any) -> None:
            def scope(held: Any, counter: Any) -> None:
                counter[0] = i + 1
                held[...] = x[...] * counter[0]
                out[...] = out[...] + held[...]

            pl.run_scoped(scope, pltpu.VMEM((n,), jnp.int32), pltpu.SMEM((1,), jnp.int32))

    found = in_vmem(body, values, out=np.zeros(n, np.int32))
    np.testing.assert_array_equal(found, values * 6)


def test_numbers_of_subcores():
    n = lanes()
    mesh = vector_mesh()
    shape = (mesh.num_cores, mesh.num_subcores)

    @pl.kernel(
        out_type=jax.ShapeDtypeStruct((*shape, n), jnp.int32),
        mesh=mesh,
        scratch_types=[pltpu.VMEM((n,), jnp.int32)],
    )
    def kernel(out: Any, held: Any) -> None:
        core, subcore = jax.lax.axis_index("core"), jax.lax.axis_index("subcore")
        held[...] = jnp.full((n,), core * 100 + subcore)
        pltpu.sync_copy(held, out.at[core, subcore])

    expected = np.arange(shape[0])[:, None, None] * 100 + np.arange(shape[1])[None, :, None]
    np.testing.assert_array_equal(jax.jit(kernel)(), np.broadcast_to(expected, (*shape, n)))


def test_numbers_of_scalar_subcores():
    mesh = plsc.ScalarSubcoreMesh(axis_name="core")

    @pl.kernel(
        out_type=jax.ShapeDtypeStruct((mesh.num_cores, 8), jnp.int32),
        mesh=mesh,
        scratch_types=[pltpu.SMEM((8,), jnp.int32)],
    )
    def kernel(out: Any, held: Any) -> None:
        for k in range(8):
            held[k] = jax.lax.axis_index("core") * 10 + k
        pltpu.sync_copy(held, out.at[jax.lax.axis_index("core")])

    expected = np.arange(mesh.num_cores)[:, None] * 10 + np.arange(8)
    np.testing.assert_array_equal(jax.jit(kernel)(), expected)


def test_multiples():
    n = lanes()
    values = numbers((n,), np.int32)

    def body(x: Any, at: Any, out: Any) -> None:
        out[pl.ds(pl.multiple_of(at[...][0], 8), n)] = x[...]

    out = np.zeros(3 * n, np.int32)
    found = in_vmem(body, values, np.full(n, 8, np.int32), out=out)
    out[8 : 8 + n] = values
    np.testing.assert_array_equal(found, out)
