"""A model without recorded ids: samples are drawn from statistics, which a file of tables has.

    [ids.owner]
    ids_per_sample = 1.5
    zipf = 1.1

    [ids.clicked]
    ids_per_sample = 20
    frequencies = [[100, 0.5], [50_000, 0.5]]

`owner` has 1.5 ids in a sample on average, whose `k`-th most frequent one is as frequent as `k ** -1.1`; with
`zipf = 0`, all are equally frequent. Half of the ids of `clicked` are 100 ids, the other half 50,000 others.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from sdykit.sparsecore.errors import SparseCoreError, shown, suggestion
from sdykit.sparsecore.files.key_values import read_key_values
from sdykit.sparsecore.files.tables import IDS, check_keys, mapping_of
from sdykit.sparsecore.inputs import NO_WEIGHTS, Ids
from sdykit.sparsecore.specs import FeatureSpec
from sdykit.sparsecore.whatif.model import Model
from sdykit.sparsecore.whatif.pool import Pool

_DRAWN: Final = 2**21
"""The number of ids that are drawn for each feature, at most."""


@dataclass(frozen=True)
class IdStatistics:
    """How many ids the samples of a feature have, and how often they occur.

    Attributes:
        ids_per_sample: their number in a sample, on average.
        zipf: the exponent of Zipf's law; 0: all ids of the vocabulary are equally frequent.
        frequencies: instead of it, numbers of ids, and the share of each group of so many.
    """

    ids_per_sample: float
    zipf: float = 0.0
    frequencies: tuple[tuple[int, float], ...] = ()


def read_id_statistics(
    path: str | os.PathLike[str], features: Sequence[FeatureSpec]
) -> dict[str, IdStatistics]:
    """Return the statistics of features that a file of tables has, by feature; empty: it has none.

    Raises:
        SparseCoreError: a feature is unknown or missing, or a number is out of its range.
    """
    values = read_key_values(path)
    names = {each.name: each for each in features}
    try:
        given = mapping_of(IDS, values.get(IDS, {}))
        found = {name: _statistics(name, each, names) for name, each in given.items()}
        for name in names:
            if found and name not in found:
                raise SparseCoreError(
                    f"{IDS}: there is nothing about feature {name!r}; expected it"
                )
    except SparseCoreError as error:
        raise SparseCoreError(f"{os.fspath(path)}: error: {error}") from None
    return found


def _statistics(name: str, given: object, features: Mapping[str, FeatureSpec]) -> IdStatistics:
    where = f"{IDS}.{name}"
    values = mapping_of(where, given)
    if name not in features:
        raise SparseCoreError(f"{where}: there is no such feature; {suggestion(name, features)}")
    check_keys(where, values, ["ids_per_sample", "zipf", "frequencies"], ["ids_per_sample"])
    if ("zipf" in values) == ("frequencies" in values):
        raise SparseCoreError(f"{where}: expected zipf or frequencies, and not both")
    rate = _number(f"{where}.ids_per_sample", values["ids_per_sample"], 1e-6, 1e6)
    if "zipf" in values:
        return IdStatistics(rate, zipf=_number(f"{where}.zipf", values["zipf"], 0, 10))
    groups = values["frequencies"]
    if not isinstance(groups, list) or not groups:
        raise SparseCoreError(
            f"{where}.frequencies is {shown(groups)}; expected [[ids, share], ...]"
        )
    found = tuple(_group(f"{where}.frequencies[{at}]", each) for at, each in enumerate(groups))
    total, vocabulary = sum(ids for ids, _ in found), features[name].table.vocabulary_size
    if total > vocabulary or abs(sum(share for _, share in found) - 1) > 1e-3:
        raise SparseCoreError(
            f"{where}.frequencies has {total} ids, whose shares sum to "
            f"{sum(share for _, share in found):g}; expected at most the {vocabulary} of the vocabulary, "
            "and 1"
        )
    return IdStatistics(rate, frequencies=found)


def _group(where: str, given: object) -> tuple[int, float]:
    if not isinstance(given, list) or len(given) != 2:
        raise SparseCoreError(f"{where} is {shown(given)}; expected [ids, share]")
    return int(_number(where, given[0], 1, 2**31)), _number(where, given[1], 0, 1)


def _number(where: str, given: Any, low: float, high: float) -> float:
    is_number = isinstance(given, (int, float)) and not isinstance(given, bool)
    if not is_number or not low <= given <= high:
        raise SparseCoreError(
            f"{where} is {shown(given)}; expected a number from {low:g} to {high:g}"
        )
    return float(given)


def drawn_model(
    features: Sequence[FeatureSpec],
    statistics: Mapping[str, IdStatistics],
    *,
    name: str | Path = "model",
    seed: int = 0,
) -> Model:
    """Return a model whose samples are drawn from statistics; all its results are estimates.

    Args:
        features: the features.
        statistics: their statistics, by name.
        name: its name, for titles.
        seed: equal seeds draw equal samples.
    """
    batch = max(each.batch_size for each in features)
    most = max(each.batch_size / batch * statistics[each.name].ids_per_sample for each in features)
    cores = max(1, int(min(batch, _DRAWN / most)))
    share = cores / batch
    random = np.random.default_rng(seed)
    ids = {
        each.name: _draw(
            random, each, statistics[each.name], max(1, round(each.batch_size * share))
        )
        for each in features
    }
    return Model(str(name), batch, Pool(tuple(features), ids, share, is_drawn=True))


def _draw(
    random: np.random.Generator, feature: FeatureSpec, statistics: IdStatistics, samples: int
) -> Ids:
    """Return the ids of some samples."""
    rate = statistics.ids_per_sample
    if rate == int(rate):
        lengths = np.full(samples, int(rate))
    else:
        lengths = int(rate) + (random.random(samples) < rate - int(rate))
    splits = np.concatenate([[0], np.cumsum(lengths)])
    values = _scattered(_ranks(random, feature, statistics, int(splits[-1])), feature)
    return Ids(feature.name, feature.table, values, splits, -1, NO_WEIGHTS, samples)


def _ranks(
    random: np.random.Generator, feature: FeatureSpec, statistics: IdStatistics, count: int
) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return the ranks of ids, the most frequent of which has rank 0."""
    uniform, vocabulary = random.random(count), feature.table.vocabulary_size
    if statistics.frequencies:
        sizes = np.array([ids for ids, _ in statistics.frequencies])
        ends = np.cumsum([share for _, share in statistics.frequencies])
        group = np.minimum(np.searchsorted(ends / ends[-1], uniform), len(sizes) - 1)
        return (np.cumsum(sizes) - sizes)[group] + random.integers(0, sizes[group])
    # The inverse of the distribution function of x ** -a on [1, vocabulary + 1).
    power = 1 - statistics.zipf
    if abs(power) < 1e-9:
        found = (vocabulary + 1) ** uniform
    else:
        found = (1 + uniform * ((vocabulary + 1) ** power - 1)) ** (1 / power)
    return np.clip(found.astype(np.int64) - 1, 0, vocabulary - 1)


def _scattered(
    ranks: np.ndarray[Any, np.dtype[np.int64]], feature: FeatureSpec
) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return ids from ranks: neighbours are far apart, as in real vocabularies."""
    vocabulary = feature.table.vocabulary_size
    stride = max(1, round(vocabulary * 0.618))
    while np.gcd(stride, vocabulary) > 1:
        stride += 1
    return ranks * stride % vocabulary
