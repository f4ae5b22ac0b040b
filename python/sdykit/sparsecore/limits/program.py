"""The limits of a program, and how they are applied to its stacks and its configuration."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence

from sdykit.sparsecore.config import SparsecoreConfig
from sdykit.sparsecore.limits.checks import check_system, check_tables, limits_of
from sdykit.sparsecore.limits.figures import StackFigures, TableFigures
from sdykit.sparsecore.specs import INT32_MAX, System, TableSpec
from sdykit.sparsecore.stacking import Stack, StackedFeature, StackedTable


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
            LimitsMisfit: the limits are those of another system, of other tables, or of
                other stacks.
        """
        check_system(self.system, system)
        check_tables(self.stacks, stacks)
        by_name = {each.name: each for each in self.stacks}
        return tuple(_with_limits(each, limits_of(each, by_name)) for each in stacks)

    def of_program(
        self, config: SparsecoreConfig, stacks: Sequence[Stack], system: System
    ) -> tuple[SparsecoreConfig, tuple[Stack, ...]]:
        """Return configuration and stacks with these limits: `configured`, `applied` and `capped`.

        Raises:
            LimitsMisfit: as `applied`.
        """
        configured = self.configured(config)
        return configured, capped(self.applied(stacks, system), configured)

    def configured(self, config: SparsecoreConfig) -> SparsecoreConfig:
        """Return the configuration with the limits of tables and of samples.

        Limits that the configuration has already are kept: those of tables that its dictionaries
        name, and a `max_ids_per_chip_per_sample` that is not the default.
        """
        tables = [table for each in self.stacks for table in each.tables]
        ids = _by_name(tables, "max_ids_per_table")
        unique_ids = _by_name(tables, "max_unique_ids_per_table")
        of_sample = config.max_ids_per_chip_per_sample
        if of_sample == SparsecoreConfig.max_ids_per_chip_per_sample:
            of_sample = self.max_ids_per_chip_per_sample or of_sample
        return dataclasses.replace(
            config,
            max_ids_per_chip_per_sample=of_sample,
            max_ids_per_table=(ids | (config.max_ids_per_table or {})) or None,
            max_unique_ids_per_table=(unique_ids | (config.max_unique_ids_per_table or {})) or None,
        )


def capped(stacks: Iterable[Stack], config: SparsecoreConfig) -> tuple[Stack, ...]:
    """Return the stacks with limits of partitions that are at most those of their tables.

    A list is never longer than all lists of its stack together.
    """
    ids, unique_ids = config.max_ids_per_table or {}, config.max_unique_ids_per_table or {}
    return tuple(
        dataclasses.replace(
            each,
            max_ids_per_partition=min(each.max_ids_per_partition, _total(each, ids)),
            max_unique_ids_per_partition=min(
                each.max_unique_ids_per_partition, _total(each, unique_ids)
            ),
        )
        for each in stacks
    )


def _total(stack: Stack, limits: Mapping[str, int]) -> int:
    """Return the sum of the limits of a stack's tables, or the largest int32 if one has none."""
    names = [table.spec.name for table in stack.tables]
    if not all(name in limits for name in names):
        return INT32_MAX
    return sum(limits[name] for name in names)


def _by_name(tables: Iterable[TableFigures], figure: str) -> dict[str, int]:
    """Return a figure of the tables that have it."""
    figures = {each.name: getattr(each, figure) for each in tables}
    return {name: number for name, number in figures.items() if number is not None}


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
        max_ids_of_partitions=limits.max_ids_of_partitions,
        max_unique_ids_of_partitions=limits.max_unique_ids_of_partitions,
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
