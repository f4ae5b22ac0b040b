"""Kernels that tests of the bridge call; `sc.configure` must have set the chip before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc

Kernel = Callable[..., Any]


def vector_mesh(**sizes: int) -> plsc.VectorSubcoreMesh:
    """Return a mesh of vector subcores: all of the chip, or so many."""
    return plsc.VectorSubcoreMesh(core_axis_name="core", subcore_axis_name="subcore", **sizes)


def one_subcore() -> plsc.VectorSubcoreMesh:
    """Return a mesh of one vector subcore."""
    return vector_mesh(num_cores=1, num_subcores=1)


def copy(shape: Sequence[int], dtype: Any = jnp.float32, **options: Any) -> Kernel:
    """Return a kernel that copies an array, in one DMA."""

    @pl.kernel(out_type=jax.ShapeDtypeStruct(shape, dtype), mesh=one_subcore(), **options)
    def copy(x: Any, out: Any) -> None:
        pltpu.sync_copy(x, out)

    return copy


def add_one(size: int = 16, dtype: Any = jnp.float32, **options: Any) -> Kernel:
    """Return a kernel that adds 1 to an array of one register."""

    @pl.kernel(
        out_type=jax.ShapeDtypeStruct((size,), dtype),
        mesh=one_subcore(),
        scratch_types=[pltpu.VMEM((size,), dtype)],
        **options,
    )
    def add_one(x: Any, out: Any, held: Any) -> None:
        pltpu.sync_copy(x, held)
        held[...] = held[...] + 1
        pltpu.sync_copy(held, out)

    return add_one


def where_device(size: int = 16) -> Kernel:
    """Return a kernel that adds the position of the device along the axis `d` of a mesh."""

    @pl.kernel(
        out_type=jax.ShapeDtypeStruct((size,), jnp.int32),
        mesh=one_subcore(),
        scratch_types=[pltpu.VMEM((size,), jnp.int32)],
    )
    def where_device(x: Any, out: Any, held: Any) -> None:
        pltpu.sync_copy(x, held)
        held[...] = held[...] + jax.lax.axis_index("d")
        pltpu.sync_copy(held, out)

    return where_device
