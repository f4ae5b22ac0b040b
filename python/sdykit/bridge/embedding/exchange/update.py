"""Updates whose gradients travel to the devices that own the rows."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import jax

from sdykit.bridge.embedding.axes import Axes
from sdykit.bridge.embedding.exchange.entries import Entries
from sdykit.bridge.embedding.exchange.rounds import Round, run_rounds
from sdykit.bridge.embedding.exchange.route import make_route
from sdykit.bridge.embedding.exchange.rows import gather_rows
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
        entries: the entries of this device.
        where: the prefix of errors.
        label: the name of the table or stack; "": it has none.
    """
    route = make_route(entries.ids)
    sums = sum_gradients(arrays["gradients"], entries, route)
    scalars = {name: arrays[name] for name in spec.scalars}
    in_place = {name: x for name, x in arrays.items() if name not in (*scalars, "gradients")}
    alone = dataclasses.replace(
        spec,
        num_devices=1,
        layout="ids",
        gains=False,
        samples_per_core=exchange.devices * exchange.capacity // spec.sparse_cores,
        max_ids_of_partitions=None,
        max_unique_ids_of_partitions=None,
    )

    def step(this: Round, held: Arrays) -> Arrays:
        of_others = axes.exchange(gather_rows(sums, this.sent))
        inputs = {"ids": this.received.reshape(-1, 1), "gradients": of_others, **scalars, **held}
        done = call_tile(alone, inputs, where=where, table=label)
        return {name: done[name] for name in held}

    return run_rounds(axes, exchange, route, step, in_place, read=(sums, scalars))
