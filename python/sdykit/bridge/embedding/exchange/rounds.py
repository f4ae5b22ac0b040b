"""The rounds in which ids travel to the devices that own their rows.

In each round a device sends the next `capacity` ids of each owner, in ascending order, after `HEAD`
words: the first device with an error, the id that its next round begins with, and whether it has ids
left. An owner leaves out the ids from the first one that any device had no room for. So all that is sent
of a row is sent in one round, which may update it. Only if there is another round, devices agree on
where it begins for each owner.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sdykit.bridge.embedding.axes import Axes, varying
from sdykit.bridge.embedding.exchange.bounds import fill_round
from sdykit.bridge.embedding.exchange.route import Route
from sdykit.bridge.embedding.exchange.status import Status
from sdykit.sparsecore.exchange import HEAD, Exchange


@dataclasses.dataclass(frozen=True)
class Rounds:
    """What is done in each round.

    Attributes:
        width: the number of words that are sent to each owner, at least `HEAD + capacity`.
        send: a function of numbers and words that are sent, see `fill_round`. It returns the words
            that are received, int32 `[devices, width]`, and anything that comes with them.
        step: a function of the numbers, rows and what came with them, and the state, which returns the
            next state. Rows are int32 `[devices * capacity]`, those of this device that others name,
            device after device; -1: none.
    """

    width: int
    send: Callable[[jax.Array, jax.Array], tuple[jax.Array, Any]]
    step: Callable[[jax.Array, jax.Array, Any, Any], Any]


def run_rounds(
    axes: Axes,
    exchange: Exchange,
    route: Route,
    status: Status,
    rounds: Rounds,
    *,
    state: Any,
    read: Any,
) -> Any:
    """Run rounds until the ids of all devices have been sent; if one has an error, all end with it.

    Args:
        axes: the axes that the table is split over.
        exchange: the sizes.
        route: the ids of this device.
        status: whether they are wrong.
        rounds: what is done in each.
        state: a pytree of arrays.
        read: a pytree of the other arrays that the functions read.

    Returns:
        The state after the last round.
    """
    firsts = np.arange(exchange.devices, dtype=np.int32) * exchange.rows
    limits = jnp.asarray(firsts + exchange.rows)
    number, error = axes.device(), status.word()

    def body(carried: Any) -> Any:
        _, begins, held = carried
        own, numbers, words = fill_round(
            exchange, route.ids, begins, limits, error=error, width=rounds.width
        )
        received, others = rounds.send(numbers, words)
        heads, ids = received[:, :HEAD], received[:, HEAD : HEAD + exchange.capacity]
        ids = status.check(heads[:, 0], ids)
        is_left = jnp.any(heads[:, 2] != 0)
        is_row = (ids >= 0) & (ids < jnp.min(heads[:, 1]))
        rows = jnp.where(is_row, ids - number * exchange.rows, -1)
        ends = jax.lax.cond(
            is_left, lambda: axes.vary(jax.lax.pmin(own, axes.names)), lambda: axes.vary(own)
        )
        held = rounds.step(numbers, rows.reshape(-1), others, held)
        return _alike((is_left, ends, held), arrays=carried)

    start = (jnp.bool_(True), jnp.asarray(firsts), state)
    arrays = (start, route.ids, number, error, status.status, read)
    _, _, found = jax.lax.while_loop(lambda each: each[0], body, _alike(start, arrays=arrays))
    return found


def _alike(tree: Any, *, arrays: Any) -> Any:
    """Return a tree whose arrays vary over all axes of the mesh that any of `arrays` varies over."""
    names = frozenset[Any]().union(*map(varying, jax.tree.leaves(arrays)))

    def cast(each: jax.Array) -> jax.Array:
        missing = tuple(names - varying(each))
        return jax.lax.pcast(each, missing, to="varying") if missing else each

    return jax.tree.map(cast, tree)
