"""What programs have counted, by SparseCore and tile."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from sdykit.mlir import ir
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.tile.compile import parse_tile
from sdykit.sparsecore.tile.spec import TileSpec

Counts = npt.NDArray[np.int64]

_NAMES = "sparsecore.counted"
_TILES = "sparsecore.counted_tiles"


@dataclass(frozen=True, eq=False)
class Counters:
    """What the runs of a program have counted on a device; see `sparsecore-count`.

    Attributes:
        spec: of the program; its `label` says whose it is.
        device: number of the device in this process.
        runs: how many there were, without those that ended with an error.
        names: what is counted: bytes read from and written to each argument, and operations on
            vectors.
        phases: the sums over all runs, int64 `[iterations, names]` for each parallel loop of the
            program.
    """

    spec: TileSpec
    device: int
    runs: int
    names: tuple[str, ...]
    phases: tuple[Counts, ...]

    @property
    def totals(self) -> dict[str, int]:
        """Sums over everything, by name."""
        sums = np.sum([phase.sum(axis=0) for phase in self.phases], axis=0)
        return dict(zip(self.names, sums.tolist(), strict=True))

    def of_tiles(self, name: str) -> Counts:
        """Give a counter, int64 `[SparseCores, tiles]`.

        In an update the SparseCore is the partition of the table, and in a lookup the one whose
        samples get the rows; a lookup on several devices counts on each what it does for the
        samples of all of them, summed over the SparseCores of one number. What only one tile of a
        SparseCore does, such as a count over its partitions, is in `phases` alone.

        Args:
            name: one of `names`.

        Raises:
            SparseCoreError: the program does not count that.
        """
        if name not in self.names:
            raise SparseCoreError(
                f"counters: there is no {name!r}; expected one of {', '.join(self.names)}"
            )
        shape = (self.spec.sparse_cores, self.spec.hardware.tiles_per_sparse_core)
        tiles, column = math.prod(shape), self.names.index(name)
        found = np.zeros(shape, np.int64)
        for phase in self.phases:
            if len(phase) in (tiles, tiles * self.spec.num_devices):
                found += phase[:, column].reshape(-1, *shape).sum(axis=0)
        return found


@cache
def counted_by(program: str) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Read what a program counts.

    Args:
        program: its text, behind `sparsecore-count`.

    Returns:
        The names of its counters, and how many iterations each of its phases has.
    """
    module = parse_tile(program)
    for view in module.body.operations:
        found = view.operation.attributes
        if _NAMES in found:
            names = tuple(ir.StringAttr(each).value for each in ir.ArrayAttr(found[_NAMES]))
            return names, tuple(ir.DenseI64ArrayAttr(found[_TILES]))
    return (), ()


def make_counters(
    spec: TileSpec, program: str, counted: Mapping[int, tuple[int, Sequence[int]]]
) -> list[Counters]:
    """Name what has been counted.

    Args:
        spec: of the program.
        program: its text.
        counted: device -> runs, and sums of the counters, row after row.
    """
    names, iterations = counted_by(program)
    result = []
    for device, (runs, sums) in sorted(counted.items()):
        rows = np.array(sums, np.int64).reshape(-1, len(names))
        phases = tuple(np.split(rows, np.cumsum(iterations)[:-1]))
        result.append(Counters(spec, device, runs, names, phases))
    return result
