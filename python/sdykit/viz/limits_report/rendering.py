"""Make the page of limits, and the tables for terminals."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping

from markupsafe import Markup
from rich.box import SIMPLE_HEAD
from rich.table import Table

from sdykit.sparsecore.limits import Limits, StackFigures, TableFigures
from sdykit.sparsecore.limits.counter import StackObserved
from sdykit.sparsecore.limits.observed import Observed
from sdykit.viz.limits_report.charts import by_partition, chart_keys, histogram
from sdykit.viz.page import page_template


@dataclasses.dataclass(frozen=True, eq=False)
class Counted:
    """The counts, and the limits computed from them."""

    limits: Limits
    """The limits."""
    observed: Mapping[str, StackObserved]
    """The counts of each stack, by name."""
    steps: int
    """The number of steps that were counted."""
    samples: int
    """The number of samples of each feature, over all steps."""


def limits_page(counted: Counted, title: str) -> str:
    """Return the page as HTML.

    Args:
        counted: the counts and limits to show.
        title: the name of the data, for the heading.
    """
    return page_template("sdykit.viz.limits_report").render(
        title=title,
        counted=counted,
        system=counted.limits.system,
        keys=chart_keys(),
        stacks=[_stack_view(each, counted.observed[each.name]) for each in counted.limits.stacks],
    )


@dataclasses.dataclass(frozen=True)
class _View:
    """A table, or a stack of several."""

    name: str
    figures: StackFigures | TableFigures
    limit: str
    """The heading of its figures: those of a table in a stack of several are not limits."""
    observed: Observed
    charts: tuple[Markup, Markup, Markup]

    @property
    def average(self) -> float:
        """The average number of ids of a list."""
        return float(self.observed.total_ids.sum() / self.observed.lists_by_ids.sum())

    @property
    def fullest(self) -> int:
        """The partition with the maximum number of ids."""
        return int(self.observed.total_ids.argmax())


@dataclasses.dataclass(frozen=True)
class _StackView:
    figures: StackFigures
    whole: _View | None
    """The stack as a whole; None if it has only one table."""
    tables: list[_View]


def _stack_view(figures: StackFigures, observed: StackObserved) -> _StackView:
    alone = len(figures.tables) == 1
    tables = [
        _view(table, "limit" if alone else "needs", observed.tables[table.name])
        for table in figures.tables
    ]
    return _StackView(figures, None if alone else _view(figures, "limit", observed.stack), tables)


def _view(figures: StackFigures | TableFigures, limit: str, observed: Observed) -> _View:
    ids = figures.max_ids_per_partition or 0
    unique_ids = figures.max_unique_ids_per_partition or 0
    charts = (
        histogram(observed.lists_by_ids, (limit, ids), unique=False),
        histogram(observed.lists_by_unique_ids, (limit, unique_ids), unique=True),
        by_partition(observed.max_ids, observed.max_unique_ids, ids),
    )
    return _View(figures.name, figures, limit, observed, charts)


def stack_table(counted: Counted) -> Table:
    """Return a table for `rich` of the limits of stacks, which determine the buffer sizes."""
    result = Table(title="Limits", box=SIMPLE_HEAD, pad_edge=False, title_justify="left")
    result.add_column("stack", overflow="fold")
    for name in ("tables", "ids", "unique ids", "ids/sample", "buffer/device"):
        result.add_column(name, justify="right", no_wrap=True)
    for each in counted.limits.stacks:
        result.add_row(
            each.name,
            str(len(each.tables)),
            f"{each.max_ids_per_partition:,}",
            f"{each.max_unique_ids_per_partition:,}",
            f"{each.max_ids_per_partition_per_sample:,}",
            f"{each.buffer_size_per_device:,}",
        )
    return result


def partition_table(counted: Counted, partitions: int) -> Table:
    """Return a table for `rich` of the counts of tables, and of their fullest partitions.

    Args:
        counted: the counts to show.
        partitions: the maximum number of partitions to show for each table.
    """
    result = Table(title="Observed", box=SIMPLE_HEAD, pad_edge=False, title_justify="left")
    result.add_column("table", overflow="fold")
    columns = ("partition", "max ids", "max unique ids", "ids/step", "unique ids/step")
    for name in (*columns, "total ids", "skew"):
        result.add_column(name, justify="right", no_wrap=True)
    for name, observed in _tables(counted):
        result.add_row(
            name,
            "all",
            f"{observed.max_ids.max():,}",
            f"{observed.max_unique_ids.max():,}",
            f"{observed.max_ids_of_step:,}",
            f"{observed.max_unique_ids_of_step:,}",
            f"{observed.total_ids.sum():,}",
            f"{observed.skew:.2f}",
            style="bold",
        )
        _add_partitions(result, observed, partitions)
    return result


def _tables(counted: Counted) -> Iterator[tuple[str, Observed]]:
    for stack in counted.observed.values():
        yield from stack.tables.items()


def _add_partitions(table: Table, observed: Observed, max_rows: int) -> None:
    order = (-observed.total_ids).argsort(kind="stable")
    for at in sorted(order[:max_rows].tolist()):
        table.add_row(
            "",
            str(at),
            f"{observed.max_ids[at]:,}",
            f"{observed.max_unique_ids[at]:,}",
            "",
            "",
            f"{observed.total_ids[at]:,}",
            f"{observed.partition_skew[at]:.2f}",
        )
    if max_rows and order.size > max_rows:
        table.add_row("", f"{order.size - max_rows} more", style="dim")
