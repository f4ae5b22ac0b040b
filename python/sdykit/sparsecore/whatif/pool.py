"""Samples that whatif counts ids in: recorded ones, or drawn from statistics."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.inputs import Ids
from sdykit.sparsecore.specs import FeatureSpec
from sdykit.sparsecore.whatif.frequencies import Frequencies, frequencies_of
from sdykit.sparsecore.whatif.sorting import differs, samples_of


@dataclasses.dataclass(frozen=True, eq=False)
class Pool:
    """Whole batches, one after another.

    Attributes:
        features: the features, with the batch size that they have in the model.
        ids: the ids of each feature, by name, of `steps` of its batches.
        steps: the number of batches.
        is_drawn: whether the ids are drawn from statistics, and not recorded.
    """

    features: tuple[FeatureSpec, ...]
    ids: Mapping[str, Ids]
    steps: float
    is_drawn: bool = False

    @cached_property
    def frequencies(self) -> dict[str, Frequencies]:
        """How often the ids of each table occur, by its name."""
        by_table: dict[str, list[np.ndarray]] = {}
        samples: dict[str, int] = {}
        for each in self.features:
            table, ids = each.table.name, self.ids[each.name]
            by_table.setdefault(table, []).append(_merged(ids))
            samples[table] = samples.get(table, 0) + ids.samples
        tables = {each.table.name: each.table for each in self.features}
        return {
            name: frequencies_of(tables[name].vocabulary_size, samples[name], np.concatenate(found))
            for name, found in by_table.items()
        }

    def first(self, share: float) -> dict[str, Ids]:
        """Return the ids of the first samples of each feature, by name.

        Args:
            share: the number of samples, divided by that of a batch of the model; at most `steps`.
        """
        return {
            each.name: first_samples(self.ids[each.name], round(each.batch_size * share))
            for each in self.features
        }

    def repeated(self, share: float) -> dict[str, Ids]:
        """Return as many samples of each feature, those of the pool again and again; see `first`."""
        times = int(np.ceil(share / self.steps))
        return {
            each.name: first_samples(
                _again(self.ids[each.name], times), round(each.batch_size * share)
            )
            for each in self.features
        }


def joined_ids(batches: Sequence[Ids]) -> Ids:
    """Return the ids of batches of one feature, one after another."""
    if len(batches) == 1:
        return batches[0]
    first = batches[0]
    lengths = np.concatenate([np.diff(_splits(each)) for each in batches])
    return Ids(
        first.name,
        first.table,
        np.concatenate([each.values.astype(np.int64) for each in batches]),
        np.concatenate([[0], np.cumsum(lengths)]),
        -1,
        first.weights[:0],
        sum(each.samples for each in batches),
    )


def _splits(ids: Ids) -> np.ndarray:
    return ids.splits if ids.valency < 0 else np.arange(ids.samples + 1) * ids.valency


def first_samples(ids: Ids, samples: int) -> Ids:
    """Return the ids of the first samples of a feature.

    Raises:
        SparseCoreError: it has fewer samples.
    """
    if samples > ids.samples:
        raise SparseCoreError(
            f"whatif: feature {ids.name!r} has {ids.samples} samples; expected at least {samples}"
        )
    count = int(ids.splits[samples]) if ids.valency < 0 else samples * ids.valency
    splits = ids.splits[: samples + 1] if ids.valency < 0 else ids.splits
    return dataclasses.replace(ids, values=ids.values[:count], splits=splits, samples=samples)


def _again(ids: Ids, times: int) -> Ids:
    return joined_ids([ids] * times)


def _merged(ids: Ids) -> np.ndarray:
    """Return ids without duplicates within a sample."""
    values = ids.values.astype(np.int64)
    if ids.valency == 1:
        return values
    # Neither a sample nor an id is more than 2^31.
    keys = np.sort(samples_of(ids) * ids.table.vocabulary_size + values)
    return keys[differs(keys)] % ids.table.vocabulary_size
