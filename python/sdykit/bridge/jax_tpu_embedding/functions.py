"""The functions of the library's `lib.nn.embedding` that the plugin adds to."""

from __future__ import annotations

from types import ModuleType

from sdykit.bridge.jax_tpu_embedding._labels import tell_names
from sdykit.bridge.jax_tpu_embedding._table_limits import take_limits


def register(module: ModuleType) -> None:
    """Have lookups tell the names of their stacks, and specs take the limits that flags name."""
    tell_names(module)
    take_limits(module)
