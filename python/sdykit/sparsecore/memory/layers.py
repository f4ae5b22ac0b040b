"""The ledger of the stacks of a layer: of the lookups and updates of all its tables."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any, Final

from sdykit.sparsecore.chip import chip as find_chip
from sdykit.sparsecore.memory.ledger import Entry, Ledger
from sdykit.sparsecore.memory.programs import ledger_of
from sdykit.sparsecore.optimizers import Custom
from sdykit.sparsecore.preprocess.target import buffer_size, row_pointers_size
from sdykit.sparsecore.specs import System
from sdykit.sparsecore.stacking import Stack
from sdykit.sparsecore.tile.compile import check_chip, check_entries
from sdykit.sparsecore.tile.spec import (
    CustomUpdateSpec,
    LookupSpec,
    Reading,
    TileSpec,
    Transport,
    UpdateSpec,
)

PIPELINED: Final = 2
"""The number of batches that are under way besides the one that is looked up, in a pipelined step."""


def ledger_of_stacks(
    stacks: Sequence[Stack],
    system: System,
    chip: str,
    *,
    has_minibatches: bool = False,
    prefetched: int = 0,
    reading: Reading = "cpu",
    serialized_tables: int = 0,
    is_pipelined: bool = False,
    transport: Transport = "collectives",
) -> Ledger:
    """Return the ledger of a device that holds its part of some stacks.

    Args:
        stacks: the stacks.
        system: the numbers of devices and SparseCores that the stacks are made for.
        chip: the name of the chip, or the path of a file that describes it.
        has_minibatches: whether the buffers are laid out for minibatches.
        prefetched: the number of steps whose input is in HBM before they run.
        reading: the reading that runs; what only the simulator needs follows from it.
        serialized_tables: how many stacks of tables are serialized, see `Ledger`.
        is_pipelined: whether steps are pipelined; then the input of two more is in HBM.
        transport: how ids, rows and gradients reach other devices; what the simulator needs for that
            follows from it.

    Raises:
        SparseCoreError: there is no such chip, or the buffers are too large.
    """
    entries: dict[Entry, None] = {}
    ahead = prefetched + (PIPELINED if is_pipelined else 0)
    for each in stacks:
        specs = [
            dataclasses.replace(spec, reading=reading, transport=transport)
            for spec in specs_of(each, system, chip, has_minibatches)
        ]
        entries |= dict.fromkeys(_entries(each, system, specs, ahead))
    return Ledger(find_chip(chip), tuple(entries), serialized_tables, is_pipelined)


def _entries(
    stack: Stack, system: System, specs: Sequence[TileSpec], prefetched: int
) -> Iterator[Entry]:
    """Yield the entries of a stack; one that lookups and updates share is yielded twice."""
    lookup, update = specs
    devices, has_minibatches = system.num_devices, lookup.minibatches
    sizes = {
        "rows": stack.vocabulary_size // devices,
        "entries": buffer_size(stack, system, has_minibatches) * devices,
        "pointers": row_pointers_size(system, has_minibatches) * devices,
    }
    is_updated = stack.tables[0].spec.dtype == "float32"  # Others have no slots either.
    for spec in (lookup, update) if is_updated else (lookup,):
        for entry in ledger_of(spec, sizes, owner=stack.name).entries:
            yield of_all_steps(entry, prefetched)


def staged_entries(
    stacks: Sequence[Stack], system: System, chip: str, *, has_minibatches: bool = False
) -> list[Entry]:
    """Return the buffers that are staged in HBM; arguments as of `ledger_of_stacks`.

    Those of a user's own updates are not known before they are traced.

    Raises:
        SparseCoreError: a program does not fit in SPMEM.
    """
    found: list[Entry] = []
    for stack in stacks:
        lookup, update = specs_of(stack, system, chip, has_minibatches)
        is_known = lookup.dtype == "float32" and isinstance(update, UpdateSpec)
        for spec in (lookup, update) if is_known else (lookup,):
            found += [dataclasses.replace(each, owner=stack.name) for each in check_chip(spec)]
    return found


def check_stack_entries(
    stack: Stack, system: System, chip: str, *, has_minibatches: bool = False
) -> None:
    """Check that SPMEM holds as many ids of a partition as the limits of a stack allow.

    Arguments are as of `ledger_of_stacks`.

    Raises:
        SparseCoreError: it does not; the text lists the buffers, and limits that would fit.
    """
    lookup, _ = specs_of(stack, system, chip, has_minibatches)
    check_entries(lookup)


def of_all_steps(entry: Entry, prefetched: int) -> Entry:
    """Return an entry with the bytes of the steps that are prefetched, if it is of their input."""
    # Of the simulator, the index by sample comes with the buffers.
    is_input = entry.kind == "input" or (entry.kind == "simulator" and not entry.phase)
    if not prefetched or not is_input:
        return entry
    note = f"{entry.note}, of this step and {prefetched} more"
    return dataclasses.replace(entry, bytes=entry.bytes * (1 + prefetched), note=note)


def specs_of(
    stack: Stack, system: System, chip: str, has_minibatches: bool
) -> tuple[LookupSpec, UpdateSpec | CustomUpdateSpec]:
    """Return the specs of a stack's lookup and of its update."""
    table = stack.tables[0].spec
    fields: dict[str, Any] = {
        "dim": stack.embedding_dim,
        "samples_per_core": stack.batch_size // system.num_sparse_cores,
        "minibatches": has_minibatches,
        "chip": chip,
        "num_devices": system.num_devices,
        **stack.compiled_limits,
    }
    lookup = LookupSpec(dtype=table.dtype, **fields)
    if not isinstance(table.optimizer, Custom):
        return lookup, UpdateSpec(optimizer=table.optimizer, **fields)
    slots, row_slots = tuple(table.optimizer.slots), table.optimizer.row_slots
    # The rule itself needs no memory.
    return lookup, CustomUpdateSpec(stablehlo="", slots=slots, row_slots=row_slots, **fields)
