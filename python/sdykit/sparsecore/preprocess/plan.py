"""How the ids of a stack become lists, one for each SparseCore: their sizes, keys and gains."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.config import SparsecoreConfig
from sdykit.sparsecore.inputs import NO_WEIGHTS, Ids, report_bad_id
from sdykit.sparsecore.loops import (
    BAD_ID,
    DOUBTFUL,
    MEAN,
    SQRTN,
    SUM,
    fill_lists,
)
from sdykit.sparsecore.preprocess.gain_checks import check_sums, check_weights
from sdykit.sparsecore.preprocess.table_limits import TableLimits, table_limits
from sdykit.sparsecore.specs import INT32_MAX, System
from sdykit.sparsecore.stacking import Stack
from sdykit.sparsecore.threads import Scratch

_ONE = np.float32(1)
_COMBINERS = {"sum": SUM, "mean": MEAN, "sqrtn": SQRTN}

Lists = tuple[npt.NDArray[np.int64], npt.NDArray[np.uint64], npt.NDArray[np.float32], np.float32]
"""Positions of the lists in the next two arrays, words, gains, and one gain for all ids.

The gains are empty if all ids have one gain; otherwise the last element is not used.
"""

Source = tuple[tuple[tuple[Any, ...], ...], int, np.float32 | None, tuple[Any, ...] | None]
"""Features, combiner, gain, and limits of tables, as `fill_lists` has them."""

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
    size: int
    """The number of ids."""
    gain: np.float32 | None
    """The gain of all ids, or None if they differ."""
    rules: Rules
    table_limits: TableLimits | None
    """The limits of the stack's tables, or None if no table has any."""

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

    def source(self) -> Source:
        """Return the features as the native loops read them."""
        cores, log_partitions = self.system.num_sparse_cores, self.log_partitions
        features: list[tuple[Any, ...]] = []
        for feature, ids in zip(self.stack.features, self.ids, strict=True):
            first_row = feature.col_offset // cores
            features.append(
                (
                    ids.values,
                    ids.splits,
                    ids.valency,
                    feature.spec.batch_size // cores,
                    feature.row_offset // cores,
                    (cores - 1, feature.col_shift, log_partitions, first_row, self.bits),
                    self.bound(ids),
                    ids.weights,
                )
            )
        limits = self.table_limits
        limiting = limits and (
            *(limits.ends, limits.of_cores, limits.observed),
            *(self.bits + log_partitions, self.bits),
        )
        return tuple(features), _COMBINERS[self.stack.combiner], self.gain, limiting

    def fill(self, first: int, last: int, scratch: Scratch) -> Lists:
        """Return the lists of the SparseCores `[first, last)`, in scratch arrays.

        Raises:
            SparseCoreError: an id, a weight or a sum of weights is bad.
        """
        count = sum(self._count(ids, first, last) for ids in self.ids)
        starts = np.empty(last - first + 1, np.int64)
        words = scratch.array("words", count, np.uint64)
        gains, gain = NO_WEIGHTS, self.gain
        if gain is None:
            gains, gain = scratch.array("gains", max(1, count), np.float32), np.float32(1)
        codes = np.zeros(len(self.ids), np.uint8)
        dropped = fill_lists((first, last), self.source(), starts, words, gains, codes)
        self.check_codes(codes)
        if self.table_limits is not None:
            self.table_limits.set_dropped(first, last, dropped)
        return starts, words, gains, gain

    def check_codes(self, codes: npt.NDArray[np.uint8]) -> None:
        """Check the codes that the native loops return, one for each feature.

        Raises:
            SparseCoreError: an id, a weight or a sum of weights is bad.
        """
        for ids, code in zip(self.ids, codes.tolist(), strict=False):
            if code & DOUBTFUL:
                check_weights(ids)
                if self.rules.check_sums:
                    check_sums(ids, self.stack.combiner)
            if code & BAD_ID:
                report_bad_id(ids, self.bound(ids))

    def _count(self, ids: Ids, first: int, last: int) -> int:
        """Return the number of a feature's ids on the SparseCores `[first, last)`."""
        rows = ids.samples // self.cores
        if ids.valency >= 0:
            return rows * ids.valency * (last - first)
        return int(ids.splits[last * rows] - ids.splits[first * rows])


def sorting(lists: Lists, scratch: Scratch) -> Sorting:
    """Return the memory that sorting any of the lists needs."""
    longest = int(np.diff(lists[0]).max(initial=0))
    left = scratch.array("left", longest, np.uint64)
    return scratch.counters, left, scratch.array("right", longest, np.uint64)


def make_plan(
    stack: Stack, ids: Mapping[str, Ids], system: System, devices: int, rules: Rules
) -> Plan:
    """Return the plan of a stack.

    Args:
        stack: the stack.
        ids: the ids of all features on this host, by name.
        system: the devices of all hosts.
        devices: the number of this host's devices.
        rules: which bad values are errors.
    """
    cores = system.num_sparse_cores
    mine = tuple([ids[feature.spec.name] for feature in stack.features])
    return Plan(
        stack=stack,
        system=system,
        devices=devices,
        ids=mine,
        bits=_row_bits(stack, mine, cores, rules.check_ids),
        size=sum([each.values.size for each in mine]),
        gain=_common_gain(stack, mine),
        rules=rules,
        table_limits=table_limits(
            stack, devices * system.sparse_cores_per_device, cores, rules.config
        ),
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
    if any(each.weights.size for each in ids):
        return None
    if stack.combiner == "sum":
        return _ONE
    gains: set[np.float32] = set()
    for each in ids:
        if not each.values.size:
            continue
        if each.valency < 0:
            return None
        number = np.float32(each.valency)
        gains.add(_ONE / (number if stack.combiner == "mean" else np.sqrt(number)))
    if len(gains) > 1:
        return None
    return gains.pop() if gains else _ONE
