"""The limits `max_ids_per_table` and `max_unique_ids_per_table`, on the ids of one SparseCore."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.config import SparsecoreConfig
from sdykit.sparsecore.errors import LimitExceeded, SparseCoreError, suggestion
from sdykit.sparsecore.specs import INT32_MAX
from sdykit.sparsecore.stacking import Stack


@dataclasses.dataclass(frozen=True, eq=False)
class TableLimits:
    """The limits of a stack's tables, and the ids that were counted."""

    names: tuple[str, ...]
    """`[tables]`: the names of the tables."""
    ends: npt.NDArray[np.int64]
    """`[tables]`: one past a table's last row in a partition."""
    ids: npt.NDArray[np.int64]
    """`[tables]`: the maximum number of ids, or the largest int32 if there is no limit."""
    unique_ids: npt.NDArray[np.int64]
    """`[tables]`: the same for unique ids."""
    observed: npt.NDArray[np.int64]
    """`[SparseCores, tables, 2]`: ids and unique ids before dropping."""
    dropped: dict[int, int]
    """The number of dropped ids, by the first SparseCore of the job that dropped them."""

    def check(self) -> None:
        """Raise an error if a limit was exceeded.

        Raises:
            LimitExceeded: one was; the text names the table, the SparseCore, and both figures.
        """
        for kind, (limits, what, name) in enumerate(
            (
                (self.ids, "ids", "max_ids_per_table"),
                (self.unique_ids, "unique ids", "max_unique_ids_per_table"),
            )
        ):
            over = np.argwhere(self.observed[:, :, kind] > limits)
            for core, table in over[:1]:
                raise LimitExceeded(
                    f"table {self.names[table]!r}: SparseCore {core} takes "
                    f"{self.observed[core, table, kind]} {what} over all partitions; "
                    f"compiled for {limits[table]} ({name}): raise it, or set allow_id_dropping"
                )


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
    ids = config.max_ids_per_table or {}
    unique_ids = config.max_unique_ids_per_table or {}
    names = tuple(table.spec.name for table in stack.tables)
    if not any(name in ids or name in unique_ids for name in names):
        return None
    ends = [table.col_offset + table.vocabulary_size for table in stack.tables]
    return TableLimits(
        names=names,
        ends=np.array(ends, np.int64) // partitions,
        ids=np.array([ids.get(name, INT32_MAX) for name in names], np.int64),
        unique_ids=np.array([unique_ids.get(name, INT32_MAX) for name in names], np.int64),
        observed=np.zeros((cores, len(names), 2), np.int64),
        dropped={},
    )


def check_table_names(stacks: Sequence[Stack], config: SparsecoreConfig) -> None:
    """Check that the stacks have all tables for which a configuration has limits.

    Raises:
        SparseCoreError: they do not; the text names the setting and the table.
    """
    known = [table.spec.name for each in stacks for table in each.tables]
    for setting in ("max_ids_per_table", "max_unique_ids_per_table"):
        for name in getattr(config, setting) or {}:
            if name not in known:
                raise SparseCoreError(
                    f"config: {setting} has a limit for table {name!r}, which no stack has; "
                    f"{suggestion(name, known)}"
                )
