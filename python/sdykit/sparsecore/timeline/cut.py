"""Cuts: the part of a run that a timeline shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sdykit.sparsecore.chip import Chip, chip
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.run import Run

DEFAULT_SPANS = 250_000
"""The number of spans that a timeline has at most: a trace of about 25 MB."""


@dataclass(frozen=True)
class Cut:
    """The part of a run that a timeline shows.

    Attributes:
        first: the first step; None: the run's first.
        last: the one after the last step; None: up to the run's last.
        cores: the SparseCores, each a device and the number on it; empty: all.
        tiles: the tiles of each of these SparseCores; empty: all.
        spans: the number of spans that it may have at most.
    """

    first: int | None = None
    last: int | None = None
    cores: tuple[tuple[int, int], ...] = ()
    tiles: tuple[int, ...] = ()
    spans: int = DEFAULT_SPANS

    def steps(self, steps: Sequence[int]) -> tuple[int, ...]:
        """Return those of some steps that it has."""
        first = -1 if self.first is None else self.first
        return tuple(
            step for step in steps if first <= step and (self.last is None or step < self.last)
        )

    def has_device(self, device: int) -> bool:
        """Return whether it has a SparseCore of a device."""
        return not self.cores or any(device == each for each, _ in self.cores)

    def has_core(self, device: int, core: int) -> bool:
        """Return whether it has a SparseCore."""
        return not self.cores or (device, core) in self.cores

    def has_tile(self, tile: int) -> bool:
        """Return whether it has a tile, of the SparseCores that it has."""
        return not self.tiles or tile in self.tiles

    def check(self, run: Run) -> Chip:
        """Return the chip of a run that it is a part of.

        Raises:
            SparseCoreError: the run has no calls, or not these steps, SparseCores or tiles.
        """
        of_run = chip(run.chip)
        where, steps = f"run '{run.path}'", run.steps
        if not steps:
            raise SparseCoreError(
                f"{where}: no lookup or update ran in a step; expected a recording of a training loop"
            )
        if not self.steps(steps):
            raise SparseCoreError(
                f"{where}: it has no steps {self._range()}; expected some of {step_ranges(steps)}"
            )
        for device, core in self.cores:
            if device >= run.devices or core >= of_run.sparse_cores_per_device:
                raise SparseCoreError(
                    f"{where}: there is no SparseCore {device}:{core}; expected a device of 0 to "
                    f"{run.devices - 1} and a SparseCore of 0 to {of_run.sparse_cores_per_device - 1}"
                )
        for tile in self.tiles:
            if tile >= of_run.tiles_per_sparse_core:
                raise SparseCoreError(
                    f"{where}: there is no tile {tile}; expected one of 0 to "
                    f"{of_run.tiles_per_sparse_core - 1}"
                )
        return of_run

    def _range(self) -> str:
        first = "" if self.first is None else self.first
        return f"{first}:{'' if self.last is None else self.last}"


def step_ranges(steps: Sequence[int]) -> str:
    """Return steps, ascending, as text: `0 to 3, 7`."""
    found: list[tuple[int, int]] = []
    for step in steps:
        if found and step == found[-1][1] + 1:
            found[-1] = (found[-1][0], step)
        else:
            found.append((step, step))
    texts = [str(first) if first == last else f"{first} to {last}" for first, last in found]
    return ", ".join([*texts[:8], "..."] if len(texts) > 8 else texts)
