"""Random choices for one statement, drawn from a seed of its own."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import TypeVar

T = TypeVar("T")


class Choices:
    """A source of random choices, which are the same for the same seed.

    Each statement has its own, so that a statement looks the same whether or not the
    ones before it are there: a failing module stays failing while it shrinks.
    """

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def seed(self) -> int:
        """Draw the seed of a nested part."""
        return self._random.getrandbits(32)

    def fork(self) -> Choices:
        """Return the choices of a nested part, which do not affect those after it."""
        return Choices(self.seed())

    def chance(self, probability: float) -> bool:
        return self._random.random() < probability

    def between(self, low: int, high: int) -> int:
        """Draw from `low` to `high`, both included."""
        return low + int(self._random.random() * (high - low + 1))

    def pick(self, items: Sequence[T]) -> T:
        return items[int(self._random.random() * len(items))]

    def pick_weighted(self, weights: Mapping[T, float]) -> T:
        return self._random.choices(list(weights), list(weights.values()))[0]

    def some(self, items: Sequence[T], at_most: int | None = None) -> list[T]:
        """Draw a random subset, in random order."""
        limit = len(items) if at_most is None else min(at_most, len(items))
        return self._random.sample(items, self.between(0, limit))

    def shuffled(self, items: Sequence[T]) -> list[T]:
        return self._random.sample(items, len(items))
