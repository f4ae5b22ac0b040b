"""Kernels of one subcore that do one thing to arrays in its memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc

from support.pallas.kernels import one_subcore

Array = npt.NDArray[Any]
Shape = tuple[int, ...]


def lanes() -> int:
    """Return how many elements of 32 bits a vector of the chip has."""
    return plsc.get_sparse_core_info().num_lanes


def in_vmem(
    body: Callable[..., None],
    *arrays: Array,
    out: Array | None = None,
    scratch: Sequence[Any] = (),
    layouts: bool = False,
) -> Array:
    """Return what a function of references makes of an array in VMEM.

    Args:
        body: gets references to copies of the arrays in VMEM, to the result there, and the scratch.
        arrays: the arguments.
        out: what the result is at first; None: the last of `arrays`.
        scratch: types of more memory.
        layouts: whether vectors may have other shapes than a register's.
    """
    first = arrays[-1] if out is None else out
    given = [*arrays, first]

    @pl.kernel(
        out_type=jax.ShapeDtypeStruct(first.shape, first.dtype),
        mesh=one_subcore(),
        scratch_types=[*(pltpu.VMEM(each.shape, each.dtype) for each in given), *scratch],
        compiler_params=pltpu.CompilerParams(needs_layout_passes=layouts),
    )
    def kernel(*references: Any) -> None:
        inputs, (result, *rest) = references[: len(given)], references[len(given) :]
        held, more = rest[: len(given)], rest[len(given) :]
        for source, target in zip(inputs, held, strict=True):
            pltpu.sync_copy(source, target)
        body(*held, *more)
        pltpu.sync_copy(held[-1], result)

    return np.asarray(jax.jit(kernel)(*map(jnp.asarray, given)))


def numbers(shape: Shape, dtype: Any, seed: int = 0) -> Array:
    """Return small integers of a type, with signs if it has them."""
    random = np.random.default_rng(seed)
    low = 0 if np.dtype(dtype).name.startswith("uint") else -8
    return random.integers(low, 8, shape).astype(dtype)


def mask_of(kind: str, size: int) -> npt.NDArray[np.bool_]:
    """Return a mask in which "none", "all" or "some" lanes are true."""
    if kind == "some":
        return np.random.default_rng(1).random(size) < 0.5
    return np.full(size, kind == "all")
