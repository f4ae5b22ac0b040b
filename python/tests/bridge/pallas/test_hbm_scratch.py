"""Scratch in HBM: one memory for all subcores of a device, of a kernel or of a region."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc

import sdykit.sparsecore as sc
from support.pallas.engines import assert_engines_agree
from support.pallas.kernels import vector_mesh

X = np.random.default_rng(3).normal(size=(8, 16)).astype(np.float32)


def test_subcores_pass_rows_to_each_other() -> None:
    @pl.kernel(
        out_type=jax.ShapeDtypeStruct((8, 16), jnp.float32),
        mesh=vector_mesh(num_cores=1, num_subcores=8),
        scratch_types=[pltpu.VMEM((16,), jnp.float32), pltpu.HBM((8, 16), jnp.float32)],
    )
    def turned(x: Any, out: Any, held: Any, passed: Any) -> None:
        row = jax.lax.axis_index("subcore")
        pltpu.sync_copy(x.at[row], held)
        pltpu.sync_copy(held, passed.at[row])
        plsc.subcore_barrier()
        pltpu.sync_copy(passed.at[7 - row], held)
        pltpu.sync_copy(held, out.at[row])

    assert_engines_agree(turned, [X], [X[::-1]])


def test_memory_of_a_region() -> None:
    @pl.kernel(
        out_type=jax.ShapeDtypeStruct((8, 16), jnp.float32),
        mesh=vector_mesh(num_cores=1, num_subcores=4),
    )
    def through(x: Any, out: Any) -> None:
        rows = pl.ds(2 * jax.lax.axis_index("subcore"), 2)

        def pass_on(passed: Any) -> None:
            pltpu.sync_copy(x.at[rows], passed.at[rows])
            pltpu.sync_copy(passed.at[rows], out.at[rows])

        pl.run_scoped(pass_on, pltpu.HBM((8, 16), jnp.float32))
        pl.run_scoped(pass_on, pltpu.HBM((8, 16), jnp.float32))

    assert_engines_agree(through, [X], [X])


@pytest.mark.parametrize("mode", ["reference", "check"])
def test_what_was_never_written_is_nan(mode: str) -> None:
    @pl.kernel(
        out_type=jax.ShapeDtypeStruct((8, 16), jnp.float32),
        mesh=vector_mesh(num_cores=1, num_subcores=1),
        scratch_types=[pltpu.HBM((8, 16), jnp.float32)],
    )
    def unwritten(x: Any, out: Any, passed: Any) -> None:
        pltpu.sync_copy(x.at[pl.ds(0, 4)], passed.at[pl.ds(4, 4)])
        pltpu.sync_copy(passed, out)

    sc.configure("7x", pallas=mode)
    try:
        found = np.asarray(jax.jit(unwritten)(X))
    finally:
        sc.configure()
    assert np.isnan(found[:4]).all()
    np.testing.assert_array_equal(found[4:], X[:4])
