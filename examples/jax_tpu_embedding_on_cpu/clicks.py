"""Clicks with a planted signal: who clicks what follows from a hidden vector of each."""

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
"""Of the signal: the standard deviation of the log odds between two items is about 2 x this."""


class Clicks(NamedTuple):
    """A batch."""

    users: Ids
    """`[batch]`."""
    items: Ids
    """`[batch]`: what was clicked."""
    histories: npt.NDArray[np.object_]
    """`[batch]`: arrays of 1 to `LONGEST_HISTORY` items that the user clicked before."""


@dataclass(frozen=True)
class ClickLog:
    """An endless log of clicks."""

    chances: Floats
    """`[users, items]`: how probable it is that a click of a user is one on an item."""

    @classmethod
    def planted(cls, users: int, items: int, seed: int) -> ClickLog:
        """Draw hidden vectors; the log odds of an item are its dot product with the user."""
        random = np.random.default_rng(seed)
        of_users = random.standard_normal((users, HIDDEN_WIDTH))
        of_items = random.standard_normal((items, HIDDEN_WIDTH))
        odds = np.exp(STRENGTH * of_users @ of_items.T / np.sqrt(HIDDEN_WIDTH))
        return cls((odds / odds.sum(1, keepdims=True)).astype(np.float32))

    def batches(self, size: int, seed: int) -> Iterator[Clicks]:
        """Draw batch after batch; the same ones for the same seed."""
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
        """Give the loss of a model that knows the chances: no model has less for long.

        The negatives of a sample are the items of the others, so that a popular item is one more
        often: what tells the clicked one apart is its chance over that among all clicks.
        """
        among_all = self.chances.mean(0)
        logits = np.log(self.chances[clicks.users][:, clicks.items] / among_all[clicks.items])
        of_clicked = np.diagonal(logits)
        return float(np.mean(np.log(np.exp(logits).sum(1)) - of_clicked))
