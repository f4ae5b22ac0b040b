"""A user's own update: traced by JAX, and carried as StableHLO."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp

from sdykit.bridge.sharding_api import BridgeError
from sdykit.sparsecore.optimizers import Custom
from sdykit.sparsecore.tile._stablehlo import check_row_function
from sdykit.sparsecore.tile.spec import CustomUpdateSpec


def custom_spec(optimizer: Custom, fields: dict[str, Any]) -> CustomUpdateSpec:
    """Give the spec of a user's update.

    Raises:
        BridgeError: its function does not give table and slots of the shape it gets.
    """
    slots = tuple(optimizer.slots)
    scalars = tuple(optimizer.hyperparameters(0))
    text = _kept(optimizer.update, fields["dim"], len(slots), len(scalars))
    return CustomUpdateSpec(stablehlo=text, slots=slots, scalars=scalars, **fields)


@cache
def _kept(update: Callable[..., Any], dim: int, slots: int, scalars: int) -> str:
    return update_text(update, dim, slots, scalars)


def update_text(update: Callable[..., Any], dim: int, slots: int, scalars: int) -> str:
    """Trace an update of a row.

    Args:
        update: takes gradient, table, slots and hyperparameters, float32 `[1, dim]`; gives table
            and slots.
        dim: elements of a row.
        slots: how many there are.
        scalars: how many hyperparameters there are.

    Returns:
        A StableHLO module.

    Raises:
        BridgeError: it does not give table and slots of the shape it gets.
        SparseCoreError: an operation is not element-wise; the text begins with its file and line.
    """
    row = jax.ShapeDtypeStruct((1, dim), jnp.float32)

    def traced(*values: jax.Array) -> tuple[jax.Array, ...]:
        try:
            found = update(*values)
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
        lowered = jax.jit(traced, keep_unused=True).lower(*[row] * (2 + slots + scalars))
    check_row_function(lowered.as_text(debug_info=True), 2 + slots, scalars)
    return str(lowered.compiler_ir("stablehlo"))
