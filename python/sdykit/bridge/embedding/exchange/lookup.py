"""Lookups whose rows come from the devices that own them."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from sdykit.bridge.embedding.axes import Axes
from sdykit.bridge.embedding.exchange.entries import Entries
from sdykit.bridge.embedding.exchange.rounds import Rounds, run_rounds
from sdykit.bridge.embedding.exchange.route import make_route
from sdykit.bridge.embedding.exchange.rows import gather_rows, scatter_rows
from sdykit.bridge.embedding.exchange.sums import sum_rows
from sdykit.bridge.embedding.programs.call import call_tile
from sdykit.sparsecore.exchange import HEAD, Exchange
from sdykit.sparsecore.tile.spec import LookupSpec


def exchange_rows(
    axes: Axes,
    exchange: Exchange,
    spec: LookupSpec,
    table: jax.Array,
    entries: Entries,
    *,
    where: str,
    label: str = "",
) -> jax.Array:
    """Return the activations of this device's samples, float32 `[samples, dim]`.

    They are bit for bit those of programs that sum on the devices that own the rows.

    Args:
        axes: the axes that the table is split over.
        exchange: the sizes.
        spec: the spec of a lookup on all devices.
        table: this device's part of the table.
        entries: the entries of this device; if those of one device are wrong, all end with the error.
        where: the prefix of errors.
        label: the name of the table or stack; "": it has none.
    """
    route = make_route(entries.ids, exchange.devices * exchange.rows)

    def send(numbers: jax.Array, words: jax.Array) -> tuple[jax.Array, None]:
        return axes.exchange(words), None

    def step(numbers: jax.Array, rows: jax.Array, others: None, held: jax.Array) -> jax.Array:
        return scatter_rows(axes.exchange(gather_rows(table, rows)), numbers, held)

    rounds = Rounds(HEAD + exchange.capacity, send, step)
    nothing = jnp.zeros((exchange.ids, exchange.dim), table.dtype)
    rows = run_rounds(axes, exchange, route, entries.status, rounds, state=nothing, read=table)
    if spec.dtype != "float32" or spec.quantization is not None:
        rows = _converted(exchange, spec, rows, where=where, label=label)
    return sum_rows(exchange, rows, entries, route, spec.sparse_cores)


def _converted(
    exchange: Exchange, spec: LookupSpec, rows: jax.Array, *, where: str, label: str
) -> jax.Array:
    """Return rows as a lookup reads them: float32, and quantized."""
    alone = LookupSpec(
        dim=spec.dim,
        samples_per_core=exchange.ids // spec.sparse_cores,
        chip=spec.chip,
        layout="ids",
        gains=False,
        dtype=spec.dtype,
        quantization=spec.quantization,
    )
    numbers = jax.lax.iota(jnp.int32, exchange.ids).reshape(-1, 1)
    return call_tile(alone, {"ids": numbers, "table": rows}, where=where, table=label)[
        "activations"
    ]
