"""Counters of kernels, against numbers that are worked out here, in all engines."""

from __future__ import annotations

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
from sdykit.bridge.kernels.compile import compilations
from support.pallas.kernels import Kernel, add_one, vector_mesh

CORES, SUBCORES, LANES = 2, 4, 16
ROW = 4 * LANES
"""The bytes of a row."""


@pytest.fixture(params=("check", "fast", "reference"))
def mode(request: pytest.FixtureRequest) -> Iterator[str]:
    sc.configure("7x", pallas=request.param, counters=True)
    sc.reset_counters()
    yield request.param
    sc.reset_counters()
    sc.configure()


def only() -> Any:
    (counted,) = sc.counters()
    return counted


def is_compiled() -> bool:
    return compilations()[-1].program is not None


def free() -> Kernel:
    """Return a kernel whose subcores copy as many rows as their number, then gather some."""

    @pl.kernel(
        out_type=jax.ShapeDtypeStruct((CORES * SUBCORES, LANES), jnp.float32),
        mesh=vector_mesh(num_cores=CORES, num_subcores=SUBCORES),
        scratch_types=[
            pltpu.VMEM((1, LANES), jnp.float32),
            pltpu.VMEM((LANES,), jnp.int32),
            pltpu.VMEM((LANES, LANES), jnp.float32),
            pltpu.SemaphoreType.DMA,
        ],
    )
    def free(table: Any, ids: Any, out: Any, *scratch: Any) -> None:
        row, own, rows, done = scratch
        at = jax.lax.axis_index("core") * SUBCORES + jax.lax.axis_index("subcore")

        @pl.loop(0, at)
        def _(number: Any) -> None:
            with jax.named_scope("fetch"):
                pltpu.sync_copy(table.at[pl.ds(number, 1)], row)

        pltpu.sync_copy(ids, own)
        with jax.named_scope("gather"):
            chosen = table.at[plsc.Indices(own, ignored_value=-1)]
            pltpu.async_copy(chosen, rows, done).wait()
            row[0] = rows[0] + rows[1]
        pltpu.sync_copy(row, out.at[pl.ds(at, 1)])

    return free


def test_a_kernel_whose_subcores_never_wait(mode: str) -> None:
    ids = np.array([3, -1] * (LANES // 2), np.int32)  # Half of the rows are left out.
    call = jax.jit(free())
    for _ in range(3):
        jax.block_until_ready(call(jnp.ones((64, LANES)), ids))
    assert is_compiled() == (mode != "reference")
    counted = only()
    assert (counted.spec.kind, counted.spec.label, counted.runs) == ("mosaic", "free", 3)
    numbers = np.arange(CORES * SUBCORES).reshape(CORES, SUBCORES)
    one = np.ones_like(numbers)
    expected = {
        "fetch: DMAs": numbers,
        "fetch: bytes read from HBM": numbers * ROW,
        "fetch: waits": numbers,
        "gather: DMAs": one,
        "gather: indirect rows": one * LANES // 2,
        "gather: bytes read from HBM": one * ROW * LANES // 2,
        "gather: waits": one,
        "gather: vector loads": one * 2,
        "gather: vector stores": one,
        "DMAs": numbers + 3,
        "bytes read from HBM": numbers * ROW + ROW * LANES // 2 + 4 * LANES,
        "bytes written to HBM": one * ROW,
        "bytes read from VMEM_SHARED": one * 0,
        "waits": numbers + 3,
        "barriers": one * 0,
    }
    for name, each in expected.items():
        np.testing.assert_array_equal(counted.by(name, "core", "tile"), 3 * each, name)
        np.testing.assert_array_equal(counted.of_tiles(name), 3 * each, name)
    assert counted.totals["fetch: DMAs"] == 3 * 28


def waiting() -> Kernel:
    """Return a kernel whose subcores add rows in shared memory, and all read the first sum."""

    @pl.kernel(
        out_type=jax.ShapeDtypeStruct((CORES * SUBCORES, LANES), jnp.float32),
        mesh=vector_mesh(num_cores=CORES, num_subcores=SUBCORES),
        scratch_types=[
            pltpu.VMEM_SHARED((SUBCORES, LANES), jnp.float32),
            pltpu.VMEM((1, LANES), jnp.float32),
        ],
    )
    def waiting(x: Any, out: Any, shared: Any, row: Any) -> None:
        core, subcore = jax.lax.axis_index("core"), jax.lax.axis_index("subcore")
        here = pl.ds(core * SUBCORES + subcore, 1)
        pltpu.sync_copy(x.at[here], shared.at[pl.ds(subcore, 1)])
        plsc.subcore_barrier()

        @pl.loop(0, 2)
        def _(number: Any) -> None:
            pltpu.sync_copy(shared.at[pl.ds(number, 1)], row)

        plsc.subcore_barrier()
        pltpu.sync_copy(row, out.at[here])

    return waiting


def test_a_kernel_whose_subcores_wait_for_each_other(mode: str) -> None:
    found = jax.block_until_ready(jax.jit(waiting())(jnp.ones((CORES * SUBCORES, LANES))))
    np.testing.assert_array_equal(found, np.ones((CORES * SUBCORES, LANES)))
    assert is_compiled() == (mode != "reference")
    totals, subcores = only().totals, CORES * SUBCORES
    assert totals == {
        "bytes read from HBM": subcores * ROW,
        "bytes read from VMEM_SHARED": subcores * 2 * ROW,
        "bytes written to HBM": subcores * ROW,
        "bytes written to VMEM_SHARED": subcores * ROW,
        "DMAs": subcores * 4,
        "indirect rows": 0,
        "vector loads": 0,
        "vector stores": 0,
        "barriers": subcores * 2,
        "waits": subcores * 4,
    }


def test_counters_begin_again_after_a_reset(mode: str) -> None:
    call = jax.jit(add_one())
    jax.block_until_ready(call(jnp.zeros(16)))
    first = only().totals
    sc.reset_counters()
    assert sc.counters() == [], mode
    jax.block_until_ready(call(jnp.zeros(16)))
    assert only().totals == first


def test_a_kernel_has_no_counters_unless_they_are_asked_for() -> None:
    sc.configure("7x", pallas="fast")
    sc.reset_counters()
    jax.block_until_ready(jax.jit(add_one(48))(jnp.zeros(48)))
    program = compilations()[-1].program
    assert program is not None
    assert "counters" not in [each.name for each in program.interface.arguments]
    assert sc.counters() == []
    sc.configure()
