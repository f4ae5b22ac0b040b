"""The functions of the library's `lib.nn.embedding` that the plugin adds to."""

from __future__ import annotations

from types import ModuleType

from sdykit.bridge.jax_tpu_embedding.primitives.labels import tell_names
from sdykit.bridge.jax_tpu_embedding.tables.limits import take_limits
from sdykit.bridge.jax_tpu_embedding.tables.memory import check_memory


def register(module: ModuleType) -> None:
    """Have lookups tell names of stacks, specs take limits of flags, and new tables fit in HBM."""
    tell_names(module)
    take_limits(module)
    check_memory(module)
