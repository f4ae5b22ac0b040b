"""The functions of the library's `lib.nn` that the plugin adds to.

`limits` sets those of a file, and `memory` checks that the tables fit in HBM.
"""

from __future__ import annotations

from types import ModuleType

from sdykit.bridge.jax_tpu_embedding.primitives.labels import name_stacks
from sdykit.bridge.jax_tpu_embedding.tables.limits import take_limits, take_limits_of_stacks
from sdykit.bridge.jax_tpu_embedding.tables.memory import check_memory


def register(module: ModuleType) -> None:
    """Add names of stacks to lookups, limits of a file to specs, and a check of memory to tables."""
    name_stacks(module)
    take_limits(module)
    check_memory(module)


def register_stacking(module: ModuleType) -> None:
    """Add limits of a file to the stacking of tables."""
    take_limits_of_stacks(module)
