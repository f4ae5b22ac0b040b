"""A user's own update, as the library passes it on."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sdykit.sparsecore.optimizers import Custom
from support.jax_tpu_embedding.gradient_cases import IS_OLD, LIMITS, OWN, STEP, Case, primitive_of


def momentum(gradient: Any, table: Any, velocity: Any, seen: Any, *scalars: Any) -> Any:
    """Update a row: what falls counts half, and every update is counted."""
    rate, decay = scalars
    slow = jnp.where(gradient > 0, gradient, gradient * 0.5)
    velocity = decay * velocity + slow
    return table - rate * velocity, velocity, seen + 1


MOMENTUM = Custom(
    0.1,
    update=lambda *values: tuple(map(np.asarray, momentum(*values))),
    slot_values=(("velocity", 0.5), ("seen", 0.0)),
    more_hyperparameters=(("decay", 0.75),),
)
"""The same for the reference: one operation after another, on arrays that are known."""


def form_of(function: Any, dim: int, arguments: int) -> dict[str, Any]:
    """Trace an update as the library does."""
    rows = [jax.ShapeDtypeStruct((1, dim), jnp.float32)] * arguments
    if IS_OLD:
        return {"jaxpr": jax.make_jaxpr(function)(*rows)}
    return {"stablehlo": jax.jit(function).lower(*rows).as_text()}


def update(case: Case, buffers: tuple[Any, ...], tables: list[Any], gradient: Any) -> Any:
    """Call the primitive with `momentum`; one hyperparameter is an array of one element."""
    scalars = list(MOMENTUM.hyperparameters(STEP).values())
    options = form_of(momentum, gradient.shape[1], 1 + len(tables) + len(scalars))
    if not IS_OLD:
        options["enable_minibatching"] = case.is_minibatched
    operands = (*buffers, gradient, scalars[0], np.full(1, scalars[1]), *tables)
    bind = primitive_of(OWN).bind
    return bind(*operands, num_hyperparameters=len(scalars), **options, **LIMITS)
