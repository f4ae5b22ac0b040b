"""The rounds in which ids travel to the devices that own their rows.

In each round a device sends the next `capacity` ids of each owner, in ascending order. All devices agree
on where the round ends for each owner: before the first id that one of them has no room for. So all
that is sent of a row is sent in one round, which may update it. Rounds go on until no id is left.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sdykit.bridge.embedding.axes import Axes, varying
from sdykit.bridge.embedding.exchange.bounds import fill_round, next_bounds
from sdykit.bridge.embedding.exchange.route import Route
from sdykit.sparsecore.exchange import Exchange


@dataclasses.dataclass(frozen=True)
class Round:
    """What a device sends and receives in a round.

    Attributes:
        sent: int32 `[devices * capacity]`: numbers of the ids that are sent, device after device; -1:
            room that is not used.
        received: int32 `[devices * capacity]`: the rows of this device that others name, device after
            device; -1: none.
    """

    sent: jax.Array
    received: jax.Array


def run_rounds(
    axes: Axes,
    exchange: Exchange,
    route: Route,
    step: Callable[[Round, Any], Any],
    state: Any,
    *,
    read: Any,
) -> Any:
    """Run rounds until the ids of all devices have been sent.

    Args:
        axes: the axes that the table is split over.
        exchange: the sizes.
        route: the ids of this device.
        step: a function of a round and the state, which returns the next state.
        state: a pytree of arrays.
        read: a pytree of the other arrays that the function reads.

    Returns:
        The state after the last round.
    """
    firsts = np.arange(exchange.devices, dtype=np.int32) * exchange.rows
    limits = jnp.asarray(firsts + exchange.rows)
    number = axes.device()

    def is_left(carried: Any) -> jax.Array:
        return jnp.any(carried[0] < limits)

    def body(carried: Any) -> Any:
        begins, held = carried
        own = next_bounds(exchange, route.ids, begins, limits)
        ends = jax.lax.pmin(own, axes.names)
        numbers, ids = fill_round(exchange, route.ids, begins, ends)
        received = axes.exchange(ids)
        rows = jnp.where(received < 0, -1, received - number * exchange.rows)
        return _alike((ends, step(Round(numbers, rows), held)), arrays=carried)

    start = (jnp.asarray(firsts), state)
    _, found = jax.lax.while_loop(
        is_left, body, _alike(start, arrays=(start, route.ids, number, read))
    )
    return found


def _alike(tree: Any, *, arrays: Any) -> Any:
    """Return a tree whose arrays vary over all axes of the mesh that any of `arrays` varies over."""
    names = frozenset[Any]().union(*map(varying, jax.tree.leaves(arrays)))

    def cast(each: jax.Array) -> jax.Array:
        missing = tuple(names - varying(each))
        return jax.lax.pcast(each, missing, to="varying") if missing else each

    return jax.tree.map(cast, tree)
