"""Updates whose gradients travel to the devices that own the rows."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import jax
import jax.numpy as jnp

from sdykit.bridge.embedding.axes import Axes
from sdykit.bridge.embedding.exchange.entries import Entries
from sdykit.bridge.embedding.exchange.rounds import Rounds, run_rounds
from sdykit.bridge.embedding.exchange.route import make_route
from sdykit.bridge.embedding.exchange.sums import sum_gradients
from sdykit.bridge.embedding.programs.call import call_tile
from sdykit.sparsecore.exchange import Exchange
from sdykit.sparsecore.tile.spec import CustomUpdateSpec, UpdateSpec

Arrays = dict[str, jax.Array]


def exchange_gradients(
    axes: Axes,
    exchange: Exchange,
    spec: UpdateSpec | CustomUpdateSpec,
    arrays: Mapping[str, jax.Array],
    entries: Entries,
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
        arrays: the `gradients` of this device's samples, the hyperparameters, and this device's part of
            the table and of the slots.
        entries: the entries of this device; if those of one device are wrong, all end with the error.
        where: the prefix of errors.
        label: the name of the table or stack; "": it has none.
    """
    route = make_route(entries.ids, exchange.devices * exchange.rows)
    gradients, scalars = arrays["gradients"], {name: arrays[name] for name in spec.scalars}
    in_place = {name: x for name, x in arrays.items() if name not in (*scalars, "gradients")}
    received_rows = exchange.id_rows + exchange.capacity
    alone = dataclasses.replace(
        spec,
        num_devices=1,
        layout="ids",
        gains=False,
        samples_per_core=exchange.devices * received_rows // spec.sparse_cores,
        max_ids_of_partitions=None,
        max_unique_ids_of_partitions=None,
    )

    def send(numbers: jax.Array, words: jax.Array) -> tuple[jax.Array, jax.Array]:
        sums = sum_gradients(exchange, gradients, entries, route, numbers=numbers, words=words)
        received = axes.exchange(sums)
        parts = received.reshape(exchange.devices, received_rows, exchange.dim)
        first = parts[:, : exchange.id_rows].reshape(exchange.devices, -1)
        return jax.lax.bitcast_convert_type(first, jnp.int32), received

    def step(numbers: jax.Array, rows: jax.Array, received: jax.Array, held: Arrays) -> Arrays:
        # The rows of a device come after those that hold its ids, which no id names.
        of_devices = rows.reshape(exchange.devices, exchange.capacity)
        ids = jnp.pad(of_devices, ((0, 0), (exchange.id_rows, 0)), constant_values=-1)
        inputs = {"ids": ids.reshape(-1, 1), "gradients": received, **scalars, **held}
        done = call_tile(alone, inputs, where=where, table=label)
        return {name: done[name] for name in held}

    rounds = Rounds(exchange.id_rows * exchange.dim, send, step)
    read = (gradients, entries.gains, scalars)
    return run_rounds(axes, exchange, route, entries.status, rounds, state=in_place, read=read)
