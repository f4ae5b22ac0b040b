"""A check that all tables of the library fit in a chip's HBM, before any is made.

A lookup or an update has its own table only; the function that makes tables has all of them.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Iterable
from typing import Any

import jax

from sdykit.bridge.embedding.settings import current
from sdykit.sparsecore.chip import chip as find_chip
from sdykit.sparsecore.chip.memory import check_hbm_tables

_NAME = "init_embedding_variables"
_FLOAT_BYTES = 4


def check_memory(module: Any) -> None:
    """Make the function that makes tables and slots check that they fit in the HBM of the chip."""
    function = getattr(module, _NAME)
    if hasattr(function, "__wrapped__"):
        return

    @functools.wraps(function)
    def init_embedding_variables(*arguments: Any, **options: Any) -> Any:
        given = inspect.signature(function).bind(*arguments, **options).arguments
        _check(jax.tree.leaves(given["table_specs"]), given["global_sharding"])
        return function(*arguments, **options)

    setattr(module, _NAME, init_embedding_variables)


def _check(tables: Iterable[Any], sharding: Any) -> None:
    """Check float32 tables and slots that are sharded as given.

    Raises:
        SparseCoreError: tables and slots together are larger than the HBM of a device.
    """
    axes = next((each for each in sharding.spec if each is not None), None)
    if axes is None or sharding.mesh.devices.flat[0].platform != "cpu":
        return  # The library reports a wrong sharding; other devices have real memory.
    names = (axes,) if isinstance(axes, str) else tuple(axes)
    devices = math.prod(sharding.mesh.shape[name] for name in names)
    sizes: dict[str, int] = {}
    for table in tables:
        stack, slots = table.stacked_table_spec, table.optimizer.slot_variables_count()
        elements = int(stack.stack_vocab_size) * int(stack.stack_embedding_dim) // devices
        sizes[stack.stack_name] = elements * _FLOAT_BYTES
        if slots:
            sizes[f"slots of {stack.stack_name}"] = elements * _FLOAT_BYTES * slots
    check_hbm_tables(_NAME, find_chip(current().chip), sizes)
