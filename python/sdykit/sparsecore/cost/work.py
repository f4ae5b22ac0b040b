"""The work of SparseCores in each step of a program: what times are computed from."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from sdykit.core.sparsecore.steps import (
    ALL_TO_ALL,
    APPLY,
    DEDUPLICATE,
    EXCHANGE_IDS,
    GATHER,
    LOAD,
    REDUCE,
    REDUCE_GRADIENTS,
    SCATTER,
    SORT,
    STORE,
)
from sdykit.sparsecore.chip import Chip
from sdykit.sparsecore.errors import SparseCoreError

Floats = npt.NDArray[np.floating]

SEQUENCER: Final = "sequencer"
"""The name of what the sequencer of a SparseCore does outside of steps."""
STEPS: Final[Mapping[str, tuple[str, ...]]] = {
    "lookup": (SEQUENCER, LOAD, SORT, DEDUPLICATE, EXCHANGE_IDS, GATHER, ALL_TO_ALL, REDUCE, STORE),
    "update": (SEQUENCER, LOAD, SORT, DEDUPLICATE, REDUCE_GRADIENTS, GATHER, APPLY, SCATTER),
}
"""The steps of lookups and updates, in program order. Only lookups of raw ids sort, and they exchange
nothing."""
EXCHANGES: Final = (EXCHANGE_IDS, ALL_TO_ALL)
"""The steps that send data to other SparseCores."""
OF_OWNER: Final = (GATHER, ALL_TO_ALL)
"""The steps of a lookup that the SparseCore does that owns the rows, for all others."""
AMOUNTS: Final = ("launches", "dmas", "bytes", "vectors")
"""What a tile does: launches that it takes part in, DMAs, bytes that it moves in whole granules, and
vector operations."""

TILE_AMOUNTS: Final = AMOUNTS[1:]
"""What a tile does by itself: all but launches."""


@dataclass(frozen=True, eq=False)
class Work:
    """The work of the SparseCores of a system in programs of one kind.

    A row of the arrays is a minibatch of a program.

    Attributes:
        chip: the chip.
        kind: `lookup` or `update`.
        labels: the name of each program's table.
        program: the number of the program of each row, int `[rows]`.
        minibatch: the number of the minibatch of each row, int `[rows]`.
        amounts: what the busiest tile of each SparseCore does, by the names of `AMOUNTS`, each
            `[rows, SparseCores, steps]`; one that is not there is 0.
        hbm_bytes: the bytes that all tiles of a chip move from and to HBM, `[rows, chips, steps]`.
        ici_bytes: the bytes that a chip sends to others, or receives if these are more, of the same
            shape.
        of_tiles: returns what each tile does, by the names of `AMOUNTS` without `launches`, each
            `[rows, SparseCores, tiles, steps]`; None: it is not known.
    """

    chip: Chip
    kind: str
    labels: tuple[str, ...]
    program: npt.NDArray[np.int64]
    minibatch: npt.NDArray[np.int64]
    amounts: Mapping[str, Floats]
    hbm_bytes: Floats
    ici_bytes: Floats
    of_tiles: Callable[[], Mapping[str, Floats]] | None = None

    @property
    def steps(self) -> tuple[str, ...]:
        """The names of the steps."""
        return STEPS[self.kind]

    @property
    def sparse_cores(self) -> int:
        """The number of SparseCores of the system."""
        return self.amounts["launches"].shape[1]

    @cached_property
    def most_launches(self) -> Floats:
        """The most launches that a SparseCore of a chip has, `[rows, chips, steps]`."""
        found = of_chips(self.chip, self.amounts["launches"])
        return functools.reduce(np.maximum, (found[..., at, :] for at in range(found.shape[-2])))

    @cached_property
    def by_step(self) -> tuple[Mapping[str, Floats | float], ...]:
        """The amounts of each step by name, `[rows, SparseCores]`, or the number 0 if all are."""
        return tuple(
            {
                name: each[..., at] if each[..., at].max(initial=0) else 0.0
                for name, each in self.amounts.items()
            }
            for at in range(len(self.steps))
        )


def check_system(chips: Sequence[Chip], sparse_cores: Sequence[int]) -> None:
    """Check that programs are of one system.

    Args:
        chips: the chip of each program.
        sparse_cores: the number of SparseCores of each.

    Raises:
        SparseCoreError: there are no programs, or they are of several systems.
    """
    if not chips:
        raise SparseCoreError("cost: there are no programs; expected at least one")
    for name, values in (
        ("chips", [each.name for each in chips]),
        ("numbers of SparseCores", sparse_cores),
    ):
        if len(set(values)) > 1:
            found = ", ".join(map(str, dict.fromkeys(values)))
            raise SparseCoreError(
                f"cost: the programs have different {name}: {found}; expected one"
            )


def joined(works: Sequence[Work]) -> Work:
    """Return the work of several programs of one kind, on the same system."""
    first = works[0]
    if len(works) == 1:
        return first
    offsets = np.cumsum([0, *(len(each.labels) for each in works)])
    pairs = list(zip(works, offsets[:-1], strict=True))
    return Work(
        first.chip,
        first.kind,
        tuple(label for each in works for label in each.labels),
        np.concatenate([each.program + offset for each, offset in pairs]),
        np.concatenate([each.minibatch for each in works]),
        {
            name: np.concatenate([_amount(each, name) for each in works])
            for name in AMOUNTS
            if any(name in each.amounts for each in works)
        },
        np.concatenate([each.hbm_bytes for each in works]),
        np.concatenate([each.ici_bytes for each in works]),
        joined_tiles([each.of_tiles for each in works]),
    )


def joined_tiles(
    works: Sequence[Callable[[], Mapping[str, Floats]] | None],
) -> Callable[[], Mapping[str, Floats]] | None:
    """Return what returns the amounts of tiles of several programs, if they are known of all."""
    known = [each for each in works if each is not None]
    if len(known) < len(works):
        return None

    def of_tiles() -> Mapping[str, Floats]:
        found = [each() for each in known]
        return {name: np.concatenate([each[name] for each in found]) for name in TILE_AMOUNTS}

    return of_tiles


def _amount(work: Work, name: str) -> Floats:
    return work.amounts.get(name, np.zeros_like(work.amounts["launches"]))


def of_chips(chip: Chip, values: Floats) -> Floats:
    """Return a view of `[..., SparseCores, steps]` by chip, `[..., chips, SparseCores of each, steps]`."""
    cores = min(chip.sparse_cores_per_chip, values.shape[-2])
    return values.reshape(*values.shape[:-2], -1, cores, values.shape[-1])


def by_chip(chip: Chip, values: Floats) -> Floats:
    """Return sums over the SparseCores of each chip, `[..., chips, steps]` of `[..., SparseCores, steps]`."""
    found = of_chips(chip, values)
    return functools.reduce(np.add, (found[..., at, :] for at in range(found.shape[-2])))


def is_far(chip: Chip, sparse_cores: int) -> npt.NDArray[np.bool_]:
    """Return whether two SparseCores are on different chips, `[SparseCores, SparseCores]`."""
    chips = np.arange(sparse_cores) // chip.sparse_cores_per_chip
    return chips[:, None] != chips
