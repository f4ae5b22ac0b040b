"""The tables of a recorded loop, as preprocessing knew them."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

from sdykit.bridge.settings import current
from sdykit.sparsecore.chip import chip as find_chip
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.memory import Entry, Ledger
from sdykit.sparsecore.memory.layers import ledger_of_stacks
from sdykit.sparsecore.optimizers import Optimizer
from sdykit.sparsecore.run import Feature, StackOfTables, Table
from sdykit.sparsecore.specs import System
from sdykit.sparsecore.stacking import Stack

_logger = logging.getLogger("sdykit.record")


@dataclasses.dataclass(frozen=True)
class Described:
    """The tables of a run.

    Attributes:
        tables: the tables.
        stacks: the stacks that they are in.
        devices: the number of devices that they are split over; 0: unknown.
        ledger: what the HBM of each device holds; None: unknown.
    """

    tables: tuple[Table, ...] = ()
    stacks: tuple[StackOfTables, ...] = ()
    devices: int = 0
    ledger: Ledger | None = None


def describe(given: Mapping[Hashable, Any], settings: Mapping[str, Any]) -> Described:
    """Return the tables that batches were prepared with; a stack's last description counts.

    Args:
        given: pairs of stacks and system, or of another library's feature specs and system.
        settings: the settings of the last batch.
    """
    tables: dict[str, Table] = {}
    stacks: dict[str, StackOfTables] = {}
    entries: dict[Entry, None] = {}
    devices = 0
    for held, system in given.values():
        own = bool(held) and isinstance(held[0], Stack)
        found = _of_stacks(held) if own else _of_specs(held)
        tables |= {each.name: each for each in found.tables}
        stacks |= {each.name: each for each in found.stacks}
        devices = max(devices, system.num_devices)
        of_memory = _memory(held, system, settings) if own else _library_memory(held, system)
        entries |= dict.fromkeys(of_memory)
    serialized = current().config.xla_sc_num_serialized_tables_to_optimize_hbm
    chip = find_chip(current().chip)
    ledger = Ledger(chip, tuple(entries), serialized) if entries else None
    return Described(tuple(tables.values()), tuple(stacks.values()), devices, ledger)


def _of_stacks(stacks: Sequence[Stack]) -> Described:
    tables = []
    for stack in stacks:
        for each in stack.tables:
            spec = each.spec
            features = tuple(
                Feature(feature.spec.name, feature.spec.batch_size)
                for feature in stack.features
                if feature.spec.table == spec
            )
            tables.append(
                Table(
                    spec.name,
                    spec.vocabulary_size,
                    spec.embedding_dim,
                    spec.dtype,
                    _optimizer(spec.optimizer),
                    spec.combiner,
                    features,
                )
            )
    return Described(tuple(tables), tuple(map(_stack, stacks)))


def _optimizer(optimizer: Optimizer) -> dict[str, Any]:
    values = {each.name: getattr(optimizer, each.name) for each in dataclasses.fields(optimizer)}
    plain = {key: value for key, value in values.items() if isinstance(value, int | float | str)}
    return {"name": optimizer.name, **plain}


def _stack(stack: Stack) -> StackOfTables:
    return StackOfTables(
        stack.name,
        tuple(each.spec.name for each in stack.tables),
        tuple(each.col_shift for each in stack.tables),
        stack.vocabulary_size,
        stack.embedding_dim,
        stack.batch_size,
        {**stack.compiled_limits, "buffer_size_per_device": stack.buffer_size_per_device},
    )


def _memory(
    stacks: Sequence[Stack], system: System, settings: Mapping[str, Any]
) -> Iterator[Entry]:
    has_minibatches = settings.get("minibatching", "off") != "off"
    prefetched = int(settings.get("maximum_parallel_iterations") or 0)
    try:
        ledger = ledger_of_stacks(
            stacks,
            system,
            current().chip,
            has_minibatches=has_minibatches,
            prefetched=prefetched,
            reading=current().execute,
        )
    except SparseCoreError as error:  # The loop ran: its buffers may have had other sizes.
        _logger.warning("the run has no ledger of HBM: %s", error)
        return
    yield from ledger.entries


def _of_specs(features: Sequence[Any]) -> Described:
    """Return the tables of jax-tpu-embedding's feature specs."""
    tables: dict[str, Table] = {}
    stacks: dict[str, list[Any]] = {}
    for feature in features:
        spec = feature.table_spec
        batch = feature.output_shape[0]
        own = Feature(feature.name, int(batch) if batch is not None else 0)
        known = tables.get(spec.name)
        tables[spec.name] = Table(
            spec.name,
            int(spec.vocabulary_size),
            int(spec.embedding_dim),
            "float32",
            {"name": type(spec.optimizer).__name__.removesuffix("OptimizerSpec")},
            str(spec.combiner),
            (*(known.features if known else ()), own),
        )
        members = stacks.setdefault(spec.stacked_table_spec.stack_name, [])
        if all(each.table_spec.name != spec.name for each in members):
            members.append(feature)
    return Described(tuple(tables.values()), tuple(map(_stack_of_specs, stacks.values())))


def _stack_of_specs(members: Sequence[Any]) -> StackOfTables:
    stack = members[0].table_spec.stacked_table_spec
    return StackOfTables(
        stack.stack_name,
        tuple(each.table_spec.name for each in members),
        tuple(int(each.id_transformation.col_shift) for each in members),
        int(stack.stack_vocab_size),
        int(stack.stack_embedding_dim),
        int(stack.total_sample_count),
        {
            "max_ids_per_partition": int(stack.max_ids_per_partition),
            "max_unique_ids_per_partition": int(stack.max_unique_ids_per_partition),
            "buffer_size_per_device": stack.suggested_coo_buffer_size_per_device,
        },
    )


def _library_memory(features: Sequence[Any], system: System) -> Iterator[Entry]:
    from sdykit.bridge.jax_tpu_embedding.tables.memory import entries_of

    for feature in features:
        yield from entries_of(feature.table_spec, system.num_devices)
