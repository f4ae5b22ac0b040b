"""Updates: an optimizer's step on the rows that a batch looked up, in place."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp

from sdykit.bridge.embedding.axes import AxisName
from sdykit.bridge.embedding.checks import as_array, check
from sdykit.bridge.embedding.exchange.choice import exchange_of
from sdykit.bridge.embedding.exchange.entries import checked_entries
from sdykit.bridge.embedding.exchange.update import exchange_gradients
from sdykit.bridge.embedding.primitives.custom_update import custom_spec
from sdykit.bridge.embedding.primitives.inputs import (
    gather_gradients,
    gather_inputs,
    spec_fields,
)
from sdykit.bridge.embedding.primitives.no_gradient import without_gradient
from sdykit.bridge.embedding.primitives.source import Source, check_table, make_source
from sdykit.bridge.embedding.programs.hyperparameters import step_hyperparameters
from sdykit.bridge.embedding.programs.shared_errors import call_on_all
from sdykit.bridge.errors import BridgeError
from sdykit.sparsecore.optimizers import Custom, Optimizer
from sdykit.sparsecore.tile.spec import CustomUpdateSpec, UpdateSpec

Slots = dict[str, jax.Array]


def grad_update(
    table: Any,
    slots: Mapping[str, Any],
    ids: Any,
    weights: Any,
    gradients: Any,
    *,
    optimizer: Optimizer,
    combiner: str = "sum",
    step: Any = 0,
    learning_rate: Any = None,
    axis_name: AxisName = None,
) -> tuple[jax.Array, Slots]:
    """Take an optimizer's step on the rows that a batch looked up, on the simulated SparseCore.

    Donate `table` and `slots` to the jitted function that calls this: they are then updated in
    place, and only the rows that the batch names are read and written. Each row is updated once,
    with the sum of its gradients.

    Args:
        table: float32 `[rows, dim]`; in `jax.shard_map` this device's part of the table.
        slots: the optimizer's slot variables by name, of the shape of the table, or `[rows, 1]`
            for those of its `row_slots`.
        ids: the ids of the lookup: integers `[batch, valency]`, or `DeviceBuffers`.
        weights: the weights of the lookup.
        gradients: the gradients of the activations, float32 `[batch, dim]`.
        optimizer: an optimizer of `sdykit.sparsecore.optimizers`.
        combiner: the combiner of the lookup.
        step: the number of the step from 0: an integer, or an int32 scalar of JAX; None: LaProp's
            decay is constant.
        learning_rate: the learning rate of this step: a number, or a float32 scalar of JAX; None:
            that of the optimizer.
        axis_name: the axes of the lookup.

    Returns:
        The table and the slots after the step.

    Raises:
        BridgeError: when the call is traced: an argument is wrong; or when it is compiled: the
            program runs on several devices outside of `jax.shard_map`.
        SparseCoreError: step or learning rate is out of range, or the optimizer's function has an
            op that cannot be compiled.
        jax.errors.JaxRuntimeError: when it runs: an id is not in the table, or the step, if the
            optimizer uses it, is negative. The table may then be partly updated.
    """
    where = "grad_update"
    if not isinstance(optimizer, Optimizer):
        raise BridgeError(
            f"{where}: optimizer is {optimizer!r}; expected an optimizer of "
            "sdykit.sparsecore.optimizers, for instance SGD(0.01)"
        )
    source = make_source(where, ids, weights, combiner=combiner, axis_name=axis_name)
    return update_rows(
        where,
        table,
        slots,
        source,
        gradients,
        optimizer=optimizer,
        step=step,
        learning_rate=learning_rate,
    )


def update_rows(
    where: str,
    table: Any,
    slots: Mapping[str, Any],
    source: Source,
    gradients: Any,
    *,
    optimizer: Optimizer,
    step: Any,
    learning_rate: Any,
    width: int | None = None,
) -> tuple[jax.Array, Slots]:
    """Update the rows that a source names; see `grad_update`.

    `width` is the number of columns of the table without padding; None: all.
    """
    array = check_table(where, table, ("float32",))
    held = _slots(where, optimizer, slots, array)
    source.check_table(where, array)
    for name, each in held.items():
        source.axes.check_split(f"{where}: slots[{name!r}]", each)
    given = _gradients(where, source, gradients, array.shape[1])
    scalars = step_hyperparameters(where, optimizer, step, learning_rate)
    spec = _spec(optimizer, array.shape[1], width, source)
    array, held, given, scalars, gains = without_gradient(
        f"{where}: an argument is differentiated, but an update has no gradient; expected it outside of "
        "what jax.grad differentiates",
        (array, held, given, scalars, source.gains),
    )
    source = dataclasses.replace(source, gains=gains)
    return run_update(source, spec, array, held, given, scalars=scalars)


def run_update(
    source: Source,
    spec: UpdateSpec | CustomUpdateSpec,
    table: jax.Array,
    slots: Slots,
    gradients: jax.Array,
    *,
    scalars: Mapping[str, jax.Array],
) -> tuple[jax.Array, Slots]:
    """Run the program of an update, without checks.

    Args:
        source: the ids or buffers of the lookup.
        spec: the spec of the program on each device.
        table: this device's part of the table, float32 `[rows, dim]`.
        slots: this device's parts of the slots, by name.
        gradients: the gradients of this device's samples, padding included.
        scalars: the hyperparameters by name, float32 scalars.

    Returns:
        The table and the slots after the step.
    """
    named = {f"slot_{name}": slot for name, slot in slots.items()}
    given = {name: scalars[name] for name in spec.scalars}
    exchange = exchange_of(spec, table, source.arrays)
    if exchange:
        inputs = {"gradients": gradients, "table": table, **given, **named}
        entries = checked_entries(
            source.axes,
            spec,
            {**source.arrays, "table": table},
            source.gains,
            is_folded=source.is_folded,
            where=source.where,
        )
        where, label = source.where, source.label
        done = exchange_gradients(
            source.axes, exchange, spec, inputs, entries, where=where, label=label
        )
        return done["table"], {name: done[f"slot_{name}"] for name in slots}
    arrays = gather_inputs(
        source.axes,
        spec,
        source.arrays,
        source.gains,
        is_folded=source.is_folded,
        where=source.where,
    )
    of_all = gather_gradients(source.axes, spec, gradients)
    inputs = {**arrays, **given, **named, "gradients": of_all, "table": table}
    done = call_on_all(source.axes, spec, inputs, "table", where=source.where, table=source.label)
    return done["table"], {name: done[f"slot_{name}"] for name in slots}


def _slots(where: str, optimizer: Optimizer, slots: Mapping[str, Any], table: jax.Array) -> Slots:
    expected = optimizer.slots
    if not isinstance(slots, Mapping) or set(slots) != set(expected):
        found = slots if isinstance(slots, Mapping) else [type(slots).__name__]
        raise BridgeError(
            f"{where}: slots are {', '.join(map(str, found)) or 'none'}; expected those of "
            f"{optimizer.name}: {', '.join(expected) or 'none'}"
        )
    arrays = {name: as_array(where, f"slots[{name!r}]", slots[name]) for name in expected}
    for name, array in arrays.items():
        shape = (table.shape[0], 1) if name in optimizer.row_slots else table.shape
        check(where, f"slots[{name!r}]", array, jnp.float32, shape)
    return arrays


def _gradients(where: str, source: Source, gradients: Any, dim: int) -> jax.Array:
    array = as_array(where, "gradients", gradients)
    check(where, "gradients", array, jnp.float32, (source.samples, dim))
    missing = source.fields["samples_per_core"] * source.settings.sparse_cores - source.samples
    return jnp.pad(array, ((0, missing), (0, 0))) if missing else array


def _spec(
    optimizer: Optimizer, dim: int, width: int | None, source: Source
) -> UpdateSpec | CustomUpdateSpec:
    fields = {"dim": dim, **spec_fields(source), **source.limits}
    if not optimizer.is_element_wise:
        fields["width"] = width
    if isinstance(optimizer, Custom):
        return custom_spec(optimizer, fields)
    # The learning rate is an argument of the program: one program for all.
    return UpdateSpec(optimizer=dataclasses.replace(optimizer, learning_rate=1.0), **fields)
