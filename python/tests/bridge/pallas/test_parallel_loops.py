"""Iterations of a `parallel_loop`: what depends on each other, told alike by both engines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc

import sdykit.sparsecore as sc
from sdykit.sparsecore.mosaic.compile import fallbacks

Body = Callable[[Any, Any], None]


def adds(v: Any, i: Any) -> None:
    plsc.addupdate(v.at[pl.ds(0, 16)], jnp.full(16, i, jnp.int32))


def own_memory(v: Any, i: Any) -> None:
    def inside(own: Any) -> None:
        own[...] = jnp.full(16, i, jnp.int32)
        v[pl.ds(i * 16, 16)] = own[...]

    pl.run_scoped(inside, pltpu.VMEM((16,), jnp.int32))


def inner_loop(v: Any, i: Any) -> None:
    @plsc.parallel_loop(0, 16, step=16)
    def _(j: Any) -> None:
        v[pl.ds(i * 16 + j, 16)] = v[pl.ds(i * 16 + j, 16)] + i


def same_place(v: Any, i: Any) -> None:
    v[pl.ds(0, 16)] = jnp.full(16, i, jnp.int32)


def before_it(v: Any, i: Any) -> None:
    v[pl.ds(i * 16, 16)] = v[pl.ds(jnp.maximum(i - 1, 0) * 16, 16)]


def after_it(v: Any, i: Any) -> None:
    v[pl.ds(i * 16, 16)] = v[pl.ds(jnp.minimum(i + 1, 3) * 16, 16)]


def adds_and_reads(v: Any, i: Any) -> None:
    adds(v, i)
    v[pl.ds(48, 16)] = v[pl.ds(0, 16)]


@pytest.fixture(autouse=True)
def _settings() -> Iterator[None]:
    yield
    sc.configure()


def outcome_of(body: Body, mode: str) -> bytes | str:
    """Return the bytes of a kernel's result, or the text of its error."""
    sc.configure("7x", pallas=mode)
    mesh = plsc.VectorSubcoreMesh(
        core_axis_name="core", subcore_axis_name="subcore", num_cores=1, num_subcores=1
    )

    @pl.kernel(
        out_type=jax.ShapeDtypeStruct((64,), jnp.int32),
        mesh=mesh,
        scratch_types=[pltpu.VMEM((64,), jnp.int32)],
        name="loop",
    )
    def loop(x: Any, out: Any, v: Any) -> None:
        pltpu.sync_copy(x, v)

        @plsc.parallel_loop(0, 4)
        def _(i: Any) -> None:
            body(v, i)

        pltpu.sync_copy(v, out)

    known = len(fallbacks())
    try:
        found = np.asarray(jax.jit(loop)(jnp.arange(64, dtype=jnp.int32)))
    except jax.errors.JaxRuntimeError as error:
        text = str(error)
        return text[text.index("'loop'") :]
    finally:
        assert len(fallbacks()) == known, fallbacks()[known:]
    return found.tobytes()


@pytest.mark.parametrize("body", [adds, own_memory, inner_loop])
def test_iterations_that_do_not_depend_on_each_other(body: Body) -> None:
    found = outcome_of(body, "check")
    assert isinstance(found, bytes), found
    assert found == outcome_of(body, "reference")


@pytest.mark.parametrize("body", [same_place, before_it, after_it, adds_and_reads])
def test_iterations_that_depend_on_each_other(body: Body) -> None:
    found = outcome_of(body, "check")
    assert isinstance(found, str)
    assert "the iterations of the parallel_loop at " in found
    assert found == outcome_of(body, "reference")
