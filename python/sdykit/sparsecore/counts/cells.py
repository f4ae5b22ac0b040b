"""Places of a program that count the same wherever one figure is the same.

How often most of them count depends on one number of each SparseCore, minibatch and partition of a run,
such as its ids. So it is computed once for each value of the figure, and added up by how often there is
this value: a hundred runs have few values of a figure more than one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod

import numpy as np

from sdykit.passes.sparsecore.count.places import Place
from sdykit.sparsecore.counts.several import AXES, RunFigures
from sdykit.sparsecore.counts.statistics import Figures
from sdykit.sparsecore.counts.times import reached, times_of
from sdykit.sparsecore.counts.values import Values, values_of

_MAX_ELEMENTS = 2**24
"""The maximum number of cells times values of a figure that is added up so."""


@dataclass(frozen=True)
class _Asked(RunFigures):
    """Figures that are all 1, and the names of those that have been asked for."""

    names: set[str] = field(default_factory=set)

    def of(self, name: str) -> Figures:
        self.names.add(name)
        return np.ones((1,) * len(AXES), np.int64)


def single_figures(places: Sequence[Place]) -> dict[int, str]:
    """Return the name of the figure that a place alone depends on, by the number of the place.

    Whether there are its iterations may depend on other figures.
    """
    found = {}
    for at, place in enumerate(places):
        asked = _Asked({0: 1}, 1, {})
        times_of(place, values_of(places, asked))
        if len(asked.names) == 1:
            found[at] = asked.names.pop()
    return found


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of runs, each a SparseCore, minibatch and partition of a run, by the value of a figure.

    Attributes:
        places: where the program counts.
        figures: the figures of the runs.
        name: the name of the figure.
    """

    places: Sequence[Place]
    figures: RunFigures
    name: str

    def times_of(self, place: Place, values: Values) -> Figures | None:
        """Return how often a place counts in all runs of each device, with devices in place of runs.

        Args:
            place: the place, which depends on the figure alone.
            values: the values of numbers in the program, for the cells themselves.

        Returns:
            None if it depends on the number of a SparseCore, minibatch or partition as well, or if there are
            too many cells and values.
        """
        found = self._figure
        if found.ndim != len(AXES) or found.shape[-1] != 1 or self._is_large:
            return None
        times, is_there = times_of(place, self._values), reached(place, values)
        cells = found.shape[:-1]
        if prod(times.shape[:-1]) > len(times) or not _fits(is_there.shape, found.shape):
            return None
        weights = np.broadcast_to(is_there[..., 0], cells).ravel()
        amounts = np.bincount(self._numbers, weights, self._size).reshape(-1, len(self._unique))
        times = np.broadcast_to(times, (len(self._unique), *times.shape[1:]))
        counted = amounts @ times.reshape(len(times), -1).astype(np.float64)
        return counted.astype(np.int64).reshape(-1, *cells[1:], times.shape[-1])

    @cached_property
    def _figure(self) -> Figures:
        return self.figures.of(self.name)

    @cached_property
    def _unique(self) -> Figures:
        """The values of the figure."""
        return np.unique(self._figure)

    @property
    def _size(self) -> int:
        return len(self.figures.devices) * prod(self._figure.shape[1:]) * len(self._unique)

    @property
    def _is_large(self) -> bool:
        return self._size > _MAX_ELEMENTS

    @cached_property
    def _numbers(self) -> Figures:
        """The number of each cell: of its device, place and value."""
        runs = list(self.figures.devices.values())
        device = np.repeat(np.arange(len(runs)), runs)
        places = prod(self._figure.shape[1:])
        number = device[:, None] * places + np.arange(places)
        value = np.searchsorted(self._unique, self._figure.ravel())
        return number.ravel() * len(self._unique) + value

    @cached_property
    def _values(self) -> Values:
        """The values of numbers in the program, for each value of the figure in place of a run."""
        unique = self._unique.reshape(-1, *(1,) * (len(AXES) - 1))
        alone = RunFigures({0: len(unique)}, self.figures.minibatches, {self.name: unique})
        return values_of(self.places, alone)


def _fits(shape: Sequence[int], cells: Sequence[int]) -> bool:
    """Return whether a shape can be broadcast to that of the cells."""
    return all(size in (1, other) for size, other in zip(shape, cells, strict=True))
