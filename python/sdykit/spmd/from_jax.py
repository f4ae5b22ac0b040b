"""JAX functions as programs: their modules, and their arguments as arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sdykit.mlir import ir
from sdykit.spmd.errors import SpmdError

Program = ir.Module | str | Callable[..., Any]
"""A module, its text, or a JAX function."""


def lowered(
    module: Program, inputs: Sequence[Any] | None, **options: Any
) -> tuple[ir.Module | str, Sequence[Any] | None]:
    """Return a module, and arrays for its arguments; a JAX function is lowered for its arguments.

    Args:
        module: a module, its text, or a function.
        inputs: arrays for a module; the arguments of a function, trees of arrays or of
            `jax.ShapeDtypeStruct`s. None is returned for the latter.
        **options: the mesh and the shardings, as `sdykit.bridge.from_jax.lower` takes them.

    Raises:
        SpmdError: options are given for a module, or no arguments for a function.
        BridgeError: an argument or sharding is not understood.
    """
    given = {name: value for name, value in options.items() if value is not None}
    if isinstance(module, (str, ir.Module)) or not callable(module):
        if given:
            raise SpmdError(f"{', '.join(given)}: meant for a JAX function, found a module")
        return module, inputs
    if inputs is None:
        raise SpmdError("inputs: expected the arguments of the function, found None")
    from sdykit.bridge.from_jax import lower

    text = lower(module, *inputs, debuginfo=True, **given)
    leaves = jax.tree.leaves(tuple(inputs))
    if leaves and all(isinstance(each, jax.ShapeDtypeStruct) for each in leaves):
        return text, None
    return text, [np.asarray(jnp.asarray(each)) for each in leaves]
