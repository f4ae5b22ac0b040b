"""Calls that order others."""

from __future__ import annotations

from collections.abc import Sequence

import jax
import numpy as np

from sdykit.bridge import _native

TARGET = "sdykit_ordering"
"""The target of the custom call in XLA's programs."""

jax.ffi.register_ffi_target(TARGET, _native.ordering(), platform="cpu")


def after(arrays: Sequence[jax.Array], others: Sequence[jax.Array]) -> list[jax.Array]:
    """Return arrays, in their memory, for operations that run after `others` were computed.

    The memory of `others` is not used for anything else before. There is no gradient.
    """
    if not arrays:
        return []
    shapes = [jax.ShapeDtypeStruct(each.shape, each.dtype) for each in arrays]
    aliases = {number: number for number in range(len(arrays))}
    run = jax.ffi.ffi_call(TARGET, shapes, input_output_aliases=aliases)
    # Keys of `jax.random` are no arrays of XLA.
    plain = [each for each in others if isinstance(each.dtype, np.dtype)]
    return list(run(*arrays, *plain))
