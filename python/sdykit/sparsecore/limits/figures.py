"""Limits as figures of stacks and tables, and how they are applied to stacks and configurations."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Sequence

from sdykit.sparsecore.config import SparsecoreConfig
from sdykit.sparsecore.errors import SparseCoreError, suggestion
from sdykit.sparsecore.specs import INT32_MAX, System, TableSpec
from sdykit.sparsecore.stacking import Stack, StackedFeature, StackedTable

_COUNT_AGAIN = "count the limits of this program"


@dataclasses.dataclass(frozen=True)
class TableFigures:
    """The limits that a table needs. A figure is None where only its whole stack was counted."""

    name: str
    vocabulary_size: int
    col_shift: int
    """The partition of its id 0."""
    max_ids_per_partition: int | None = None
    """The maximum number of ids that one SparseCore sends to one partition in a step."""
    max_unique_ids_per_partition: int | None = None
    """The same for unique ids."""
    max_ids_per_partition_per_sample: int | None = None
    """The maximum number of ids that one sample has in one partition."""
    max_ids: int | None = None
    """The maximum number of ids that one SparseCore sends in a step, over all partitions."""
    max_unique_ids: int | None = None
    """The same for unique ids."""


@dataclasses.dataclass(frozen=True)
class StackFigures:
    """The limits that a stack needs; they determine the size of its static buffers."""

    name: str
    batch_size: int
    """Samples of all features, over all devices."""
    max_ids_per_partition: int
    """The maximum number of ids that one SparseCore sends to one partition in a step."""
    max_unique_ids_per_partition: int
    """The same for unique ids."""
    buffer_size_per_device: int
    """Entries that a device's buffers need without minibatches."""
    tables: tuple[TableFigures, ...]
    max_ids_per_partition_per_sample: int | None = None
    """The maximum number of ids that one sample has in one partition."""


@dataclasses.dataclass(frozen=True)
class Limits:
    """The limits of all stacks of a program on a system."""

    system: System
    stacks: tuple[StackFigures, ...]
    max_ids_per_chip_per_sample: int | None = None
    """The maximum number of ids of one sample on one device, over all features, duplicates
    included."""

    def applied(self, stacks: Sequence[Stack], system: System) -> tuple[Stack, ...]:
        """Return the stacks with these limits, which their `TableSpec`s have too.

        A stack's `buffer_size_per_device` is increased if it is smaller than the limits need.

        Raises:
            SparseCoreError: the limits are those of another system, of other tables, or of
                other stacks.
        """
        _check_system(self.system, system)
        _check_tables(self.stacks, stacks)
        by_name = {each.name: each for each in self.stacks}
        return tuple(_with_limits(each, _limits_of(each, by_name)) for each in stacks)

    def configured(self, config: SparsecoreConfig) -> SparsecoreConfig:
        """Return the configuration with the limits of tables and of samples.

        Limits that the configuration has already are kept: those of tables that its dictionaries
        name, and a `max_ids_per_chip_per_sample` that is not the default.
        """
        tables = [table for each in self.stacks for table in each.tables]
        ids = {each.name: each.max_ids for each in tables if each.max_ids is not None}
        unique_ids = {
            each.name: each.max_unique_ids for each in tables if each.max_unique_ids is not None
        }
        of_sample = config.max_ids_per_chip_per_sample
        if of_sample == SparsecoreConfig.max_ids_per_chip_per_sample:
            of_sample = self.max_ids_per_chip_per_sample or of_sample
        return dataclasses.replace(
            config,
            max_ids_per_chip_per_sample=of_sample,
            max_ids_per_table=(ids | (config.max_ids_per_table or {})) or None,
            max_unique_ids_per_table=(unique_ids | (config.max_unique_ids_per_table or {})) or None,
        )


def check_headroom(headroom: object) -> None:
    """Check that a factor for `with_headroom` is a number from 1 to 1000.

    Raises:
        SparseCoreError: it is something else.
    """
    if (
        isinstance(headroom, int | float)
        and not isinstance(headroom, bool)
        and 1 <= headroom <= 1000
    ):
        return
    raise SparseCoreError(f"limits: headroom is {headroom!r}; expected a factor from 1 to 1000")


def with_headroom(observed: int, headroom: float) -> int:
    """Return the limit for an observed figure: at least 1, and the product rounded up."""
    # In binary 10 * 1.1 is a little above 11, and must still give 11.
    limit = max(observed, math.ceil(round(observed * headroom, 6)))
    return min(max(1, limit), INT32_MAX)


def _check_system(limits: System, system: System) -> None:
    if limits != system:
        raise SparseCoreError(
            f"the limits are for {described(limits)}; the program runs on {described(system)}: "
            f"{_COUNT_AGAIN}"
        )


def described(system: System) -> str:
    """Return a description of a system for errors: `2 devices of 4 SparseCores`."""
    devices = "1 device" if system.num_devices == 1 else f"{system.num_devices} devices"
    cores = system.sparse_cores_per_device
    return f"{devices} of {cores} SparseCore{'' if cores == 1 else 's'}"


def _check_tables(limits: Iterable[StackFigures], stacks: Sequence[Stack]) -> None:
    """Check that limits and stacks have the same tables."""
    found = {table.name: table for each in limits for table in each.tables}
    wanted = {table.spec.name: table.spec for each in stacks for table in each.tables}
    missing = [name for name in wanted if name not in found]
    if missing:
        names = [name for name in found if name not in wanted] or list(found)
        raise SparseCoreError(
            f"there are no limits for table {missing[0]!r}; {_nearest(missing[0], names)}"
        )
    for name, table in found.items():
        if name not in wanted:
            raise SparseCoreError(
                f"there are limits for table {name!r}, which the program does not have; "
                f"{_nearest(name, wanted)}"
            )
        size = wanted[name].vocabulary_size
        if table.vocabulary_size != size:
            raise SparseCoreError(
                f"the limits of table {name!r} are for a vocabulary_size of "
                f"{table.vocabulary_size}; the program has {size}: {_COUNT_AGAIN}"
            )


def _nearest(name: str, names: Iterable[str]) -> str:
    return suggestion(name, names) if any(True for _ in names) else "expected no tables at all"


def _limits_of(stack: Stack, limits: dict[str, StackFigures]) -> StackFigures:
    """Return the limits of a stack, and check that they are for the same stack."""
    names = ", ".join(table.spec.name for table in stack.tables)
    found = limits.get(stack.name)
    shifts = {table.spec.name: table.col_shift for table in stack.tables}
    if found is None or {table.name for table in found.tables} != set(shifts):
        stacks = [", ".join(table.name for table in each.tables) for each in limits.values()]
        raise SparseCoreError(
            f"there are no limits for the stack of tables {names}, only for the stacks of "
            f"{'; '.join(stacks)}: {_COUNT_AGAIN}"
        )
    for table in found.tables:
        if table.col_shift != shifts[table.name]:
            raise SparseCoreError(
                f"the limits of table {table.name!r} are for a rotation by {table.col_shift} "
                f"partitions; the program rotates it by {shifts[table.name]}: {_COUNT_AGAIN}"
            )
    if found.batch_size != stack.batch_size:
        raise SparseCoreError(
            f"the limits of stack {stack.name!r} are for a batch_size of {found.batch_size}; "
            f"the program has {stack.batch_size}: {_COUNT_AGAIN}"
        )
    return found


def _with_limits(stack: Stack, limits: StackFigures) -> Stack:
    figures = {each.name: each for each in limits.tables}
    tables = {
        each.spec.name: _with_table_limits(each.spec, figures[each.spec.name])
        for each in stack.tables
    }
    return dataclasses.replace(
        stack,
        tables=tuple(_with_spec(each, tables[each.spec.name]) for each in stack.tables),
        features=tuple(_with_table(each, tables) for each in stack.features),
        max_ids_per_partition=limits.max_ids_per_partition,
        max_unique_ids_per_partition=limits.max_unique_ids_per_partition,
        buffer_size_per_device=_large_enough(stack.buffer_size_per_device, limits),
    )


def _with_spec(table: StackedTable, spec: TableSpec) -> StackedTable:
    return dataclasses.replace(table, spec=spec)


def _with_table(feature: StackedFeature, tables: dict[str, TableSpec]) -> StackedFeature:
    spec = dataclasses.replace(feature.spec, table=tables[feature.spec.table.name])
    return dataclasses.replace(feature, spec=spec)


def _with_table_limits(spec: TableSpec, limits: TableFigures) -> TableSpec:
    return dataclasses.replace(
        spec,
        max_ids_per_partition=limits.max_ids_per_partition or spec.max_ids_per_partition,
        max_unique_ids_per_partition=limits.max_unique_ids_per_partition
        or spec.max_unique_ids_per_partition,
    )


def _large_enough(entries: int | None, limits: StackFigures) -> int | None:
    """Return a buffer size that is enough for limits; None is: it follows from the limits."""
    return None if entries is None else max(entries, limits.buffer_size_per_device)
