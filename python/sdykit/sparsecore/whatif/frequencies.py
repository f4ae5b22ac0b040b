"""How often the ids of a table occur in a pool of samples, and how many distinct ones others have.

Of `samples` out of a pool, an id that is in `count` samples of it is in none with the probability
`(1 - samples / pool) ** count`: the rarefaction of Hurlbert (1971). Of more samples than the pool has,
new ids are expected as Chao et al. (2014) extrapolate them, from the numbers of ids that are there once
and twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.whatif.sorting import Integers, differs

Floats = npt.NDArray[np.float64]

MAX_HEAVY: Final = 2**18
"""The number of ids whose frequency is kept for each; all others are kept in classes."""


@dataclass(frozen=True, eq=False)
class Expected:
    """What is expected of samples in each partition, float64 `[partitions]`.

    Attributes:
        ids: the number of ids.
        distinct: the number of distinct ids.
        variance: the variance of the ids.
        distinct_variance: that of the distinct ids.
        new: the maximum number of distinct ids that are not in the pool.
    """

    ids: Floats
    distinct: Floats
    variance: Floats
    distinct_variance: Floats
    new: Floats | float

    def __add__(self, other: Expected) -> Expected:
        """Return what is expected of the ids of two tables together."""
        pairs = zip(vars(self).values(), vars(other).values(), strict=True)
        return Expected(*(one + two for one, two in pairs))


@dataclass(frozen=True, eq=False)
class Frequencies:
    """How often the ids of a table occur in a pool, over all features that look it up.

    Attributes:
        vocabulary: the number of ids of the table.
        samples: the number of samples of the pool, of all features.
        ids: the most frequent ids, int64 `[heavy ids]`.
        counts: the number of samples that each of them is in, int64 `[heavy ids]`.
        class_ids: of the others, the numbers of ids in each class, int64 `[classes]`.
        class_counts: the number of samples that each id of a class is in, int64 `[classes]`.
    """

    vocabulary: int
    samples: int
    ids: Integers
    counts: Integers
    class_ids: Integers
    class_counts: Integers

    @cached_property
    def total(self) -> int:
        """The number of ids in the pool, duplicates within a sample apart."""
        return int(self.counts.sum() + (self.class_ids * self.class_counts).sum())

    @cached_property
    def distinct(self) -> int:
        """The number of distinct ids in the pool."""
        return len(self.ids) + int(self.class_ids.sum())

    def occurring(self, count: int) -> int:
        """Return the number of ids that are in so many samples of the pool."""
        of_classes = self.class_ids[self.class_counts == count].sum()
        return int((self.counts == count).sum() + of_classes)

    def by_partition(self, share: float, partitions: int, shift: int) -> Expected:
        """Return the expected ids and distinct ids of samples in each partition.

        Args:
            share: the number of samples, divided by that of the pool.
            partitions: the number of partitions; those of ids in classes are taken to be spread evenly.
            shift: the partition of id 0.
        """
        place = (self.ids + shift) % partitions
        of_heavy = self._moments(share, self.counts)
        found = np.stack([np.bincount(place, each, partitions) for each in of_heavy])
        of_classes = self._moments(share, self.class_counts) @ self.class_ids
        found += of_classes[:, None] / partitions
        new, most = self.new_ids(share)
        found[1] += new / partitions
        ids, distinct, variance, distinct_variance = found
        return Expected(ids, distinct, variance, distinct_variance, most / partitions)

    def _moments(self, share: float, counts: Integers) -> npt.NDArray[np.floating]:
        """Return means of the ids and distinct ids of each id, and their variances, `[4, ids]`.

        A sample has an id or does not, so that its variance is that of a binomial variable. The pool is
        random as well: whether an id is there varies as if it were in a Poisson number of samples.
        """
        ids, absent = share * counts, np.exp(-share * counts)
        of_ids = ids * (1 - counts / max(self.samples, 1))
        return np.stack([ids, is_there(share, counts), of_ids, absent * (1 - absent)])

    def new_ids(self, share: float) -> tuple[float, float]:
        """Return the expected number of ids in samples that are not in the pool, and an upper bound.

        With `f1` and `f2` ids once and twice in the pool, `f0 = f1^2 / (2 f2)` are not in it, and of `m`
        times the pool `f0 * (1 - (1 - f1 / (total * f0))^((m - 1) * total))` are found. At most
        `f1 * (m - 1)` are, as if nothing were ever found twice; and no more than the vocabulary has.

        Args:
            share: the number of samples, divided by that of the pool.
        """
        if share <= 1 or not self.total:
            return 0.0, 0.0
        once, twice = self.occurring(1), self.occurring(2)
        left = float(self.vocabulary - self.distinct)
        bound = min(left, once * (share - 1))
        unseen = min(left, once * once / (2 * twice) if twice else once * max(once - 1, 1) / 2)
        if unseen <= 0 or not once:
            return 0.0, bound
        rate = min(once / (self.total * unseen), 1.0)
        found = unseen * -np.expm1((share - 1) * self.total * np.log1p(-min(rate, 1 - 1e-12)))
        return min(float(found), bound), bound


def is_there(share: float, counts: npt.ArrayLike) -> Floats:
    """Return the probability that ids are in samples, from the number of the pool's that they are in.

    Args:
        share: the number of samples, divided by that of the pool; of the whole pool or more, it is 1.
        counts: the number of samples of the pool that each id is in.
    """
    if share >= 1:
        return np.sign(np.asarray(counts, np.float64))
    return -np.expm1(np.multiply(counts, np.log1p(-share)))


def frequencies_of(vocabulary: int, samples: int, ids: Integers) -> Frequencies:
    """Return the frequencies of ids.

    Args:
        vocabulary: the number of ids of the table.
        samples: the number of samples of the pool, of all features.
        ids: the ids of a pool, each once for each sample that it is in, int64 `[n]`.
    """
    ordered = np.sort(ids)
    first = np.flatnonzero(differs(ordered))
    distinct, counts = ordered[first], np.diff(first, append=len(ordered))
    if len(distinct) <= MAX_HEAVY:
        none = np.empty(0, np.int64)
        return Frequencies(vocabulary, samples, distinct, counts, none, none)
    order = np.argsort(-counts, kind="stable")
    heavy, rest = order[:MAX_HEAVY], np.sort(counts[order[MAX_HEAVY:]])
    first = np.flatnonzero(differs(rest))
    return Frequencies(
        vocabulary,
        samples,
        distinct[heavy],
        counts[heavy],
        np.diff(first, append=len(rest)),
        rest[first],
    )
