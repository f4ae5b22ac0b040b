"""Limits from running programs: the statistics of preprocessing, merged over steps and processes.

    statistics = RunningStatistics(system)
    for features in batches:
        done = preprocess(features, stacks, system, config=dropping)
        statistics = statistics.folded(done.statistics)
    save_statistics("shared/", statistics, process=0)

Later, from the files of all processes:

    limits = load_statistics("shared/", system).limits(stacks, headroom=1.2)
    stacks = limits.applied(stacks, system)
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.errors import SparseCoreError, suggestion
from sdykit.sparsecore.limits.figures import (
    StackFigures,
    TableFigures,
    check_headroom,
    described,
    with_headroom,
)
from sdykit.sparsecore.limits.program import Limits
from sdykit.sparsecore.preprocess.results import StackStatistics
from sdykit.sparsecore.specs import System
from sdykit.sparsecore.stacking import Stack

Counts = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True, eq=False)
class StackTotals:
    """The maximum that a stack needed over all steps and processes, element by element."""

    max_ids: Counts
    """`[devices of a process, partitions]`: the maximum number of ids that a SparseCore of the
    device sends to the partition in a step."""
    max_unique_ids: Counts
    """The same for unique ids."""
    required_buffer_size: Counts
    """`[SparseCores of a process]`: the entries needed without minibatches."""
    dropped: int
    """Dropped ids, over all steps and processes."""

    def merged(self, other: StackTotals) -> StackTotals:
        """Return the maximum of both. If a process has fewer devices, the others count as 0."""
        return StackTotals(
            _maximum(self.max_ids, other.max_ids),
            _maximum(self.max_unique_ids, other.max_unique_ids),
            _maximum(self.required_buffer_size, other.required_buffer_size),
            self.dropped + other.dropped,
        )


@dataclasses.dataclass(frozen=True, eq=False)
class RunningStatistics:
    """The statistics of a program's stacks so far. They are immutable: `folded` returns others."""

    system: System
    stacks: Mapping[str, StackTotals] = dataclasses.field(default_factory=dict)
    """The totals by stack."""

    def folded(self, statistics: Mapping[str, StackStatistics]) -> RunningStatistics:
        """Return the statistics with one more step.

        Args:
            statistics: those of the step, as `preprocess` returns them.

        Raises:
            SparseCoreError: the step is of another system.
        """
        step = {name: self._totals(name, each) for name, each in statistics.items()}
        return self.merged(RunningStatistics(self.system, step))

    def merged(self, other: RunningStatistics) -> RunningStatistics:
        """Return the statistics of both, which must be of different steps or processes.

        Raises:
            SparseCoreError: the other statistics are of another system.
        """
        if self.system != other.system:
            raise SparseCoreError(
                f"statistics: these are of {described(other.system)}; "
                f"expected {described(self.system)}"
            )
        stacks = dict(self.stacks)
        for name, totals in other.stacks.items():
            stacks[name] = stacks[name].merged(totals) if name in stacks else totals
        return RunningStatistics(self.system, stacks)

    def limits(self, stacks: Sequence[Stack], headroom: float = 1.0) -> Limits:
        """Return limits that admit every step that was folded.

        Preprocessing does not report figures of single tables in a stack of several, nor of
        samples: the limits have none. Ids that `max_ids_per_chip_per_sample` dropped are not
        counted.

        Args:
            stacks: the stacks of the program.
            headroom: the factor, from 1 to 1000, that all figures are multiplied by.

        Raises:
            SparseCoreError: a stack has no statistics, statistics are of a stack that is not
                there, or the headroom is out of its range.
        """
        check_headroom(headroom)
        names = [stack.name for stack in stacks]
        for name in self.stacks:
            if name not in names:
                raise SparseCoreError(
                    f"statistics: the program has no stack {name!r}; {suggestion(name, names)}"
                )
        for name in names:
            if name not in self.stacks:
                raise SparseCoreError(
                    f"statistics: there are none of stack {name!r}; expected those of "
                    f"{', '.join(names)}"
                )
        return Limits(self.system, tuple(self._figures(stack, headroom) for stack in stacks))

    def _totals(self, name: str, step: StackStatistics) -> StackTotals:
        local = self.system.sparse_cores_per_device
        partitions = self.system.num_sparse_cores
        if step.ids.shape[0] % local or step.ids.shape[1] != partitions:
            raise SparseCoreError(
                f"statistics: those of stack {name!r} are of {step.ids.shape[0]} SparseCores and "
                f"{step.ids.shape[1]} partitions; expected a multiple of {local}, and {partitions}"
            )

        def by_device(counts: npt.NDArray[np.int32]) -> Counts:
            return counts.reshape(-1, local, partitions).max(axis=1).astype(np.int64)

        return StackTotals(
            by_device(step.ids),
            by_device(step.unique_ids),
            step.required_buffer_size.astype(np.int64),
            step.dropped,
        )

    def _figures(self, stack: Stack, headroom: float) -> StackFigures:
        totals = self.stacks[stack.name]
        ids = _of_partitions(totals.max_ids, headroom)
        unique_ids = _of_partitions(totals.max_unique_ids, headroom)
        entries = int(totals.required_buffer_size.max(initial=0))
        alone = len(stack.tables) == 1
        return StackFigures(
            name=stack.name,
            batch_size=stack.batch_size,
            max_ids_of_partitions=ids,
            max_unique_ids_of_partitions=unique_ids,
            buffer_size_per_device=with_headroom(
                entries * self.system.sparse_cores_per_device, headroom
            ),
            tables=tuple(
                TableFigures(
                    name=table.spec.name,
                    vocabulary_size=table.spec.vocabulary_size,
                    col_shift=table.col_shift,
                    max_ids_per_partition=max(ids) if alone else None,
                    max_unique_ids_per_partition=max(unique_ids) if alone else None,
                )
                for table in stack.tables
            ),
        )


def _of_partitions(counts: Counts, headroom: float) -> tuple[int, ...]:
    """Return the limit of each partition for counts `[devices, partitions]`."""
    return tuple(with_headroom(count, headroom) for count in counts.max(axis=0, initial=0).tolist())


def _maximum(left: Counts, right: Counts) -> Counts:
    """Return the maximum of arrays that may differ in the size of their first dimension."""
    if left.shape[0] < right.shape[0]:
        left, right = right, left
    result = left.copy()
    np.maximum(result[: right.shape[0]], right, out=result[: right.shape[0]])
    return result
