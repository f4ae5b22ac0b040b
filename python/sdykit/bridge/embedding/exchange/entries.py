"""The entries of a device: raw ids, or those of buffers, checked on all devices together."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import jax
import jax.numpy as jnp

from sdykit.bridge import ffi
from sdykit.bridge.embedding.axes import Axes
from sdykit.bridge.embedding.programs.raw_ids import check_on_all, fail_alike
from sdykit.sparsecore.tile.entries.owners import own_entries_program
from sdykit.sparsecore.tile.spec import TileSpec


@dataclasses.dataclass(frozen=True)
class Entries:
    """The entries of a device, those of each of its SparseCores in a row.

    Attributes:
        ids: int32 `[SparseCores, entries]`: the row of each, counted over all devices; negative: it is
            none.
        samples: int32 of this shape: the sample of each on the device.
        gains: float32 of this shape; None: all are 1.
    """

    ids: jax.Array
    samples: jax.Array
    gains: jax.Array | None


def checked_entries(
    axes: Axes,
    spec: TileSpec,
    arrays: Mapping[str, jax.Array],
    gains: jax.Array | None,
    *,
    is_folded: bool,
    where: str,
) -> Entries:
    """Return the entries of this device; if those of one device are wrong, all end with the error.

    Args:
        axes: the axes that the table is split over.
        spec: the spec of the lookup or the update.
        arrays: `ids`, or the buffers of this device; and its part of the `table`.
        gains: the gains of this device, as they are passed beside ids or buffers; None: all are 1.
        is_folded: whether a combiner made the gains of raw ids, which are then checked.
        where: the prefix of errors.
    """
    cores = spec.sparse_cores
    if spec.layout == "ids":
        vocabulary = arrays["table"].shape[0] * axes.devices
        of_combiner = gains if is_folded else None
        ids = check_on_all(axes, arrays["ids"], of_combiner, vocabulary=vocabulary, where=where)
        sample = jax.lax.broadcasted_iota(jnp.int32, ids.shape, 0)
        return _by_owner(ids, sample, gains, arrays["table"].shape[0], cores)
    operands = [arrays[name] for name in ("row_pointers", "embedding_ids", "sample_ids", "table")]
    program, shape = own_entries_program(spec), operands[1]
    rows, samples, status = ffi.call(program, operands, [shape, shape], returns_status=True)
    rows = fail_alike(axes, program, status, rows, number=axes.device(), where=where)
    factors = None if gains is None else gains.reshape(cores, -1)
    return Entries(rows.reshape(cores, -1), samples.reshape(cores, -1), factors)


def _by_owner(
    ids: jax.Array, samples: jax.Array, gains: jax.Array | None, rows: int, cores: int
) -> Entries:
    """Return the entries of raw ids; those of a sample are in the order of owners, then of positions."""
    arrays = [ids, samples] if gains is None else [ids, samples, gains]
    if ids.shape[1] > 1:
        _, *arrays = jax.lax.sort((ids // rows, *arrays), dimension=1, num_keys=1)
    ids, samples, *factors = (each.reshape(cores, -1) for each in arrays)
    return Entries(ids, samples, factors[0] if factors else None)
