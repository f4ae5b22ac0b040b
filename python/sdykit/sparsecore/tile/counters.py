"""The counters of programs, by SparseCore and tile."""

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
    """The counters of a program on a device, summed over its runs; see `sparsecore-count`.

    Attributes:
        spec: the spec of the program; its `label` is the name that counters are kept under.
        device: the number of the device in this process.
        runs: the number of runs, without those that ended with an error.
        names: the names of the counters: bytes read from and written to each argument, and vector
            operations.
        phases: the sums over all runs, int64 `[iterations, names]` for each phase of the program.
    """

    spec: TileSpec
    device: int
    runs: int
    names: tuple[str, ...]
    phases: tuple[Counts, ...]

    @property
    def totals(self) -> dict[str, int]:
        """The sums over all phases and their iterations, by name."""
        sums = np.sum([phase.sum(axis=0) for phase in self.phases], axis=0)
        return dict(zip(self.names, sums.tolist(), strict=True))

    def of_tiles(self, name: str) -> Counts:
        """Return a counter for each tile, int64 `[SparseCores, tiles]`.

        In an update, the SparseCore is the one that owns the partition of the table; in a lookup,
        the one that owns the samples. In a lookup on several devices, each device works for the
        samples of all of them: SparseCores with the same number within their devices are summed.
        Work that only one tile of a SparseCore does, such as sorting, is in `phases` alone.

        Args:
            name: the name of the counter, one of `names`.

        Raises:
            SparseCoreError: the program has no such counter.
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
    """Return the names of a program's counters, and the sizes of its phases.

    Args:
        program: the text of the program after `sparsecore-count`.

    Returns:
        The names of the counters, and the number of iterations of each phase.
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
    """Return the counters of a program on each device.

    Args:
        spec: the spec of the program.
        program: the text of the program.
        counted: for each device, the number of runs, and the sums of the counters, row by row.
    """
    names, iterations = counted_by(program)
    result = []
    for device, (runs, sums) in sorted(counted.items()):
        rows = np.array(sums, np.int64).reshape(-1, len(names))
        phases = tuple(np.split(rows, np.cumsum(iterations)[:-1]))
        result.append(Counters(spec, device, runs, names, phases))
    return result
