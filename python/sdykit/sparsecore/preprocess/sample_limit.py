"""The limit `max_ids_per_chip_per_sample`, on the ids of one sample over all tables."""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.config import SparsecoreConfig
from sdykit.sparsecore.errors import LimitExceeded
from sdykit.sparsecore.inputs import Ids


def limit_samples(
    features: dict[str, Ids], devices: int, config: SparsecoreConfig
) -> tuple[dict[str, Ids], dict[str, int]]:
    """Apply `max_ids_per_chip_per_sample`.

    A device's sample `i` is the `i`-th of each feature there. Duplicates count, and later features
    lose their ids first.

    Returns:
        The features, and the number of ids that each has lost.

    Raises:
        LimitExceeded: a sample has more ids, and dropping is not allowed.
    """
    limit = config.max_ids_per_chip_per_sample
    upper_bound = sum(
        ids.valency if ids.valency >= 0 else int(np.diff(ids.splits).max(initial=0))
        for ids in features.values()
    )
    if upper_bound <= limit:
        return features, {}
    counts = {name: _by_device(ids, devices) for name, ids in features.items()}
    longest = max(each.shape[1] for each in counts.values())
    totals = np.zeros((devices, longest), np.int64)
    kept: dict[str, Ids] = {}
    dropped: dict[str, int] = {}
    for name, ids in features.items():
        here = counts[name]
        before = totals[:, : here.shape[1]].copy()
        totals[:, : here.shape[1]] += here
        room = np.clip(limit - before, 0, here).reshape(-1)
        dropped[name] = int(here.sum() - room.sum())
        kept[name] = _shorten(ids, here.reshape(-1), room) if dropped[name] else ids
    if any(dropped.values()) and not config.allow_id_dropping:
        device, sample = np.unravel_index(int(totals.argmax()), totals.shape)
        raise LimitExceeded(
            f"device {device}, sample {sample}: the features {', '.join(features)} have "
            f"{totals[device, sample]} ids together; "
            f"compiled for {limit} (max_ids_per_chip_per_sample): raise it, or set "
            "allow_id_dropping"
        )
    return kept, dropped


def _by_device(ids: Ids, devices: int) -> npt.NDArray[np.int64]:
    """Return the number of ids of each sample, `[devices, samples of a device]`."""
    if ids.valency < 0:
        return np.diff(ids.splits).reshape(devices, -1)
    return np.full((devices, ids.samples // devices), ids.valency)


def _shorten(ids: Ids, counts: npt.NDArray[np.int64], room: npt.NDArray[np.int64]) -> Ids:
    """Return only the first `room[i]` of the `counts[i]` ids of each sample `i`."""
    starts = np.concatenate([[0], np.cumsum(counts)])
    place = np.arange(starts[-1]) - np.repeat(starts[:-1], counts)
    chosen = place < np.repeat(room, counts)
    return dataclasses.replace(
        ids,
        values=ids.values[chosen],
        splits=np.concatenate([[0], np.cumsum(room)]).astype(np.int64),
        valency=-1,
        weights=ids.weights[chosen] if ids.weights.size else ids.weights,
    )
