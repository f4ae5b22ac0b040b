"""Limits from data: count the ids of each step, and take the maximum.

    counter = LimitCounter(stacks, system)
    for features in batches:
        counter.add(features)
    limits = counter.limits(headroom=1.2)

A batch is split over the SparseCores, converted to COO lists, and freed of duplicates within a
sample; ids, rotated as their tables are, and unique ids are counted by partition. The limit of a
partition is the maximum over SparseCores and steps, that of a table the maximum over steps of the
sum over SparseCores and partitions. Ids count whatever their gain is, also with a gain of 0.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.config import SparsecoreConfig
from sdykit.sparsecore.errors import SparseCoreError, suggestion
from sdykit.sparsecore.inputs import FeatureInput, Ids, read_feature
from sdykit.sparsecore.limits.figures import (
    StackFigures,
    TableFigures,
    check_headroom,
    with_headroom,
)
from sdykit.sparsecore.limits.observed import Observed, observe
from sdykit.sparsecore.limits.program import Limits
from sdykit.sparsecore.loops import count_cores
from sdykit.sparsecore.preprocess.arguments import check_mapping, check_threads
from sdykit.sparsecore.preprocess.plan import Plan, Rules, make_plan, sorting
from sdykit.sparsecore.specs import System
from sdykit.sparsecore.stacking import Stack, StackedTable, check_stacks
from sdykit.sparsecore.threads import Job, Scratch, run_jobs

_JOB_IDS = 1 << 17
"""The maximum number of ids in a job: more do not fit in the second-level cache."""

_JOB_COUNTS = 1 << 20
"""The maximum number of counters in a job, over its SparseCores, tables and partitions."""

_RULES = Rules(check_ids=True, check_sums=False, config=SparsecoreConfig())


@dataclasses.dataclass(frozen=True, eq=False)
class StackObserved:
    """The counts of a stack and of each of its tables."""

    stack: Observed
    tables: Mapping[str, Observed]
    """The counts by table. In a stack of one table they are those of the stack."""


class LimitCounter:
    """Counts the ids of batches, in time linear in the ids.

    Args:
        stacks: the stacks, as `sdykit.sparsecore.stacking.stack` returns them; their own limits are
            not used.
        system: the devices of all hosts.
        threads: the maximum number of threads to use, the caller's included; None: as many as the
            process may use processors, but at most 16.

    Raises:
        SparseCoreError: the stacks are made for another system, or two share a name; or an argument
            has a wrong type.
    """

    def __init__(self, stacks: Sequence[Stack], system: System, threads: int | None = None) -> None:
        check_stacks(stacks, system)
        self._stacks, self._system = tuple(stacks), system
        self._threads = check_threads("limits", threads)
        self._specs = {
            feature.spec.name: feature.spec for each in stacks for feature in each.features
        }
        self._observed: dict[str, StackObserved] = {}
        self._max_ids_of_sample = 0
        self.steps = 0
        """The number of batches that were added."""

    @property
    def observed(self) -> Mapping[str, StackObserved]:
        """The counts, by stack.

        Raises:
            SparseCoreError: no batch was added.
        """
        if not self._observed:
            raise SparseCoreError("limits: no batch was counted; expected at least one")
        return self._observed

    @property
    def max_ids_per_chip_per_sample(self) -> int:
        """The maximum number of ids of one sample on one device, duplicates included."""
        return self._max_ids_of_sample

    def add(self, features: Mapping[str, FeatureInput]) -> None:
        """Count a batch: the samples of all devices. A bad batch is not counted at all.

        Raises:
            SparseCoreError: as `preprocess` does for the same features.
        """
        ids = self._read(features)
        plans = [self._plan(each, ids) for each in self._stacks]
        parts = [part for plan in plans for part in _parts(plan)]
        jobs: list[Job] = [functools.partial(_count, part) for part in parts]
        run_jobs(jobs, self._threads)
        found: dict[str, StackObserved] = {}
        for part in parts:
            _add(found, part.plan.stack.name, part.found[0], Observed.joined)
        for name, each in found.items():
            _add(self._observed, name, each, Observed.merged)
        of_sample = _max_ids_of_sample(ids.values(), self._system.num_devices)
        self._max_ids_of_sample = max(self._max_ids_of_sample, of_sample)
        self.steps += 1

    def limits(self, headroom: float = 1.0) -> Limits:
        """Return limits that admit every batch that was added.

        Args:
            headroom: the factor, from 1 to 1000, that all figures are multiplied by, for data that
                were not counted.

        Raises:
            SparseCoreError: no batch was added, or the headroom is out of its range.
        """
        check_headroom(headroom)
        observed = self.observed
        return Limits(
            system=self._system,
            stacks=tuple(
                _figures(each, observed[each.name], self._system, headroom) for each in self._stacks
            ),
            max_ids_per_chip_per_sample=with_headroom(self._max_ids_of_sample, headroom),
        )

    def _read(self, features: Mapping[str, FeatureInput]) -> dict[str, Ids]:
        check_mapping("limits", "features", features)
        for name in features:
            if name not in self._specs:
                raise SparseCoreError(
                    f"limits: the stacks have no feature {name!r}; {suggestion(name, self._specs)}"
                )
        for name in self._specs:
            if name not in features:
                raise SparseCoreError(
                    f"limits: the batch has no feature {name!r}; expected those of the stacks, "
                    f"{', '.join(self._specs)}"
                )
        return {
            name: read_feature(name, spec.table, features[name], None, spec.batch_size)
            for name, spec in self._specs.items()
        }

    def _plan(self, stack: Stack, ids: Mapping[str, Ids]) -> Plan:
        plan = make_plan(stack, ids, self._system, self._system.num_devices, _RULES)
        # With one gain for all ids none are computed: counting does not need them.
        return dataclasses.replace(plan, gain=np.float32(1))


def compute_limits(
    batches: Iterable[Mapping[str, FeatureInput]],
    stacks: Sequence[Stack],
    system: System,
    headroom: float = 1.0,
) -> Limits:
    """Compute limits that admit all the batches; see `LimitCounter`.

    Raises:
        SparseCoreError: there are no batches, one is bad, or the headroom is out of its range.
    """
    counter = LimitCounter(stacks, system)
    for features in batches:
        counter.add(features)
    return counter.limits(headroom)


@dataclasses.dataclass(frozen=True, eq=False)
class _Part:
    """A range of a plan's SparseCores, and the counts of their ids."""

    plan: Plan
    first: int
    last: int
    found: list[StackObserved] = dataclasses.field(default_factory=list)


def _parts(plan: Plan) -> list[_Part]:
    counts = plan.cores * len(plan.stack.tables) * plan.system.num_sparse_cores
    pieces = max(1, -(-plan.size // _JOB_IDS), -(-counts // _JOB_COUNTS))
    pieces = min(plan.cores, pieces)
    bounds = [piece * plan.cores // pieces for piece in range(pieces + 1)]
    return [_Part(plan, first, last) for first, last in itertools.pairwise(bounds)]


def _count(part: _Part, scratch: Scratch) -> None:
    plan, first, last = part.plan, part.first, part.last
    lists = plan.fill(first, last, scratch)
    tables, partitions = plan.stack.tables, plan.system.num_sparse_cores
    ids = np.empty((last - first, len(tables), partitions), np.int32)
    unique_ids = np.empty_like(ids)
    of_sample = np.zeros(len(tables), np.int32)
    offsets = [*(table.col_offset for table in tables), plan.stack.vocabulary_size]
    count_cores(
        *lists[:2],
        (partitions, plan.bits + plan.log_partitions, plan.bits),
        (*sorting(lists, scratch), np.zeros(plan.stack.batch_size // partitions, np.int32)),
        np.array(offsets, np.int64) // partitions,
        (ids, unique_ids),
        of_sample,
    )
    part.found.append(_observe_stack(tables, ids, unique_ids, of_sample))


def _observe_stack(
    tables: Sequence[StackedTable],
    ids: npt.NDArray[np.int32],
    unique_ids: npt.NDArray[np.int32],
    of_sample: npt.NDArray[np.int32],
) -> StackObserved:
    """Return the counts of some SparseCores in one step.

    Args:
        tables: the tables of the stack.
        ids: `[SparseCores, tables, partitions]`: the number of ids.
        unique_ids: the same for unique ids.
        of_sample: `[tables]`: the maximum number of ids of one sample in one partition.
    """
    whole = observe(ids.sum(axis=1), unique_ids.sum(axis=1), int(of_sample.max()))
    if len(tables) == 1:
        return StackObserved(whole, {tables[0].spec.name: whole})
    by_table = {
        table.spec.name: observe(ids[:, at], unique_ids[:, at], int(of_sample[at]))
        for at, table in enumerate(tables)
    }
    return StackObserved(whole, by_table)


def _add(
    counts: dict[str, StackObserved],
    name: str,
    more: StackObserved,
    both: Callable[[Observed, Observed], Observed],
) -> None:
    """Add counts to those of a stack, by a function that returns the counts of both."""
    if name not in counts:
        counts[name] = more
        return
    before = counts[name]
    whole = both(before.stack, more.stack)
    if len(before.tables) == 1:
        counts[name] = StackObserved(whole, dict.fromkeys(before.tables, whole))
        return
    tables = {table: both(each, more.tables[table]) for table, each in before.tables.items()}
    counts[name] = StackObserved(whole, tables)


def _max_ids_of_sample(features: Iterable[Ids], devices: int) -> int:
    """Return the maximum number of ids of a sample on a device, over all features.

    It is counted as `max_ids_per_chip_per_sample` is checked: duplicates are included, and a
    device's sample `i` is the `i`-th of each feature there.
    """
    totals = np.zeros((devices, 0), np.int64)
    for ids in features:
        counts = np.full(ids.samples, ids.valency) if ids.valency >= 0 else np.diff(ids.splits)
        here = counts.reshape(devices, -1)
        if here.shape[1] > totals.shape[1]:
            totals = np.pad(totals, ((0, 0), (0, here.shape[1] - totals.shape[1])))
        totals[:, : here.shape[1]] += here
    return int(totals.max(initial=0))


def _figures(
    stack: Stack, observed: StackObserved, system: System, headroom: float
) -> StackFigures:
    """Return the limits of a stack for the counts of its ids."""
    whole = observed.stack

    def limit(figure: int) -> int:
        return with_headroom(figure, headroom)

    def table_figures(table: StackedTable) -> TableFigures:
        counts = observed.tables[table.spec.name]
        return TableFigures(
            name=table.spec.name,
            vocabulary_size=table.spec.vocabulary_size,
            col_shift=table.col_shift,
            max_ids_per_partition=limit(int(counts.max_ids.max())),
            max_unique_ids_per_partition=limit(int(counts.max_unique_ids.max())),
            max_ids_per_partition_per_sample=limit(counts.max_ids_of_sample),
            max_ids_per_table=limit(counts.max_ids_of_step),
            max_unique_ids_per_table=limit(counts.max_unique_ids_of_step),
        )

    return StackFigures(
        name=stack.name,
        batch_size=stack.batch_size,
        max_ids_of_partitions=tuple(map(limit, whole.max_ids.tolist())),
        max_unique_ids_of_partitions=tuple(map(limit, whole.max_unique_ids.tolist())),
        buffer_size_per_device=limit(whole.required_buffer_size * system.sparse_cores_per_device),
        max_ids_per_partition_per_sample=limit(whole.max_ids_of_sample),
        tables=tuple(map(table_figures, stack.tables)),
    )
