"""Sizes and shares as text."""

from __future__ import annotations

from typing import Final

from sdykit.sparsecore.memory.spmem import Buffer
from sdykit.viz.charts import Axis

BYTES: Final = Axis("bytes", "B")
"""What writes bytes as `1.25 GiB`."""
_FEW = ("lanes", "tiles", "sparse_cores", "num_devices", "minibatches", "ids_per_block")
"""Names in sizes of buffers that no user sets as a limit or width."""


def share(part: float, whole: float) -> str:
    """Return a part of a whole in percent."""
    return f"{part / whole:.1%}" if whole else "0%"


def follows_from(buffer: Buffer) -> str:
    """Return the limits and widths that the size of a buffer follows from, with their values."""
    named = (f"{name} = {value:,}" for name, value in buffer.limits if name not in _FEW)
    return ", ".join(named) or buffer.product
