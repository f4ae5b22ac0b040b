"""A user's own update: traced by JAX, and carried as StableHLO."""

from __future__ import annotations

from functools import cache
from typing import Any

import jax
import jax.numpy as jnp

from sdykit.bridge.sharding_api import BridgeError
from sdykit.sparsecore.optimizers import Custom
from sdykit.sparsecore.tile.spec import CustomUpdateSpec


def custom_spec(optimizer: Custom, fields: dict[str, Any]) -> CustomUpdateSpec:
    """Give the spec of a user's update.

    Raises:
        BridgeError: its function does not give table and slots of the shape it gets.
    """
    slots = tuple(optimizer.slots)
    scalars = tuple(optimizer.hyperparameters(0))
    text = _traced(optimizer, fields["dim"])
    return CustomUpdateSpec(stablehlo=text, slots=slots, scalars=scalars, **fields)


@cache
def _traced(optimizer: Custom, dim: int) -> str:
    slots, scalars = len(optimizer.slots), len(optimizer.hyperparameters(0))
    row = jax.ShapeDtypeStruct((1, dim), jnp.float32)

    def update(*values: jax.Array) -> tuple[jax.Array, ...]:
        try:
            found = optimizer.update(*values)
        except Exception as error:
            error.add_note("while JAX traced the update of optimizer custom")
            raise
        results = tuple(found) if isinstance(found, tuple | list) else (found,)
        shapes = [(jnp.shape(each), jnp.result_type(each)) for each in results]
        if shapes != [(row.shape, row.dtype)] * (1 + slots):
            shown = ", ".join(f"{dtype}[{','.join(map(str, shape))}]" for shape, dtype in shapes)
            raise BridgeError(
                f"optimizer custom: update gives {shown}; expected table and {slots} slots, "
                f"each float32[1,{dim}]"
            )
        return results

    # The rows have nothing to do with the mesh that the call is traced under.
    with jax.sharding.use_abstract_mesh(jax.sharding.AbstractMesh((), ())):
        lowered = jax.jit(update, keep_unused=True).lower(*[row] * (2 + slots + scalars))
    return str(lowered.compiler_ir("stablehlo"))
