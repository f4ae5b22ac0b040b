"""Synthetic clicks with a planted signal: numeric features, ids, and who clicked.

Ids follow Zipf's law. The log odds of a click are the sum of

- a function of the numeric features, part of it not linear,
- an effect of each id, and
- products of hidden numbers of two ids, for some pairs of tables,

so that embedding tables can learn more than the numeric features tell. Effects are hashes of table and
id: they take no memory, however large the vocabularies are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Ids = npt.NDArray[np.int32]

NUMERIC: Final = 13
"""Number of numeric features of a sample, as in Criteo's click logs."""

PAIRS: Final = 4
"""Maximum number of pairs of tables whose ids interact."""

SMALLEST, LARGEST = 4, 60_000
"""Number of rows of the smallest and the largest table, if all differ."""

_BLOCK: Final = 1024
"""Number of samples whose ids are made at once: their intermediate arrays stay in a core's caches."""

_SPLITS: Final = {"training": 0, "limits": 1, "held out": 2}
_BIAS, _NUMERIC_SCALE, _ID_SCALE, _PAIR_SCALE = -1.0, 0.7, 1.1, 0.7
_EFFECT, _FACTOR = np.uint64(1), np.uint64(2)  # Purposes of hashes.


@dataclass(frozen=True, eq=False)
class Clicks:
    """A batch of samples."""

    numeric: Floats
    """`[samples, NUMERIC]`, standard normal."""
    ids: Ids
    """`[samples, tables]`: an id for each table."""
    labels: Floats
    """`[samples]`: 1 where there was a click, else 0."""
    log_odds: Floats
    """`[samples]`: log odds of the planted probability, which no model can rank better than."""


@dataclass(frozen=True)
class ClickData:
    """An endless source of clicks. Equal seeds, splits, numbers and sizes make equal batches."""

    vocabularies: tuple[int, ...]
    """Number of rows of each table; ids of table `t` are in `[0, vocabularies[t])`."""
    seed: int = 0

    def batch(self, split: str, number: int, samples: int) -> Clicks:
        """Return one batch.

        Args:
            split: `training`, `limits` or `held out`; their samples are independent.
            number: the number of the batch in the split, from 0.
            samples: the number of samples.
        """
        random = np.random.default_rng([self.seed, _SPLITS[split], number])
        numeric = random.standard_normal((samples, NUMERIC), np.float32)
        uniform = random.random((samples, len(self.vocabularies)))
        ids, of_ids = np.empty(uniform.shape, np.int32), np.empty(samples)
        for first in range(0, samples, _BLOCK):
            block = slice(first, first + _BLOCK)
            ids[block] = self._ids(uniform[block])
            of_ids[block] = self._of_ids(ids[block])
        log_odds = _BIAS + self._of_numeric(numeric) + of_ids
        clicked = random.random(samples) < 1 / (1 + np.exp(-log_odds))
        return Clicks(numeric, ids, clicked.astype(np.float32), log_odds.astype(np.float32))

    def _ids(self, uniform: npt.NDArray[np.float64]) -> Ids:
        """Return ids from numbers in [0, 1): the frequency of the `r`-th id is about `r ** -a`."""
        sizes = np.array(self.vocabularies, np.float64)
        # Exponents a from 1.05 to 1.25; the distribution function of `x ** -a` on [1, sizes + 1).
        power = -0.05 - 0.2 * _uniform(self._key(np.arange(len(sizes)), np.uint64(0)))
        ranks = (1 + uniform * ((sizes + 1) ** power - 1)) ** (1 / power) - 1
        ranks = np.minimum(ranks.astype(np.int64), sizes.astype(np.int64) - 1)
        # Frequent ids are spread over the vocabulary, as they are in real logs.
        strides = np.array([_stride(size) for size in self.vocabularies])
        return (ranks * strides % np.array(self.vocabularies)).astype(np.int32)

    def _of_numeric(self, numeric: Floats) -> npt.NDArray[np.float64]:
        weights = np.random.default_rng([self.seed, len(_SPLITS)]).standard_normal(NUMERIC)
        linear = numeric @ (weights / np.linalg.norm(weights)).astype(np.float32)
        return _NUMERIC_SCALE * (linear + 0.5 * numeric[:, 0] * numeric[:, 1])

    def _of_ids(self, ids: Ids) -> npt.NDArray[np.float64]:
        tables = ids.shape[1]
        effects = self._hidden(ids, np.arange(tables), _EFFECT).sum(axis=1)
        log_odds = _ID_SCALE / math.sqrt(tables) * effects
        pairs = min(PAIRS, tables // 2)
        if not pairs:
            return log_odds
        # The tables in the middle of the list: small enough to be learnt, large enough to matter.
        first = (tables - 2 * pairs) // 2
        paired = np.arange(first, first + 2 * pairs)
        factors = self._hidden(ids[:, paired], paired, _FACTOR)
        products = (factors[:, ::2] * factors[:, 1::2]).sum(axis=1)
        return log_odds + _PAIR_SCALE / math.sqrt(pairs) * products

    def _hidden(
        self, ids: Ids, tables: npt.NDArray[np.int64], purpose: np.uint64
    ) -> npt.NDArray[np.float64]:
        """Return a number for every id of every table, of mean 0 and variance 1."""
        return math.sqrt(12) * (_uniform(self._key(tables, purpose) ^ ids.astype(np.uint64)) - 0.5)

    def _key(self, tables: npt.NDArray[np.int64], purpose: np.uint64) -> npt.NDArray[np.uint64]:
        seeded = _mixed(np.array([self.seed], np.uint64))
        return _mixed(seeded ^ (tables.astype(np.uint64) << np.uint64(8)) ^ purpose)


def vocabularies(tables: int) -> tuple[int, ...]:
    """Return table sizes, evenly spaced on a logarithmic scale from `SMALLEST` to `LARGEST`."""
    steps = max(1, tables - 1)
    return tuple(
        round(SMALLEST * (LARGEST / SMALLEST) ** (table / steps)) for table in range(tables)
    )


def _stride(size: int) -> int:
    """Return a stride that visits all of `size` ids and keeps neighbours far apart."""
    stride = max(1, round(size * 0.618))
    while math.gcd(stride, size) > 1:
        stride += 1
    return stride


def _mixed(numbers: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Return hashes of 64 bits: the finalizer of SplitMix64 (Steele, Lea, Flood 2014)."""
    mixed = numbers + np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        # In place: a copy of a batch's hashes takes as long as the arithmetic.
        mixed ^= mixed >> np.uint64(shift)
        mixed *= np.uint64(factor)
    mixed ^= mixed >> np.uint64(31)
    return mixed


def _uniform(keys: npt.NDArray[np.uint64]) -> npt.NDArray[np.float64]:
    """Return hashes as numbers in [0, 1)."""
    return (_mixed(keys) >> np.uint64(11)).astype(np.float64) * 2.0**-53
