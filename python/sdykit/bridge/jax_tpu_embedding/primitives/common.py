"""What lookups and updates share: the operands that describe the entries to look up."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
from jax.extend.core import Primitive
from jax.interpreters import mlir as jax_mlir

from sdykit.bridge.embedding.checks import check, describe
from sdykit.bridge.embedding.primitives.one_device import check_context
from sdykit.bridge.embedding.primitives.source import Source, transport_of
from sdykit.bridge.errors import BridgeError
from sdykit.bridge.jax_tpu_embedding.devices import find_devices
from sdykit.bridge.settings import current
from sdykit.sparsecore.tile.spec import POINTERS

COMMON = 5
"""The number of operands that lookups and updates begin with: row pointers, embedding ids, sample
ids, gains, and the number of minibatches."""


def lower_on_cpus(
    primitive: Primitive,
    function: Callable[..., Any],
    *,
    known: Callable[[Any], Mapping[str, Any]] = lambda _: {},
) -> None:
    """Lower a primitive for CPUs to the lowering of a function, within `shard_map` or not.

    Args:
        primitive: a primitive of the library.
        function: the function; it takes the operands, and the parameters by name.
        known: a function from the context of the lowering to further arguments, by name.
    """
    lower = jax_mlir.lower_fun(function, multiple_results=primitive.multiple_results)

    def rule(context: Any, *operands: Any, **parameters: Any) -> Any:
        check_context(context, primitive.name)
        return lower(context, *operands, **parameters, **known(context))

    jax_mlir.register_lowering(primitive, rule, platform="cpu")


def make_source(
    where: str, buffers: tuple[Any, ...], *, samples: int, minibatches: bool | None
) -> Source:
    """Check the operands that describe the entries, and find the devices that they are made for.

    Args:
        where: the name of the primitive, for errors.
        buffers: the first five operands, of this device.
        samples: the number of samples of this device.
        minibatches: `enable_minibatching`; None if it follows from the number of row pointers.

    Raises:
        BridgeError: a shape does not fit the chip or the mesh.
    """
    pointers, ids, sample_ids, gains, count = buffers
    settings = current()
    cores = settings.sparse_cores
    check(where, "lhs_row_pointers", pointers, jnp.int32, ("pointers",))
    axes, has_minibatches = find_devices(where, pointers.shape[0], cores, minibatches=minibatches)
    if not 0 < samples == samples // cores * cores:
        raise BridgeError(
            f"{where}: a device has {samples} samples; expected a multiple of {cores}, its "
            "SparseCores"
        )
    step = POINTERS if has_minibatches else POINTERS * cores
    if ids.shape[0] % step:
        raise BridgeError(
            f"{where}: lhs_local_embedding_ids is {describe(ids)}; expected a multiple of {step} "
            f"elements, {POINTERS} for each of {cores} SparseCores"
        )
    arrays = {"row_pointers": pointers, "embedding_ids": ids, "sample_ids": sample_ids}
    if has_minibatches:
        arrays["num_minibatches"] = jnp.reshape(count, 1)
    return Source(
        axes,
        settings,
        {
            # The library passes an integer of numpy.
            "samples_per_core": int(samples // cores),
            "layout": "jax_tpu_embedding",
            "minibatches": has_minibatches,
        },
        int(samples),
        gains,
        arrays,
        where=where,
        transport=transport_of(axes, settings),
    )


def of_table(source: Source, table: jax.Array, computation_name: str = "") -> Source:
    """Return a source whose counters and errors name the table.

    Args:
        source: the source of a call of a primitive.
        table: this device's part of the table.
        computation_name: the name of an update, which contains that of the stack; for a lookup the
            name of the stack, or "" if it is unknown.
    """
    name = f" ({computation_name})" if computation_name else ""
    where = f"{source.where}{name}: embedding_table {describe(table)}"
    return dataclasses.replace(source, label=computation_name, where=where)


def check_rows(where: str, name: str, x: jax.Array, cores: int) -> None:
    """Check that each SparseCore has the same number of rows of a table or a slot.

    Args:
        where: the name of the primitive, for errors.
        name: the name of the operand, for errors.
        x: this device's part of the table or slot.
        cores: the number of SparseCores of the device.

    Raises:
        BridgeError: the rows cannot be split evenly.
    """
    if not 0 < x.shape[0] == x.shape[0] // cores * cores:
        raise BridgeError(
            f"{where}: {name} is {describe(x)}; expected a multiple of {cores} rows, as a device "
            f"has {cores} SparseCores"
        )
