"""Raw ids that take a chip's way: buffers and a table in a chip's order, made on the device."""

from __future__ import annotations

import dataclasses
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from sdykit.bridge.embedding.axes import Axes, differing_axes
from sdykit.bridge.embedding.buffers import DeviceBuffers
from sdykit.bridge.embedding.checks import describe
from sdykit.bridge.embedding.primitives.no_gradient import without_gradient
from sdykit.bridge.embedding.primitives.source import Source, check_entries
from sdykit.bridge.embedding.programs.raw_ids import check_raw_ids
from sdykit.bridge.errors import BridgeError
from sdykit.sparsecore.specs import INT32_MAX, check_count
from sdykit.sparsecore.tile.spec import POINTERS

CHIP_ORDER = "table_in_chip_order"
"""The `jax.named_scope` of the ops that put a table in a chip's order."""


def chip_limits(where: str, ids: Any, as_on_chip: object, **limits: object) -> dict[str, int]:
    """Return the limits of ids that take a chip's way, by their names in specs; none for other ids.

    Args:
        where: the name of the function, for errors.
        ids: raw ids, or `DeviceBuffers`.
        as_on_chip: whether raw ids take a chip's way.
        limits: the limits, or None for those that are not given.

    Raises:
        BridgeError: limits are given without `as_on_chip`, or one is missing with it; or the ids are
            buffers.
        SparseCoreError: a limit is not an integer from 1 to 2^31 - 1.
    """
    if not isinstance(as_on_chip, bool):
        raise BridgeError(f"{where}: as_on_chip is {as_on_chip!r}; expected True or False")
    missing = [name for name, limit in limits.items() if limit is None]
    given = [name for name in limits if name not in missing]
    is_made = isinstance(ids, DeviceBuffers)
    if is_made and (as_on_chip or given):
        raise BridgeError(
            f"{where}: found {'as_on_chip' if as_on_chip else given[0]} with ids that are "
            "DeviceBuffers; expected neither as_on_chip nor limits, as buffers take a chip's way with "
            "the limits that they were made with"
        )
    if given and not as_on_chip:
        raise BridgeError(
            f"{where}: {given[0]} is {limits[given[0]]!r}, but limits do not apply to raw ids; expected "
            "as_on_chip=True with it, or no limit"
        )
    if not as_on_chip:
        return {}
    if missing:
        raise BridgeError(
            f"{where}: as_on_chip is True without {' and '.join(missing)}; expected both limits, for "
            "which the chip's memory is laid out (sdykit.sparsecore.limits counts them in data)"
        )
    return {name: check_count(where, name, limit) for name, limit in limits.items()}


def take_chip_way(
    source: Source, table: jax.Array, limits: dict[str, int]
) -> tuple[Source, jax.Array]:
    """Return the buffers of raw ids, and the table in the order of a chip.

    Id `i` is row `i // N` of partition `i % N`, where `N` is the number of SparseCores of all devices.
    An id that is in a sample twice has one entry, with the sum of its gains.

    Args:
        source: raw ids.
        table: this device's part of the table, in which id `i` is row `i` of all parts.
        limits: the limits that the program is compiled for.

    Raises:
        BridgeError: the rows of the table are not a multiple of `N`; or weights are differentiated.
        jax.errors.JaxRuntimeError: when it runs: an id is not in the table, or a combiner divides by
            weights that sum to 0.
    """
    cores = source.settings.sparse_cores
    all_cores = cores * source.axes.devices
    if table.shape[0] % all_cores:
        raise BridgeError(
            f"{source.where}: table is {describe(table)}; expected a multiple of {all_cores} rows with "
            "as_on_chip, the SparseCores of all devices (add rows that no id names)"
        )
    ordered = _by_partition(source.axes, table, all_cores)
    ids, gains = _checked(source, ordered)
    of_cores = (cores, source.fields["samples_per_core"], ids.shape[1])
    check_entries(source.where, cores * _room(of_cores, all_cores), source.axes.devices)
    made = _pack(ids.reshape(of_cores), gains.reshape(of_cores), all_cores)
    pointers, rows, samples, gains = (each.reshape(-1) for each in made)
    fields = {
        "samples_per_core": source.fields["samples_per_core"],
        "layout": "jax_tpu_embedding",
        "minibatches": False,
    }
    buffers = dataclasses.replace(
        source,
        fields=fields,
        gains=gains,
        arrays={"row_pointers": pointers, "embedding_ids": rows, "sample_ids": samples},
        rows=table.shape[0],
        is_folded=False,
        limits=limits,
    )
    return buffers, ordered


@jax.named_scope(CHIP_ORDER)
def _by_partition(axes: Axes, table: jax.Array, all_cores: int) -> jax.Array:
    """Return this device's partitions of a table, whose parts are blocks of its rows."""
    rows, dim = table.shape
    parts = table.reshape(rows // all_cores, all_cores, dim).swapaxes(0, 1)
    if axes.devices > 1:
        parts = jax.lax.all_to_all(parts, axes.names, split_axis=0, concat_axis=1, tiled=True)
    return parts.reshape(rows, dim)


def _checked(source: Source, table: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Return ids and gains of this device, `[batch, valency]`; errors are those of all devices.

    Args:
        source: raw ids.
        table: this device's partitions of the table, which all devices have exchanged.
    """
    ids, gains = source.arrays["ids"], source.gains
    if gains is None:
        gains = jnp.ones(ids.shape, jnp.float32)
    else:
        gains = without_gradient(
            f"{source.where}: weights are differentiated, but have no gradient with as_on_chip; "
            "expected a lookup without it, which has one",
            gains,
        )
    after = jax.lax.stop_gradient(table[:1, :1]).astype(jnp.float32)
    check = partial(
        check_raw_ids, vocabulary=table.shape[0] * source.axes.devices, where=source.where
    )
    # If one device failed alone, the others would wait for it in the collectives of the lookup.
    everyone = differing_axes(source.axes, [ids, gains, table])
    if everyone.devices == 1:
        return check(ids, gains, after)
    found = check(everyone.gather(ids), everyone.gather(gains), after)
    begin = everyone.device() * len(ids)
    own = [jax.lax.dynamic_slice_in_dim(each, begin, len(ids)) for each in found]
    return own[0], own[1]


@partial(jax.jit, static_argnames="all_cores", inline=True)
def _pack(ids: jax.Array, gains: jax.Array, all_cores: int) -> tuple[jax.Array, ...]:
    """Return row pointers, rows, samples and gains, `[SparseCores, ...]`, as preprocessing packs them.

    Args:
        ids: int32 `[SparseCores, samples, valency]`; a negative number is not an id.
        gains: float32 of this shape.
        all_cores: the number of partitions.
    """
    return jax.vmap(partial(_pack_core, all_cores=all_cores))(ids, gains)


def _pack_core(ids: jax.Array, gains: jax.Array, *, all_cores: int) -> tuple[jax.Array, ...]:
    """Return row pointers, rows, samples and gains of one SparseCore."""
    partition, row, sample, gain = _sorted_entries(ids, gains, all_cores)
    is_first = jnp.arange(ids.size) == 0
    for each in (partition, row, sample):
        is_first |= each != jnp.roll(each, 1)
    number = _running_sum(is_first) - 1  # Duplicates in a sample have one.
    merged = jnp.zeros(ids.size, jnp.float32).at[number].add(gain)
    # What is not an id has the partition `all_cores`, and is dropped.
    counts = jnp.zeros(all_cores, jnp.int32).at[partition].add(is_first, mode="drop")
    sizes = _aligned(counts)
    begins = _running_sum(sizes) - sizes
    firsts = _running_sum(counts) - counts
    room = _room((1, *ids.shape), all_cores)
    place = (begins - firsts)[partition] + number
    place = jnp.where(is_first & (partition < all_cores), place, room)

    def placed(values: jax.Array, pad: float) -> jax.Array:
        return jnp.full(room, pad, values.dtype).at[place].set(values, mode="drop")

    unused = jnp.full(max(POINTERS - all_cores, 0), sizes.sum(dtype=jnp.int32))
    pointers = jnp.concatenate([begins + counts, unused])
    return (
        pointers,
        placed(row, INT32_MAX),
        placed(sample, INT32_MAX),
        placed(merged[number], jnp.nan),
    )


def _sorted_entries(ids: jax.Array, gains: jax.Array, all_cores: int) -> tuple[jax.Array, ...]:
    """Return partition, row, sample and gain of each id, sorted by the first three."""
    samples, valency = ids.shape
    sample = jnp.repeat(jnp.arange(samples, dtype=jnp.int32), valency)
    flat = ids.reshape(-1)
    partition = jnp.where(flat < 0, all_cores, flat % all_cores)
    # Samples are in order, and remain so, as the sort is stable.
    return jax.lax.sort((partition, flat // all_cores, sample, gains.reshape(-1)), num_keys=2)


def _room(ids: tuple[int, ...], all_cores: int) -> int:
    """Return the entries of a SparseCore for which there is room: what any ids of this shape need.

    Args:
        ids: SparseCores, samples and valency.
        all_cores: the number of partitions.
    """
    size = ids[1] * ids[2]
    return max(_aligned(size + (POINTERS - 1) * min(all_cores, size)), POINTERS)


def _running_sum(values: jax.Array) -> jax.Array:
    return jnp.cumsum(values, dtype=jnp.int32)


def _aligned(count: Any) -> Any:
    """Return a number of entries, rounded up to that of whole segments."""
    return -(-count // POINTERS) * POINTERS
