"""Whether rows travel from the devices that own them."""

from __future__ import annotations

import jax

from sdykit.sparsecore.exchange import Exchange
from sdykit.sparsecore.specs import INT32_MAX
from sdykit.sparsecore.tile.spec import TileSpec


def exchange_of(spec: TileSpec, table: jax.Array, ids: jax.Array | None) -> Exchange | None:
    """Return the sizes of the exchange of a lookup or an update; None if there is none.

    There is none if sums of rows are fewer bytes than rows, or a program is one that runs on each
    device as a chip's does: with checks, counters or buffers, or in the chip reading.

    Args:
        spec: the spec of the program on all devices.
        table: the part of the table of a device.
        ids: int32 `[samples, valency]`, raw ids of a device; None: there are buffers.
    """
    is_plain = spec.reading == "cpu" and not (
        spec.check_bounds or spec.check_nan or spec.verify_launch or spec.counters
    )
    rows, devices = table.shape[0], spec.num_devices
    if ids is None or ids.size == 0 or not is_plain or rows * devices > INT32_MAX:
        return None
    if devices == 1 or spec.transport != "collectives":
        return None
    samples, valency = ids.shape
    found = Exchange(devices, samples, valency, spec.dim, rows, table.dtype.itemsize)
    is_even = devices * found.capacity % spec.sparse_cores == 0
    return found if is_even and found.sends_rows else None
