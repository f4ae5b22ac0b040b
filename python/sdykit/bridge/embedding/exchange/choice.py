"""Whether rows travel from the devices that own them."""

from __future__ import annotations

from collections.abc import Mapping

import jax

from sdykit.bridge.embedding.primitives.source import is_asynchronous
from sdykit.sparsecore.exchange import Exchange
from sdykit.sparsecore.specs import INT32_MAX
from sdykit.sparsecore.tile.spec import TileSpec


def exchange_of(
    spec: TileSpec, table: jax.Array, arrays: Mapping[str, jax.Array]
) -> Exchange | None:
    """Return the sizes of the exchange of a lookup or an update; None if there is none.

    There is none if sums of rows are fewer bytes than rows, or a program is one that runs on each
    device as a chip's does: with checks, counters or minibatches, in the chip reading, or asynchronously.

    Args:
        spec: the spec of the program on all devices.
        table: the part of the table of a device.
        arrays: raw ids or buffers of a device.
    """
    is_plain = spec.reading == "cpu" and not (
        spec.check_bounds or spec.check_nan or spec.verify_launch or spec.counters
    )
    rows, devices, cores = table.shape[0], spec.num_devices, spec.sparse_cores
    is_known = is_plain and not (spec.minibatches or is_asynchronous()) and table.ndim > 1
    if devices == 1 or spec.transport != "collectives" or not is_known:
        return None
    samples = cores * spec.samples_per_core
    sizes = {"dim": spec.dim, "rows": rows, "element_bytes": table.dtype.itemsize}
    if "ids" in arrays:
        found = Exchange(devices, samples, arrays["ids"].shape[1], **sizes)
    else:
        (entries,) = arrays["embedding_ids"].shape
        most = cores * cores * spec.limits[1]
        found = Exchange(devices, samples, 0, **sizes, entries=entries, most=most)
    is_even = found.ids % cores == 0 and devices * found.capacity % cores == 0
    fits = found.ids > 0 and rows * devices <= INT32_MAX
    return found if is_even and fits and found.sends_rows else None
