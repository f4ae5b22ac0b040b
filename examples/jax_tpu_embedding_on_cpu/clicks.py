"""Clicks with a planted signal: they depend on hidden vectors of users and items."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float32]

LONGEST_HISTORY = 8
HIDDEN_WIDTH = 4
STRENGTH = 1.5
"""Strength of the signal: the standard deviation of the log odds between two items is about twice
this."""


class Clicks(NamedTuple):
    """A batch of clicks."""

    users: Ids
    """`[batch]`: the users who clicked."""
    items: Ids
    """`[batch]`: the items that they clicked."""
    histories: npt.NDArray[np.object_]
    """`[batch]`: arrays of 1 to `LONGEST_HISTORY` items that the user clicked before."""


@dataclass(frozen=True)
class ClickLog:
    """An endless log of clicks."""

    chances: Floats
    """`[users, items]`: the probability that a click of the user is on the item."""

    @classmethod
    def planted(cls, users: int, items: int, seed: int) -> ClickLog:
        """Return a log with random hidden vectors, whose dot products are the log odds of items."""
        random = np.random.default_rng(seed)
        of_users = random.standard_normal((users, HIDDEN_WIDTH))
        of_items = random.standard_normal((items, HIDDEN_WIDTH))
        odds = np.exp(STRENGTH * of_users @ of_items.T / np.sqrt(HIDDEN_WIDTH))
        return cls((odds / odds.sum(1, keepdims=True)).astype(np.float32))

    def batches(self, size: int, seed: int) -> Iterator[Clicks]:
        """Yield random batches without end, the same ones for the same seed."""
        random = np.random.default_rng(seed)
        until = np.cumsum(self.chances, axis=1, dtype=np.float64)
        until /= until[:, -1:]
        while True:
            users = random.integers(len(until), size=size)
            draws = random.random((size, 1 + LONGEST_HISTORY))
            drawn = [
                until[user].searchsorted(draw) for user, draw in zip(users, draws, strict=True)
            ]
            items = np.stack(drawn).astype(np.int32)
            histories = np.empty(size, object)
            for at, length in enumerate(random.integers(LONGEST_HISTORY, size=size)):
                histories[at] = items[at, 1 : 2 + length]
            yield Clicks(users.astype(np.int32), items[:, 0], histories)

    def loss_of_odds(self, clicks: Clicks) -> float:
        """Return the loss of a model that knows the probabilities, the lowest expected loss.

        The negatives of a sample are the items of the other samples, so that popular items are
        negatives more often: the odds of an item are its probability for the user divided by its
        probability among all clicks.
        """
        among_all = self.chances.mean(0)
        logits = np.log(self.chances[clicks.users][:, clicks.items] / among_all[clicks.items])
        of_clicked = np.diagonal(logits)
        return float(np.mean(np.log(np.exp(logits).sum(1)) - of_clicked))
