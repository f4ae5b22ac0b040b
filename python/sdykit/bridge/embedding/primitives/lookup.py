"""Lookups: `activations[s] = sum of gain * table[id]` over the ids of sample `s`."""

from __future__ import annotations

import dataclasses
from functools import partial
from typing import Any, get_args

import jax
import jax.numpy as jnp
from jax.custom_derivatives import SymbolicZero

from sdykit.bridge.embedding.axes import Axes, AxisName, manual_axes, varying
from sdykit.bridge.embedding.exchange.choice import exchange_of
from sdykit.bridge.embedding.exchange.entries import Entries, checked_entries
from sdykit.bridge.embedding.exchange.lookup import exchange_rows
from sdykit.bridge.embedding.exchange.update import exchange_gradients
from sdykit.bridge.embedding.memory.arrays import array_entries
from sdykit.bridge.embedding.primitives.inputs import (
    Arrays,
    gather_gradients,
    gather_inputs,
    spec_fields,
)
from sdykit.bridge.embedding.primitives.no_gradient import without_gradient
from sdykit.bridge.embedding.primitives.on_chip import chip_limits, take_chip_way
from sdykit.bridge.embedding.primitives.source import Source, check_table, make_source
from sdykit.bridge.embedding.programs.call import check_memory
from sdykit.bridge.embedding.programs.shared_errors import call_on_all
from sdykit.bridge.embedding.programs.sums import add_parts
from sdykit.bridge.errors import BridgeError
from sdykit.sparsecore.optimizers import SGD
from sdykit.sparsecore.quantization import Quantization
from sdykit.sparsecore.specs import Dtype
from sdykit.sparsecore.tile.spec import LookupSpec, UpdateSpec

_DESCENT = SGD(-1.0)
"""An optimizer whose step on zeros is the sum of the gradients."""


@dataclasses.dataclass(frozen=True)
class _Plan:
    """What a lookup is traced for.

    Attributes:
        spec: the spec of the program on each device.
        axes: the axes that the table is split over.
        is_folded: whether a combiner made the gains, which are then checked.
        where: the prefix of errors.
        label: the name of the table or stack; "": it has none.
    """

    spec: LookupSpec
    axes: Axes
    is_folded: bool
    where: str
    label: str = ""


def lookup(
    table: Any,
    ids: Any,
    weights: Any = None,
    *,
    combiner: str = "sum",
    quantization: Quantization | None = None,
    axis_name: AxisName = None,
    as_on_chip: bool = False,
    max_ids_per_partition: int | None = None,
    max_unique_ids_per_partition: int | None = None,
) -> jax.Array:
    """Look up rows of a table and combine those of each sample, on the simulated SparseCore.

    Within `jax.shard_map` each device has its part of the table and of the batch, and ids are
    rows of the whole table. Sums are computed in a fixed order: the result is the same bit for bit
    with any number of threads. There are gradients for `table` (dense) and `weights`.

    Args:
        table: this device's part of the table, `[rows, dim]` of float32, bfloat16, int8 or int32.
        ids: integers `[batch, valency]`, rows of the table; a negative number is not an id. Or
            `DeviceBuffers` from preprocessing; the table is then laid out as described in
            `sdykit.sparsecore.stacking`.
        weights: float32 `[batch, valency]`; None: all are 1. With `DeviceBuffers` it is None.
        combiner: `sum`, `mean` (divided by the sum of the weights) or `sqrtn` (by the root of the
            sum of their squares). With `DeviceBuffers` it is not given.
        quantization: how elements are quantized before use. The gradient ignores it (a straight-
            through estimate).
        axis_name: axes of the mesh that the table is split over, in this order; None: all that
            are manual.
        as_on_chip: whether raw ids take a chip's way, as `DeviceBuffers` do in any case. By default
            neither limits of partitions apply to raw ids nor mod-sharding (id `i` is read on device
            `i // rows`), and there are no minibatches. With True the device makes buffers of the ids
            and puts the table in a chip's order, in every call: a copy of the table, which devices
            exchange. The rows of `table` are then a multiple of the SparseCores of all devices.
            Activations are those of raw ids but for the order of sums: they are equal bit for bit to
            those of `DeviceBuffers` with the same ids. There is no gradient for `weights`.
        max_ids_per_partition: with `as_on_chip`, the maximum number of ids that a SparseCore sends to
            a partition, where an id that is in a sample twice counts once.
        max_unique_ids_per_partition: with `as_on_chip`, the same for unique ids.

    Returns:
        The activations, float32 `[batch, dim]`.

    Raises:
        BridgeError: when the call is traced: an argument is wrong; or when it is compiled: the
            program runs on several devices outside of `jax.shard_map`.
        SparseCoreError: the chip does not have enough memory for the program, or a limit is not an
            integer from 1 to 2^31 - 1.
        jax.errors.JaxRuntimeError: when it runs: an id is not in the table, or a partition has more
            ids than a limit.
    """
    where = "lookup"
    array = check_table(where, table, get_args(Dtype))
    limits = chip_limits(
        where,
        ids,
        as_on_chip,
        max_ids_per_partition=max_ids_per_partition,
        max_unique_ids_per_partition=max_unique_ids_per_partition,
    )
    source = make_source(where, ids, weights, combiner=combiner, axis_name=axis_name)
    source.check_table(where, array)
    if limits:
        source, array = take_chip_way(source, array, limits)
    return lookup_rows(array, source, _checked_quantization(where, quantization))


def lookup_rows(table: jax.Array, source: Source, quantization: Quantization | None) -> jax.Array:
    """Return the activations of the samples of a source, float32 `[samples, dim]`; see `lookup`."""
    spec = LookupSpec(
        dim=table.shape[1],
        dtype=_dtype(table),
        quantization=quantization,
        **source.limits,
        **spec_fields(source),
    )
    plan = _Plan(spec, source.axes, source.is_folded, source.where, source.label)
    run: Any = partial(_run_lookup, plan)
    if manual_axes():
        # JAX has no symbolic zeros in a `shard_map` outside of a jit.
        run = jax.jit(run, inline=True)
    activations = run(table, source.gains, source.arrays)
    return activations[: source.samples]


def sum_rows(
    axes: Axes, spec: LookupSpec, inputs: Arrays, *, where: str, label: str = ""
) -> jax.Array:
    """Return the activations of this device's samples, from the parts of the table on all devices.

    Args:
        axes: the axes that the table is split over.
        spec: the spec of the program on each device.
        inputs: the arrays of `gather_inputs`, and this device's part of the table as `table`.
        where: the prefix of errors.
        label: the name of the table or stack; "": it has none.

    Returns:
        float32 `[samples, dim]`.
    """
    done = call_on_all(axes, spec, inputs, "activations", where=where, table=label)
    parts = done["activations"]
    if axes.devices == 1 or spec.transport == "memory":
        return parts
    return add_parts(axes.exchange(parts), axes.devices)


def _dtype(table: jax.Array) -> Any:
    return str(table.dtype)


def _checked_quantization(where: str, quantization: object) -> Quantization | None:
    if quantization is not None and not isinstance(quantization, Quantization):
        raise BridgeError(
            f"{where}: quantization is {quantization!r}; expected None, or a Quantization"
        )
    return quantization


@partial(
    jax.tree_util.register_dataclass,
    data_fields=["table", "gains", "arrays", "needs_table", "needs_gains"],
    meta_fields=[],
)
@dataclasses.dataclass(frozen=True)
class _Residuals:
    """The residuals of a lookup: what its gradient needs.

    A function that is traced once may be differentiated for several arguments, and JAX keeps only
    one structure of residuals for all. So the shape of an array tells whether a gradient is
    needed: `[1]` is yes, `[0]` no.

    Attributes:
        table: the table of this device.
        gains: the gains of this device; None: all are 1.
        arrays: the ids or buffers of this device.
        needs_table: whether a gradient for the table is needed.
        needs_gains: whether a gradient for the gains, or for the arrays that hold them, is.
    """

    table: jax.Array
    gains: jax.Array | None
    arrays: Arrays
    needs_table: jax.Array
    needs_gains: jax.Array


@partial(jax.custom_vjp, nondiff_argnums=(0,))
def _run_lookup(plan: _Plan, table: jax.Array, gains: jax.Array | None, arrays: Arrays) -> Any:
    exchange = exchange_of(plan.spec, table, arrays)
    if exchange:
        entries = _checked(plan, {**arrays, "table": table}, gains)
        return exchange_rows(
            plan.axes, exchange, plan.spec, table, entries, where=plan.where, label=plan.label
        )
    given = gather_inputs(
        plan.axes, plan.spec, arrays, gains, is_folded=plan.is_folded, where=plan.where
    )
    inputs = {**given, "table": table}
    return sum_rows(plan.axes, plan.spec, inputs, where=plan.where, label=plan.label)


def _checked(plan: _Plan, arrays: Arrays, gains: jax.Array | None) -> Entries:
    """Return the entries of this device; if those of one device are wrong, all end with the error."""
    return checked_entries(
        plan.axes, plan.spec, arrays, gains, is_folded=plan.is_folded, where=plan.where
    )


def _forward(
    plan: _Plan, table: Any, gains: Any, arrays: dict[str, Any]
) -> tuple[jax.Array, _Residuals]:
    # With symbolic zeros, each argument tells whether it is differentiated.
    held = {name: each.value for name, each in arrays.items()}
    factors = None if gains is None else gains.value
    weights = [*arrays.values()] + [gains] * (gains is not None)
    needs_gains = any(each.perturbed for each in weights)
    residuals = _Residuals(table.value, factors, held, _flag(table.perturbed), _flag(needs_gains))
    return _run_lookup(plan, table.value, factors, held), residuals


def _flag(is_set: bool) -> jax.Array:
    return jnp.zeros(int(is_set), jnp.int8)


def _backward(plan: _Plan, residuals: _Residuals, gradient: Any) -> tuple[Any, Any, None]:
    for_table = for_gains = None
    # Not in `_forward`, which JAX would not trace again after an error.
    if residuals.needs_gains.size and "ids" not in residuals.arrays:
        raise BridgeError(
            "lookup: ids are DeviceBuffers and are differentiated; expected a gradient for "
            "the table alone, as the weights are in the buffers"
        )
    if isinstance(gradient, SymbolicZero):
        return None, None, None
    if residuals.needs_table.size and jnp.issubdtype(residuals.table.dtype, jnp.floating):
        for_table = _like(residuals.table, _table_gradient(plan, residuals, gradient))
    if residuals.gains is not None and residuals.needs_gains.size:
        for_gains = _like(
            residuals.gains, _gains_gradient(plan, residuals, residuals.gains, gradient)
        )
    return for_table, for_gains, None


def _gains_gradient(
    plan: _Plan, residuals: _Residuals, gains: jax.Array, gradient: jax.Array
) -> jax.Array:
    """Look up each id as a sample of its own; the gradient of its gain is the product with its row."""
    if gains.size == 0:
        return jnp.zeros_like(gains)
    samples, valency = gains.shape
    per_core = samples * valency // plan.spec.sparse_cores
    spec = dataclasses.replace(plan.spec, samples_per_core=per_core, gains=False)
    ids = residuals.arrays["ids"].reshape(-1, 1)
    alone = _Plan(spec, plan.axes, is_folded=False, where=plan.where, label=plan.label)
    rows: Any = _run_lookup(alone, residuals.table, None, {"ids": ids})
    return jnp.sum(rows.reshape(samples, valency, -1) * gradient[:, None], axis=2)


def _like(x: jax.Array, gradient: jax.Array) -> jax.Array:
    """Return a gradient, summed over the axes along which `x` is the same."""
    missing = tuple(varying(gradient) - varying(x))
    return jax.lax.psum(gradient, missing) if missing else gradient


def _table_gradient(plan: _Plan, residuals: _Residuals, gradient: jax.Array) -> jax.Array:
    """Return the dense gradient for the table, of its dtype."""
    spec = UpdateSpec(optimizer=_DESCENT, **_shared(plan.spec))
    gains, gradient = without_gradient(
        "lookup: the gradient for the table is differentiated; expected first derivatives only",
        (residuals.gains, gradient),
    )
    zeros = jnp.zeros(residuals.table.shape, jnp.float32)
    exchange = exchange_of(plan.spec, residuals.table, residuals.arrays)
    if exchange:
        entries = _checked(plan, {**residuals.arrays, "table": residuals.table}, gains)
        inputs = {"gradients": gradient, "learning_rate": jnp.float32(-1), "table": zeros}
        where, label = plan.where, plan.label
        done = exchange_gradients(
            plan.axes, exchange, spec, inputs, entries, where=where, label=label
        )
        return done["table"].astype(residuals.table.dtype)
    given = gather_inputs(
        plan.axes, plan.spec, residuals.arrays, gains, is_folded=plan.is_folded, where=plan.where
    )
    gradients = gather_gradients(plan.axes, plan.spec, gradient)
    inputs = {**given, "gradients": gradients, "learning_rate": jnp.float32(-1), "table": zeros}
    also = array_entries("table", {"table that is looked up": residuals.table})
    check_memory(spec, inputs, where=f"{plan.where}: dense gradient", also=also)
    done = call_on_all(plan.axes, spec, inputs, "table", where=plan.where, table=plan.label)
    return done["table"].astype(residuals.table.dtype)


def _shared(spec: LookupSpec) -> dict[str, Any]:
    """Return the fields of a lookup's spec that an update has too."""
    names = {each.name for each in dataclasses.fields(UpdateSpec)}
    held = {each.name: getattr(spec, each.name) for each in dataclasses.fields(spec)}
    # Fields that are None in a lookup have a default in an update.
    return {name: value for name, value in held.items() if name in names and value is not None}


_run_lookup.defvjp(_forward, _backward, symbolic_zeros=True)
