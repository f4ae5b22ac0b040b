"""The entries of a device: raw ids, or those of buffers, and whether they are wrong."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import jax
import jax.numpy as jnp

from sdykit.bridge import ffi
from sdykit.bridge.embedding.axes import Axes
from sdykit.bridge.embedding.exchange.status import Status
from sdykit.bridge.embedding.programs.raw_ids import find_wrong_id
from sdykit.sparsecore.tile.entries.owners import own_entries_program
from sdykit.sparsecore.tile.spec import TileSpec


@dataclasses.dataclass(frozen=True)
class Entries:
    """The entries of a device. Those of raw ids are in the order of samples.

    Attributes:
        ids: int32 `[entries]`: the row of each, counted over all devices; negative: it is none.
        samples: int32 `[entries]`: the sample of each on the device.
        gains: float32 `[entries]`; None: all are 1.
        status: whether any of them is wrong.
        valency: the number of entries of each sample, if they are raw ids; None: they are of buffers,
            those of a sample are in the order of their owners.
    """

    ids: jax.Array
    samples: jax.Array
    gains: jax.Array | None
    status: Status
    valency: int | None = None


def checked_entries(
    axes: Axes,
    spec: TileSpec,
    arrays: Mapping[str, jax.Array],
    gains: jax.Array | None,
    *,
    is_folded: bool,
    where: str,
) -> Entries:
    """Return the entries of this device.

    Args:
        axes: the axes that the table is split over.
        spec: the spec of the lookup or the update.
        arrays: `ids`, or the buffers of this device; and its part of the `table`.
        gains: the gains of this device, as they are passed beside ids or buffers; None: all are 1.
        is_folded: whether a combiner made the gains of raw ids, which are then checked.
        where: the prefix of errors.
    """
    factors = None if gains is None else gains.reshape(-1)
    if spec.layout == "ids":
        vocabulary = arrays["table"].shape[0] * axes.devices
        of_combiner = gains if is_folded else None
        program, ids, found = find_wrong_id(arrays["ids"], of_combiner, vocabulary=vocabulary)
        first = axes.device() * len(ids)
        status = Status.of(axes, program, found, ids, number=first, where=where)
        samples = jax.lax.broadcasted_iota(jnp.int32, ids.shape, 0)
        return Entries(ids.reshape(-1), samples.reshape(-1), factors, status, ids.shape[1])
    operands = [arrays[name] for name in ("row_pointers", "embedding_ids", "sample_ids", "table")]
    program, shape = own_entries_program(spec), operands[1]
    rows, samples, found = ffi.call(program, operands, [shape, shape], returns_status=True)
    status = Status.of(axes, program, found, rows, number=axes.device(), where=where)
    return Entries(rows, samples, factors, status)
