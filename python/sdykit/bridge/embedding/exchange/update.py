"""Updates whose gradients travel to the devices that own the rows."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import jax
import jax.numpy as jnp

from sdykit.bridge.embedding.axes import Axes
from sdykit.bridge.embedding.exchange.rounds import Round, run_rounds
from sdykit.bridge.embedding.exchange.route import make_route
from sdykit.bridge.embedding.exchange.rows import gather_rows
from sdykit.bridge.embedding.programs.call import call_tile
from sdykit.sparsecore.exchange import Exchange
from sdykit.sparsecore.optimizers import SGD
from sdykit.sparsecore.tile.spec import CustomUpdateSpec, UpdateSpec

Arrays = dict[str, jax.Array]

DESCENT = SGD(-1.0)
"""An optimizer whose step on zeros is the sum of the gradients."""


def exchange_gradients(
    axes: Axes,
    exchange: Exchange,
    spec: UpdateSpec | CustomUpdateSpec,
    arrays: Mapping[str, jax.Array],
    scalars: Mapping[str, jax.Array],
    *,
    where: str,
    label: str = "",
) -> Arrays:
    """Return this device's table and slots after a step, by the names of the program's arguments.

    They are bit for bit those of programs that get the gradients of all samples.

    Args:
        axes: the axes that the table is split over.
        exchange: the sizes.
        spec: the spec of an update on all devices.
        arrays: `ids`, each of which is in the table, and `gradients` of this device's samples; `gains`,
            unless all are 1; this device's part of the table, and of the slots.
        scalars: the hyperparameters by name.
        where: the prefix of errors.
        label: the name of the table or stack; "": it has none.
    """
    route = make_route(arrays["ids"])
    given = {name: arrays[name] for name in ("gradients", "gains") if name in arrays}
    sums = _summed(exchange, spec, {**given, "ids": route.numbers}, where=where, label=label)
    received = exchange.devices * exchange.capacity
    alone = dataclasses.replace(
        spec, num_devices=1, samples_per_core=received // spec.sparse_cores, gains=False
    )

    def step(this: Round, held: Arrays) -> Arrays:
        of_others = axes.exchange(gather_rows(sums, this.sent))
        inputs = {"ids": this.received.reshape(-1, 1), "gradients": of_others, **scalars, **held}
        done = call_tile(alone, inputs, where=where, table=label)
        return {name: done[name] for name in held}

    in_place = {name: x for name, x in arrays.items() if name not in (*given, "ids")}
    return run_rounds(axes, exchange, route, step, in_place, read=(sums, dict(scalars)))


def _summed(
    exchange: Exchange,
    spec: UpdateSpec | CustomUpdateSpec,
    arrays: Mapping[str, jax.Array],
    *,
    where: str,
    label: str,
) -> jax.Array:
    """Return the sum of the gradients of each distinct id, float32 `[ids, dim]`."""
    alone = UpdateSpec(
        optimizer=DESCENT,
        dim=spec.dim,
        samples_per_core=spec.samples_per_core,
        chip=spec.chip,
        layout="ids",
        gains=spec.gains,
    )
    zeros = jnp.zeros((exchange.ids, exchange.dim), jnp.float32)
    inputs = {**arrays, "learning_rate": jnp.float32(-1), "table": zeros}
    return call_tile(alone, inputs, where=where, table=label)["table"]
