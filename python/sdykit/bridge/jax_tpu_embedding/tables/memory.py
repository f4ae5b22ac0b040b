"""A check that all tables of the library fit in a chip's HBM, before any is made.

A lookup or an update has its own table only; the function that makes tables has all of them.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Iterable, Iterator
from typing import Any

import jax

from sdykit.bridge.settings import current
from sdykit.sparsecore.chip import chip as find_chip
from sdykit.sparsecore.memory import Entry, HbmStack, Ledger
from sdykit.sparsecore.memory.heap_log import check_and_log

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
        SparseCoreError: tables, slots and HBM stacks together are larger than the HBM of a device.
    """
    axes = next((each for each in sharding.spec if each is not None), None)
    if axes is None or sharding.mesh.devices.flat[0].platform != "cpu":
        return  # The library reports a wrong sharding; other devices have real memory.
    names = (axes,) if isinstance(axes, str) else tuple(axes)
    devices = math.prod(sharding.mesh.shape[name] for name in names)
    # Tables of one stack have the same entries.
    entries = dict.fromkeys(entry for table in tables for entry in entries_of(table, devices))
    settings = current()
    serialized = settings.config.xla_sc_num_serialized_tables_to_optimize_hbm
    ledger = Ledger(find_chip(settings.chip), tuple(entries), serialized)
    check_and_log(ledger, _NAME, settings.config)


def entries_of(table: Any, devices: int) -> Iterator[Entry]:
    """Yield what the stack of a table needs on each device."""
    stack, slots = table.stacked_table_spec, table.optimizer.slot_variables_count()
    rows, width = int(stack.stack_vocab_size) // devices, int(stack.stack_embedding_dim)
    size, note = rows * width * _FLOAT_BYTES, f"float32[{rows},{width}]"
    owner = stack.stack_name
    yield Entry(kind="table", owner=owner, name="table", bytes=size, note=note)
    for number in range(slots):
        name = f"slot {number + 1} of {slots}"
        yield Entry(kind="slot", owner=owner, name=name, bytes=size, note=note)
    limits = (stack.max_ids_per_partition, stack.max_unique_ids_per_partition)
    for phase in ("lookup", "update"):
        held = HbmStack(
            kind=phase,
            feature_width=width,
            max_unique_nz_per_row=min(map(int, limits)),
            logical_replica_count=devices,
        )
        yield held.entry(owner)
