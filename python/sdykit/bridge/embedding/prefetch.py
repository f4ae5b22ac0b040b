"""Prefetching of batches, by the settings of the process."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from sdykit.bridge.settings import current
from sdykit.sparsecore.prefetching import Prefetched

T = TypeVar("T")


def prefetch(batches: Iterable[T], ahead: int | None = None) -> Prefetched[T]:
    """Return an iterator over batches, the next of which another thread makes during a step.

    Make the buffers of a batch, on the devices, in the iterable: the thread then does all of the host's
    work for the steps ahead. They are in HBM until their step has run: `Embedding.ledger` counts those of
    `maximum_parallel_iterations` steps besides that of the step that runs.

        batches = (layer.preprocess(features) for features in data)
        for batch in sc.prefetch(batches):
            state = step(state, batch)

    Args:
        batches: any iterable: a generator, an iterator, a dataset.
        ahead: the maximum number of batches that are made, or being made, and not taken yet, from 0 to
            1024; None: `maximum_parallel_iterations` of `configure` and of the environment. With 0
            there is no thread.

    Raises:
        SparseCoreError: `batches` is not iterable, or the number cannot be used.
    """
    if ahead is None:
        ahead = current().config.maximum_parallel_iterations
    return Prefetched(batches, ahead)
