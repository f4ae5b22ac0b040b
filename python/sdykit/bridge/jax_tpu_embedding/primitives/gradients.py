"""The library's gradients: an optimizer's step, in place, on the rows that a batch looked up."""

from __future__ import annotations

import math
from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sdykit.bridge.embedding.checks import check, describe
from sdykit.bridge.embedding.primitives.inputs import spec_fields
from sdykit.bridge.embedding.primitives.source import Source
from sdykit.bridge.embedding.primitives.update import run_update
from sdykit.bridge.errors import BridgeError
from sdykit.bridge.jax_tpu_embedding.primitives.common import (
    COMMON,
    check_rows,
    lower_on_cpus,
    make_source,
    of_table,
)
from sdykit.sparsecore.optimizers import OPTIMIZERS
from sdykit.sparsecore.tile.spec import CustomUpdateSpec, UpdateSpec

_PREFIX = "sparse_dense_matmul_grad_with_"


def register(module: ModuleType) -> None:
    """Lower the gradient of one of the optimizers for CPUs."""
    name = module.__name__.rpartition(_PREFIX)[2]
    primitive = getattr(module, f"tpu_{_PREFIX}{name}_primitive")
    several = primitive.multiple_results

    def rule(*operands: Any, **parameters: Any) -> Any:
        tables = update(name, *operands, **parameters)
        return tables if several else tables[0]

    lower_on_cpus(primitive, rule)


def update(
    name: str,
    *operands: Any,
    max_ids_per_partition: int,
    max_unique_ids_per_partition: int,
    computation_name: str = "",
    enable_minibatching: bool = False,
    min_value: float | None = None,
    max_value: float | None = None,
    multiply_linear_by_learning_rate: bool | None = None,
    **_: Any,
) -> list[jax.Array]:
    """Update table and slots.

    Args:
        name: the name of the optimizer.
        *operands: the operands of the primitive.
        max_ids_per_partition: the maximum ids; they determine how much the chip sorts.
        max_unique_ids_per_partition: the maximum unique ids; they determine how many sums of
            gradients it holds.
        computation_name: the name of the counters.
        enable_minibatching: whether the buffers hold minibatches.
        min_value: the lower bound of the table after the update.
        max_value: the upper bound of the table after the update.
        multiply_linear_by_learning_rate: the option of FTRL.
        **_: the other parameters of the primitive, which do not change the result.

    Returns:
        Table and slots after the update.

    Raises:
        BridgeError: the shape of an operand does not fit the chip or the mesh.
        SparseCoreError: a bound is not a number.
    """
    kind, where = OPTIMIZERS[name], f"{_PREFIX}{name}"
    options: dict[str, Any] = {"min_value": _bound(min_value, -math.inf)}
    options["max_value"] = _bound(max_value, math.inf)
    if multiply_linear_by_learning_rate is not None:
        options["multiply_linear_by_learning_rate"] = bool(multiply_linear_by_learning_rate)
    # Hyperparameters are operands, the learning rate too: one program serves all their values.
    optimizer = kind(learning_rate=1.0, **options)
    last = COMMON + 1 + len(optimizer.slots)
    tables, gradients, scalars = operands[COMMON:last], operands[last], operands[last + 1 :]
    source = make_source(
        where, operands[:COMMON], samples=gradients.shape[0], minibatches=enable_minibatching
    )
    source = of_table(source, tables[0], computation_name)
    limits = (max_ids_per_partition, max_unique_ids_per_partition)
    spec = UpdateSpec(optimizer=optimizer, **update_fields(source, tables[0], limits))
    return run_on_tables(where, source, spec, tables, gradients, scalars=scalars)


def run_on_tables(
    where: str,
    source: Source,
    spec: UpdateSpec | CustomUpdateSpec,
    tables: tuple[jax.Array, ...],
    gradients: jax.Array,
    *,
    scalars: tuple[jax.Array, ...],
) -> list[jax.Array]:
    """Run an update on a table and its slots, all `[rows, dim]` or `[rows]`.

    Args:
        where: the name of the primitive, for errors.
        source: the entries that were looked up.
        spec: the spec of the program on each device.
        tables: this device's part of the table, then of each slot.
        gradients: the gradients of this device's samples, `[samples, dim]` or `[samples]`.
        scalars: the hyperparameters, in the spec's order.

    Returns:
        Table and slots after the update, in their shapes.

    Raises:
        BridgeError: the shape of a slot is not the table's, or does not fit the SparseCores.
    """
    names = ("embedding_table", *(f"slot {name!r}" for name in spec.slots))
    shape = tables[0].shape
    for name, each in zip(names, tables, strict=True):
        check_rows(where, name, each, source.settings.sparse_cores)
        check(where, name, each, jnp.float32, shape)
    of_samples = gradients.reshape(source.samples, spec.dim)
    for name, each in zip(spec.scalars, scalars, strict=False):
        if each.size != 1:
            raise BridgeError(f"{where}: {name} is {describe(each)}; expected one number")
    numbers = {
        name: each.reshape(()).astype(jnp.float32)
        for name, each in zip(spec.scalars, scalars, strict=False)
    }
    slots = dict(zip(spec.slots, tables[1:], strict=True))
    table, held = run_update(source, spec, tables[0], slots, of_samples, scalars=numbers)
    return [table, *held.values()]


def update_fields(source: Source, table: jax.Array, limits: tuple[int, int]) -> dict[str, Any]:
    """Return the fields of a spec that all updates have.

    Args:
        source: the entries that were looked up.
        table: this device's part of the table.
        limits: the maximum ids and maximum unique ids per partition.
    """
    flat = table.ndim == 1
    return {
        "dim": 1 if flat else table.shape[1],
        "flat": flat,
        "max_ids_per_partition": int(limits[0]),
        "max_unique_ids_per_partition": int(limits[1]),
        **spec_fields(source),
    }


def _bound(value: float | None, none: float) -> float | None:
    """Return a bound as float32, or None if it is `none`, which bounds nothing."""
    with np.errstate(over="ignore"):
        rounded = none if value is None else float(np.float32(value))
    return None if rounded == none else rounded
