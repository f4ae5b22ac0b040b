"""Lookups: `activations[s] = sum of gain * table[id]` over the ids of sample `s`."""

from __future__ import annotations

import dataclasses
from functools import partial
from typing import Any, get_args

import jax
import jax.numpy as jnp
from jax.custom_derivatives import SymbolicZero

from sdykit.bridge.embedding.axes import Axes, AxisName, manual_axes, varying
from sdykit.bridge.embedding.primitives.inputs import Arrays, gather_inputs, spec_fields
from sdykit.bridge.embedding.primitives.no_gradient import without_gradient
from sdykit.bridge.embedding.primitives.source import Source, check_table, make_source
from sdykit.bridge.embedding.programs.shared_errors import call_on_all
from sdykit.bridge.embedding.programs.sums import add_parts
from sdykit.bridge.errors import BridgeError
from sdykit.sparsecore.optimizers import SGD
from sdykit.sparsecore.quantization import Quantization
from sdykit.sparsecore.specs import Dtype
from sdykit.sparsecore.tile.spec import LookupSpec, UpdateSpec

_DESCENT = SGD(-1.0)
"""Its step on zeros is the sum of the gradients."""


@dataclasses.dataclass(frozen=True)
class _Plan:
    """What is compiled.

    Attributes:
        spec: of the program on each device.
        axes: of the devices.
        is_folded: whether gains are to be checked.
        where: what errors begin with.
    """

    spec: LookupSpec
    axes: Axes
    is_folded: bool
    where: str


def lookup(
    table: Any,
    ids: Any,
    weights: Any = None,
    *,
    combiner: str = "sum",
    quantization: Quantization | None = None,
    axis_name: AxisName = None,
) -> jax.Array:
    """Look up rows of a table, and combine those of each sample, on the simulated SparseCore.

    Within `jax.shard_map` each device has its part of the table and of the batch, and ids are
    rows of the whole table. Sums are in a fixed order: the same bits come out whatever threads
    do. There is a gradient for `table` (dense) and `weights`.

    Args:
        table: `[rows, dim]`, float32, bfloat16, int8 or int32; this device's part of it.
        ids: integers `[batch, valency]`, rows of the table; a negative one is no id. Or
            `DeviceBuffers`, which preprocessing made; the table is then laid out as
            `sdykit.sparsecore.stacking` says.
        weights: float32 `[batch, valency]`; None: 1. None also with `DeviceBuffers`.
        combiner: `sum`, `mean` (divided by the sum of the weights) or `sqrtn` (by the root of the
            sum of their squares). Not with `DeviceBuffers`.
        quantization: of the elements before use. The gradient passes it straight through.
        axis_name: axes of the mesh that the table is split over, in this order; None: all that
            are manual.

    Returns:
        float32 `[batch, dim]`.

    Raises:
        BridgeError: an argument is wrong, when the call is traced; or the program has several
            devices and is not in `jax.shard_map`, when it is compiled.
        SparseCoreError: the chip has not enough memory for the program.
        jax.errors.JaxRuntimeError: when it runs: an id is not in the table.
    """
    where = "lookup"
    array = check_table(where, table, get_args(Dtype))
    source = make_source(where, ids, weights, combiner=combiner, axis_name=axis_name)
    source.check_table(where, array)
    return lookup_rows(array, source, _checked_quantization(where, quantization))


def lookup_rows(table: jax.Array, source: Source, quantization: Quantization | None) -> jax.Array:
    """Look up what has been checked; see `lookup`."""
    spec = LookupSpec(
        dim=table.shape[1],
        dtype=_dtype(table),
        quantization=quantization,
        **source.limits,
        **spec_fields(source),
    )
    plan = _Plan(spec, source.axes, source.is_folded, source.where)
    run: Any = partial(_run_lookup, plan)
    if manual_axes():
        # JAX has no symbolic zeros in a `shard_map` that is in no jit.
        run = jax.jit(run, inline=True)
    activations = run(table, source.gains, source.arrays)
    return activations[: source.samples]


def sum_rows(axes: Axes, spec: LookupSpec, inputs: Arrays, *, where: str) -> jax.Array:
    """Give the activations of this device's samples, of what all devices have.

    Args:
        axes: of the devices.
        spec: of the program on each.
        inputs: of `gather_inputs`, and this device's table.
        where: what errors begin with.
    """
    parts = call_on_all(axes, spec, inputs, "activations", where=where)["activations"]
    if axes.devices == 1:
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
    data_fields=["table", "gains", "arrays", "table_counts", "gains_count"],
    meta_fields=[],
)
@dataclasses.dataclass(frozen=True)
class _Kept:
    """What the gradient needs of a lookup.

    A function that is traced once may be differentiated in several ways, and JAX keeps but one
    structure for all. So what is asked for is in the shape of an array: `[1]` is yes, `[0]` no.

    Attributes:
        table: of this device.
        gains: of this device, if there are any.
        arrays: ids or buffers of this device.
        table_counts: whether a gradient for the table is asked for.
        gains_count: whether one for the gains, or for what they are in, is.
    """

    table: jax.Array
    gains: jax.Array | None
    arrays: Arrays
    table_counts: jax.Array
    gains_count: jax.Array


@partial(jax.custom_vjp, nondiff_argnums=(0,))
def _run_lookup(plan: _Plan, table: jax.Array, gains: jax.Array | None, arrays: Arrays) -> Any:
    given = gather_inputs(
        plan.axes, plan.spec, arrays, gains, is_folded=plan.is_folded, where=plan.where
    )
    return sum_rows(plan.axes, plan.spec, {**given, "table": table}, where=plan.where)


def _forward(
    plan: _Plan, table: Any, gains: Any, arrays: dict[str, Any]
) -> tuple[jax.Array, _Kept]:
    # With symbolic zeros, an argument comes with whether it is differentiated.
    held = {name: each.value for name, each in arrays.items()}
    factors = None if gains is None else gains.value
    weights = [*arrays.values()] + [gains] * (gains is not None)
    gains_count = any(each.perturbed for each in weights)
    kept = _Kept(table.value, factors, held, _flag(table.perturbed), _flag(gains_count))
    return _run_lookup(plan, table.value, factors, held), kept


def _flag(is_set: bool) -> jax.Array:
    return jnp.zeros(int(is_set), jnp.int8)


def _backward(plan: _Plan, kept: _Kept, gradient: Any) -> tuple[Any, Any, None]:
    of_table = of_gains = None
    # Not in `_forward`: JAX would not trace that again after an error.
    if kept.gains_count.size and "ids" not in kept.arrays:
        raise BridgeError(
            "lookup: ids are DeviceBuffers and are differentiated; expected a gradient for "
            "the table alone, as the weights are in the buffers"
        )
    if isinstance(gradient, SymbolicZero):
        return None, None, None
    if kept.table_counts.size and jnp.issubdtype(kept.table.dtype, jnp.floating):
        of_table = _like(kept.table, _table_gradient(plan, kept, gradient))
    if kept.gains is not None and kept.gains_count.size:
        of_gains = _like(kept.gains, _gains_gradient(plan, kept, kept.gains, gradient))
    return of_table, of_gains, None


def _gains_gradient(plan: _Plan, kept: _Kept, gains: jax.Array, gradient: jax.Array) -> jax.Array:
    """Look each id up as a sample of its own; the gradient is its product with the row."""
    if gains.size == 0:
        return jnp.zeros_like(gains)
    samples, valency = gains.shape
    per_core = samples * valency // plan.spec.sparse_cores
    spec = dataclasses.replace(plan.spec, samples_per_core=per_core, gains=False)
    ids = kept.arrays["ids"].reshape(-1, 1)
    alone = _Plan(spec, plan.axes, is_folded=False, where=plan.where)
    rows: Any = _run_lookup(alone, kept.table, None, {"ids": ids})
    return jnp.sum(rows.reshape(samples, valency, -1) * gradient[:, None], axis=2)


def _like(x: jax.Array, gradient: jax.Array) -> jax.Array:
    """Sum over the axes that `x` is the same along."""
    missing = tuple(varying(gradient) - varying(x))
    return jax.lax.psum(gradient, missing) if missing else gradient


def _table_gradient(plan: _Plan, kept: _Kept, gradient: jax.Array) -> jax.Array:
    """Give the dense gradient, of the table's type."""
    spec = UpdateSpec(optimizer=_DESCENT, **_shared(plan.spec))
    gains, gradient = without_gradient(
        "lookup: the gradient for the table is differentiated; expected first derivatives of it",
        (kept.gains, gradient),
    )
    given = gather_inputs(
        plan.axes, plan.spec, kept.arrays, gains, is_folded=plan.is_folded, where=plan.where
    )
    gradients = gradient if plan.axes.devices == 1 else plan.axes.gather(gradient)
    zeros = jnp.zeros(kept.table.shape, jnp.float32)
    inputs = {**given, "gradients": gradients, "learning_rate": jnp.float32(-1), "table": zeros}
    done = call_on_all(plan.axes, spec, inputs, "table", where=plan.where)
    return done["table"].astype(kept.table.dtype)


def _shared(spec: LookupSpec) -> dict[str, Any]:
    """Give the fields that an update has too."""
    names = {each.name for each in dataclasses.fields(UpdateSpec)}
    held = {each.name: getattr(spec, each.name) for each in dataclasses.fields(spec)}
    # What a lookup leaves open, an update has a value for.
    return {name: value for name, value in held.items() if name in names and value is not None}


_run_lookup.defvjp(_forward, _backward, symbolic_zeros=True)
