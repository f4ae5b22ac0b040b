"""What kernels with faults are made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

from support.pallas.kernels import one_subcore

Call = Callable[[], jax.Array]

F32 = jnp.float32


def rows_of(count: int, size: int = 16) -> jax.Array:
    """Return rows of ascending numbers."""
    return jnp.arange(count * size, dtype=F32).reshape(count, size)


def kernel_of(shape: tuple[int, ...], *scratch: Any, mesh: Any = None, dtype: Any = F32) -> Any:
    """Return what makes a kernel of a function, with a result of a shape."""
    return pl.kernel(
        out_type=jax.ShapeDtypeStruct(shape, dtype),
        mesh=mesh or one_subcore(),
        scratch_types=list(scratch),
    )


def vmem(*shape: int, dtype: Any = F32) -> Any:
    """Return memory of a subcore."""
    return pltpu.VMEM(shape, dtype)
