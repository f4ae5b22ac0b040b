"""Limits of a layer that are estimated from its batches: `xla_sparse_core_estimate_max_ids`."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence

from sdykit.sparsecore.config import SparsecoreConfig
from sdykit.sparsecore.errors import LimitExceeded, SparseCoreError
from sdykit.sparsecore.inputs import FeatureInput
from sdykit.sparsecore.limits import LimitCounter
from sdykit.sparsecore.limits.setup import check_flags
from sdykit.sparsecore.preprocess.results import Preprocessed
from sdykit.sparsecore.specs import System
from sdykit.sparsecore.stacking import Stack

GROWTH = 1.25
"""The factor by which raised limits exceed what was counted: few later batches exceed them, too."""


_logger = logging.getLogger(__name__)

Estimated = tuple[SparsecoreConfig, tuple[Stack, ...]]
"""A configuration and stacks, with limits."""


class Estimator:
    """Estimates the limits that the first batch needs, and raises them for batches that exceed them.

    Several threads may prepare batches.

    Args:
        config: the configuration, whose own limits are kept.
        stacks: the stacks of the layer.
        system: the numbers of devices and SparseCores.
    """

    def __init__(self, config: SparsecoreConfig, stacks: Sequence[Stack], system: System) -> None:
        self._config, self._stacks, self._system = config, tuple(stacks), system
        self._counter = LimitCounter(stacks, system)
        self._lock = threading.Lock()
        self._estimated: Estimated | None = None

    def admit(
        self,
        features: Mapping[str, FeatureInput],
        run: Callable[[SparsecoreConfig, tuple[Stack, ...]], Preprocessed],
        adopt: Callable[[SparsecoreConfig, tuple[Stack, ...]], None],
    ) -> Preprocessed:
        """Return what a function returns for limits that admit a batch.

        Args:
            features: the batch.
            run: preprocesses the batch with the configuration and stacks that it gets.
            adopt: called afterwards with the latest limits, which other threads may have raised, by
                one thread at a time.

        Raises:
            LimitExceeded: the batch exceeds a limit that is not estimated.
            SparseCoreError: the batch is bad.
        """
        estimated = self._limits_for(features)
        while True:
            try:
                prepared = run(*estimated)
            except LimitExceeded as error:
                estimated = self._raise_limits(features, estimated, error)
                continue
            with self._lock:
                adopt(*(self._estimated or estimated))
            return prepared

    def _limits_for(self, features: Mapping[str, FeatureInput]) -> Estimated:
        """Return the limits so far; those of the first batch are estimated."""
        with self._lock:
            if self._estimated is None:
                self._counter.add(features)
                self._estimated = self._limits(1.0)
                _logger.warning(
                    "Embedding: limits are estimated from the first batch "
                    "(xla_sparse_core_estimate_max_ids): %s",
                    "; ".join(map(_described, self._estimated[1])),
                )
            return self._estimated

    def _raise_limits(
        self, features: Mapping[str, FeatureInput], before: Estimated, error: LimitExceeded
    ) -> Estimated:
        """Return limits that admit a batch that exceeds those before, or raise the error."""
        with self._lock:
            if self._estimated is not None and self._estimated != before:
                return self._estimated  # Another thread has raised them.
            self._counter.add(features)
            config, stacks = self._limits(GROWTH)
            # Programs are compiled again only if they must be.
            enough = map(_admits, before[1], self._limits(1.0)[1])
            stacks = tuple(
                old if same else new
                for same, old, new in zip(enough, before[1], stacks, strict=True)
            )
            raised = config, stacks
            if raised == before:
                raise error
            self._estimated = raised
        changes = list(filter(None, map(_change, before[1], raised[1])))
        _logger.warning(
            "Embedding: a batch exceeds the estimated limits: %s. They are raised, and lookups and "
            "updates are %s",
            error,
            f"compiled again: {'; '.join(changes)}" if changes else "not compiled again",
        )
        return raised

    def _limits(self, headroom: float) -> Estimated:
        limits = self._counter.limits(headroom)
        return limits.of_program(self._config, self._stacks, self._system)


def _admits(stack: Stack, needed: Stack) -> bool:
    """Return whether the limits of a stack are at least those of another in each partition."""
    limits = zip(stack.partition_limits, needed.partition_limits, strict=True)
    return all(bool((own >= other).all()) for own, other in limits)


def make_estimator(
    config: SparsecoreConfig, stacks: Sequence[Stack], system: System, processes: int
) -> Estimator:
    """Return the estimator of a layer.

    Raises:
        SparseCoreError: limits come from a file, too; or there are several processes, which would
            find different ones.
    """
    check_flags(config)
    if processes > 1:
        raise SparseCoreError(
            "config: xla_sparse_core_estimate_max_ids is true, but the mesh has "
            f"{processes} processes, whose batches need different limits; expected "
            "xla_sparse_core_max_ids_file, a file that `sdykit limits` writes"
        )
    return Estimator(config, stacks, system)


def _described(stack: Stack) -> str:
    return (
        f"stack {stack.name}: {stack.max_ids_per_partition} ids and "
        f"{stack.max_unique_ids_per_partition} unique ids of a partition"
    )


def _change(before: Stack, after: Stack) -> str | None:
    """Return how the limits of a stack differ, or None if they do not."""
    if before == after:
        return None
    old, new = ([int(each.sum()) for each in stack.partition_limits] for stack in (before, after))
    return (
        f"stack {after.name}: {old[0]} to {new[0]} ids and {old[1]} to {new[1]} unique ids, over "
        "its partitions"
    )
