"""How the ids of a stack become lists, one for each SparseCore: their sizes, keys and gains."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore._kernels import (
    BAD_ID,
    DOUBTFUL,
    MEAN,
    SQRTN,
    SUM,
    append_gains,
    append_plain,
    limit_tables,
)
from sdykit.sparsecore.config import SparsecoreConfig
from sdykit.sparsecore.inputs import NO_WEIGHTS, Ids, report_bad_id
from sdykit.sparsecore.preprocess.gain_checks import check_sums, check_weights
from sdykit.sparsecore.preprocess.table_limits import TableLimits, table_limits
from sdykit.sparsecore.specs import INT32_MAX, System
from sdykit.sparsecore.stacking import Stack
from sdykit.sparsecore.threads import Scratch

_COMBINERS = {"sum": SUM, "mean": MEAN, "sqrtn": SQRTN}

Lists = tuple[npt.NDArray[np.int64], npt.NDArray[np.uint64], npt.NDArray[np.float32], np.float32]
"""Positions of the lists in the next two arrays, words, gains, and one gain for all ids.

The gains are empty if all ids have one gain; otherwise the last element is not used.
"""

Sorting = tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint64], npt.NDArray[np.uint64]]
"""The memory that sorting a list needs: counters, and two arrays of the size of a list."""


@dataclasses.dataclass(frozen=True)
class Rules:
    """Which bad values are errors; others are processed as jax-tpu-embedding processes them."""

    check_ids: bool
    """Whether an id that is not in the vocabulary is an error. A negative one always is."""
    check_sums: bool
    """Whether a mean or sqrtn over weights that sum to 0, and duplicates whose gains sum to
    infinity, are errors."""
    config: SparsecoreConfig


@dataclasses.dataclass(frozen=True, eq=False)
class Plan:
    """A stack and its ids on this host, and the parameters of the native loops."""

    stack: Stack
    system: System
    devices: int
    """The number of this host's devices."""
    ids: tuple[Ids, ...]
    """The ids of the stack's features, in their order."""
    bits: int
    """The number of bits of a row's number in its partition."""
    starts: npt.NDArray[np.int64]
    """`[SparseCores of this host + 1]`: the position of each SparseCore's list among all ids, and
    the number of ids."""
    longest: int
    """The number of ids in the longest list."""
    gain: np.float32 | None
    """The gain of all ids, or None if they differ."""
    rules: Rules
    table_limits: TableLimits | None
    """The limits of the stack's tables, or None if no table has any."""

    @property
    def size(self) -> int:
        """The number of ids."""
        return int(self.starts[-1])

    @property
    def cores(self) -> int:
        """The number of this host's SparseCores."""
        return self.devices * self.system.sparse_cores_per_device

    @property
    def log_partitions(self) -> int:
        """The number of bits of a partition's number."""
        return self.system.num_sparse_cores.bit_length() - 1

    def bound(self, ids: Ids) -> int:
        """Return one past the largest id that a feature may have."""
        return ids.table.vocabulary_size if self.rules.check_ids else INT32_MAX + 1

    def fill(self, first: int, last: int, scratch: Scratch) -> Lists:
        """Return the lists of the SparseCores `[first, last)`, in scratch arrays.

        Raises:
            SparseCoreError: an id, a weight or a sum of weights is bad.
        """
        starts = self.starts[first : last + 1] - self.starts[first]
        words = scratch.array("words", int(starts[-1]), np.uint64)
        gains, gain = NO_WEIGHTS, self.gain
        if gain is None:
            gains, gain = scratch.array("gains", max(1, int(starts[-1])), np.float32), np.float32(1)
        ends = starts[:-1].copy()
        cores = self.system.num_sparse_cores
        for feature, ids in zip(self.stack.features, self.ids, strict=True):
            rows = feature.spec.batch_size // cores
            mapping = (
                cores - 1,
                feature.col_shift,
                self.log_partitions,
                feature.col_offset // cores,
                self.bits,
            )
            if gains.size:
                self._fill_gains(ids, rows, (first, last), ends.copy(), gains)
            code = append_plain(
                ids.values,
                ids.splits,
                ids.valency,
                rows,
                (first, last),
                feature.row_offset // cores,
                mapping,
                self.bound(ids),
                ends,
                words,
            )
            if code == BAD_ID:
                report_bad_id(ids, self.bound(ids))
        lists = starts, words, gains, gain
        if self.table_limits is None:
            return lists
        return self._limit(self.table_limits, (first, last), lists, scratch)

    def sorting(self, scratch: Scratch) -> Sorting:
        """Return the memory that sorting any list of the plan needs."""
        left = scratch.array("left", self.longest, np.uint64)
        return scratch.counters, left, scratch.array("right", self.longest, np.uint64)

    def _limit(
        self, limits: TableLimits, cores: tuple[int, int], lists: Lists, scratch: Scratch
    ) -> Lists:
        """Return the lists without the ids that exceed a limit of their table."""
        starts, words, gains, gain = lists
        kept = (
            np.empty_like(starts),
            scratch.array("kept words", words.size, np.uint64),
            scratch.array("kept gains", gains.size, np.float32) if gains.size else gains,
        )
        first, last = cores
        limits.dropped[first:last] = 0
        limits.dropped[first] = limit_tables(
            cores,
            lists,
            (self.bits + self.log_partitions, self.bits),
            self.sorting(scratch),
            limits.ends,
            limits.of_cores,
            kept,
            limits.observed,
        )
        return *kept, gain

    def _fill_gains(
        self,
        ids: Ids,
        rows: int,
        cores: tuple[int, int],
        ends: npt.NDArray[np.int64],
        gains: npt.NDArray[np.float32],
    ) -> None:
        combiner = _COMBINERS[self.stack.combiner]
        code = append_gains(
            ids.values,
            ids.splits,
            ids.valency,
            rows,
            cores,
            ids.weights,
            combiner,
            ends,
            gains,
        )
        if code != DOUBTFUL:
            return
        check_weights(ids)
        if self.rules.check_sums:
            check_sums(ids, self.stack.combiner)


def make_plan(
    stack: Stack, ids: Mapping[str, Ids], system: System, devices: int, rules: Rules
) -> Plan:
    """Return the plan of a stack, with the sizes of its lists.

    Args:
        stack: the stack.
        ids: the ids of all features on this host, by name.
        system: the devices of all hosts.
        devices: the number of this host's devices.
        rules: which bad values are errors.
    """
    cores = system.num_sparse_cores
    local = devices * system.sparse_cores_per_device
    mine = [ids[feature.spec.name] for feature in stack.features]
    # Ids on each SparseCore: of features with as many on all, and of the others.
    even, uneven = 0, None
    for feature, each in zip(stack.features, mine, strict=True):
        rows = feature.spec.batch_size // cores
        if each.valency >= 0:
            even += rows * each.valency
        else:
            lengths = np.diff(each.splits[::rows])
            uneven = lengths if uneven is None else uneven + lengths
    starts = np.arange(local + 1) * even
    if uneven is not None:
        starts[1:] += np.cumsum(uneven)
    return Plan(
        stack=stack,
        system=system,
        devices=devices,
        ids=tuple(mine),
        bits=_row_bits(stack, mine, cores, rules.check_ids),
        starts=starts,
        longest=even + (0 if uneven is None else int(uneven.max())),
        gain=_common_gain(stack, mine),
        rules=rules,
        table_limits=table_limits(stack, local, cores, rules.config),
    )


def _row_bits(stack: Stack, ids: Sequence[Ids], cores: int, checked: bool) -> int:
    """Return the number of bits of a row's number in its partition."""
    rows = stack.vocabulary_size // cores
    if not checked:
        for feature, each in zip(stack.features, ids, strict=True):
            largest = int(each.values.max(initial=0))
            rows = max(rows, (largest + feature.col_offset) // cores + 1)
    return min((rows - 1).bit_length(), 33 - cores.bit_length())


def _common_gain(stack: Stack, ids: Sequence[Ids]) -> np.float32 | None:
    """Return the gain of all ids of a stack, or None if they differ or are not known yet."""
    one = np.float32(1.0)
    gains: set[np.float32] = set()
    for each in ids:
        if not each.values.size:
            continue
        if each.weights.size:
            return None
        if stack.combiner == "sum":
            gains.add(one)
            continue
        if each.valency < 0:
            return None
        number = np.float32(each.valency)
        gains.add(one / (number if stack.combiner == "mean" else np.sqrt(number)))
    if len(gains) > 1:
        return None
    return gains.pop() if gains else one
