"""The limits `max_ids_per_table` and `max_unique_ids_per_table`, on the ids of all SparseCores."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.config import SparsecoreConfig
from sdykit.sparsecore.errors import LimitExceeded, SparseCoreError, suggestion
from sdykit.sparsecore.stacking import Stack

_KINDS: Final = (("ids", "max_ids_per_table"), ("unique ids", "max_unique_ids_per_table"))
"""What each limit counts, and its setting."""

_UNLIMITED: Final = 2**62

Counts = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True, eq=False)
class TableLimits:
    """The limits of a stack's tables, and the ids that were counted."""

    names: tuple[str, ...]
    """`[tables]`: the names of the tables."""
    ends: Counts
    """`[tables]`: one past a table's last row in a partition."""
    limits: Counts
    """`[tables, 2]`: the maximum numbers of ids and unique ids in a step; a large number if there
    is no limit."""
    of_cores: Counts
    """`[SparseCores, tables, 2]`: how many of them each SparseCore may take."""
    observed: Counts
    """`[SparseCores, tables, 2]`: ids and unique ids before dropping."""
    dropped: Counts
    """`[SparseCores]`: the number of dropped ids, those of a job at its first SparseCore."""

    @property
    def is_exceeded(self) -> bool:
        """Whether a table has more ids than its limits, over all SparseCores and partitions."""
        return bool((self.observed.sum(axis=0) > self.limits).any())

    def check(self) -> None:
        """Raise an error if a limit was exceeded.

        Raises:
            LimitExceeded: one was; the text names the table, and both figures.
        """
        totals = self.observed.sum(axis=0)
        for table, kind in np.argwhere(totals > self.limits):
            what, setting = _KINDS[kind]
            raise LimitExceeded(
                f"table {self.names[table]!r}: a step has {totals[table, kind]} {what}, over all "
                f"SparseCores and partitions; compiled for {self.limits[table, kind]} ({setting}): "
                "raise it, or set allow_id_dropping"
            )

    def set_dropped(self, first: int, last: int, dropped: int) -> None:
        """Set the number of ids that a job dropped, whose SparseCores are `[first, last)`."""
        self.dropped[first:last] = 0
        self.dropped[first] = dropped

    def share_out(self) -> None:
        """Let the SparseCores take what was counted, one after another, up to the limits."""
        before = self.observed.cumsum(axis=0) - self.observed
        np.subtract(self.limits, before, out=self.of_cores)


def table_limits(
    stack: Stack, cores: int, partitions: int, config: SparsecoreConfig
) -> TableLimits | None:
    """Return the limits of a stack's tables, or None if no table has one.

    Args:
        stack: the stack.
        cores: the number of this host's SparseCores.
        partitions: the number of partitions of a table.
        config: the configuration with the limits.
    """
    if not config.max_ids_per_table and not config.max_unique_ids_per_table:
        return None
    settings = [getattr(config, setting) or {} for _, setting in _KINDS]
    names = tuple(table.spec.name for table in stack.tables)
    if not any(name in limits for limits in settings for name in names):
        return None
    ends = [table.col_offset + table.vocabulary_size for table in stack.tables]
    limits = [[limits.get(name, _UNLIMITED) for limits in settings] for name in names]
    shape = (cores, len(names), 2)
    return TableLimits(
        names=names,
        ends=np.array(ends, np.int64) // partitions,
        limits=np.array(limits, np.int64),
        of_cores=np.full(shape, _UNLIMITED, np.int64),
        observed=np.zeros(shape, np.int64),
        dropped=np.zeros(cores, np.int64),
    )


def check_table_names(stacks: Sequence[Stack], config: SparsecoreConfig) -> None:
    """Check that the stacks have all tables for which a configuration has limits.

    Raises:
        SparseCoreError: they do not; the text names the setting and the table.
    """
    known = [table.spec.name for each in stacks for table in each.tables]
    for _, setting in _KINDS:
        for name in getattr(config, setting) or {}:
            if name not in known:
                raise SparseCoreError(
                    f"config: {setting} has a limit for table {name!r}, which no stack has; "
                    f"{suggestion(name, known)}"
                )
