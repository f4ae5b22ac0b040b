"""The counters of programs, by SparseCore, minibatch, partition and tile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import prod

import numpy as np
import numpy.typing as npt

from sdykit.core.sparsecore.names import COUNTED, COUNTED_LOOPS
from sdykit.mlir import ir
from sdykit.sparsecore.errors import SparseCoreError, shown
from sdykit.sparsecore.mosaic.spec import MosaicSpec
from sdykit.sparsecore.tile.compile import parse_tile
from sdykit.sparsecore.tile.spec import TileSpec

Counts = npt.NDArray[np.int64]
Axes = tuple[tuple[str, int], ...]
"""Name and size of each dimension that counters are kept apart by."""


@dataclass(frozen=True, eq=False)
class CountedLoops:
    """The counters of the iterations of loops that are nested in each other.

    Attributes:
        axes: the names of the loops, outermost first: `core`, `partition`, `minibatch`, `tile`.
        counts: the sums over all runs, int64 `[size of each axis, names]`.
    """

    axes: tuple[str, ...]
    counts: Counts


@dataclass(frozen=True, eq=False)
class Counters:
    """The counters of a program on a device, summed over its runs; see `sparsecore-count`.

    Attributes:
        spec: the spec of the program; its `label` is the name that counters are kept under, which is that of a
            Pallas kernel.
        device: the number of the device in this process.
        runs: the number of runs, without those that ended with an error.
        names: the names of the counters: bytes read from and written to each argument, DMAs, bytes
            sent to other SparseCores, and vector operations; in a step, the name begins with that of
            the step, as `gather: DMAs`.
        loops: the counters, for each nest of loops that are counted apart.
    """

    spec: TileSpec | MosaicSpec
    device: int
    runs: int
    names: tuple[str, ...]
    loops: tuple[CountedLoops, ...]

    @property
    def tile(self) -> TileSpec:
        """The spec of a program that looks up or updates.

        Raises:
            SparseCoreError: it is a kernel.
        """
        if isinstance(self.spec, MosaicSpec):
            raise SparseCoreError(f"kernel {self.spec.name} is neither a lookup nor an update")
        return self.spec

    @property
    def totals(self) -> dict[str, int]:
        """The sums over all iterations, by name."""
        width = len(self.names)
        sums = sum((each.counts.reshape(-1, width).sum(axis=0) for each in self.loops), np.int64(0))
        return dict(zip(self.names, np.atleast_1d(sums).tolist(), strict=True))

    def by(self, name: str, *axes: str) -> Counts:
        """Return a counter for each iteration along some axes, int64 `[size of each axis]`.

        It is summed over the other axes. Counts outside of loops with these axes are left out: what
        the sequencer of a SparseCore does is of no tile.

        Args:
            name: the name of the counter, one of `names`, or without the name of the step: then it
                is summed over all steps.
            axes: the names of the axes.

        Raises:
            SparseCoreError: the program has no such counter, or no loop with these axes; or an axis
                is given twice.
        """
        columns = self._columns(name)
        if len(set(map(str, axes))) < len(axes):
            raise SparseCoreError(f"counters: axes are {shown(axes)}; expected each once")
        found = [each for each in self.loops if all(axis in each.axes for axis in axes)]
        if not found:
            known = "; ".join(dict.fromkeys(", ".join(each.axes) for each in self.loops))
            raise SparseCoreError(
                f"counters: no loops are counted by {', '.join(map(str, axes))}; expected axes of one of: {known}"
            )
        return np.sum([_summed(each, axes, columns) for each in found], axis=0)

    def of_tiles(self, name: str) -> Counts:
        """Return a counter for each tile, int64 `[SparseCores, tiles]`.

        In an update, the SparseCore is the one that owns the partition of the table; in a lookup,
        the one that owns the samples. In a lookup on several devices, each device works for the
        samples of all of them: SparseCores with the same number within their devices are summed.
        Of a Pallas kernel, tiles are its vector subcores. Work that only one tile of a SparseCore does, such as sorting, is in `loops` alone.

        Args:
            name: the name of the counter, as for `by`.

        Raises:
            SparseCoreError: the program has no such counter.
        """
        if isinstance(self.spec, MosaicSpec):
            return self.by(name, "core", "tile")
        shape = (self.tile.sparse_cores, self.tile.hardware.tiles_per_sparse_core)
        owner = "core" if self.tile.kind == "lookup" else "partition"
        return self.by(name, owner, "tile").reshape(-1, *shape).sum(axis=0)

    def _columns(self, name: str) -> list[int]:
        found = [
            at
            for at, each in enumerate(self.names)
            if each == name or each.rpartition(": ")[2] == name
        ]
        if not found:
            raise SparseCoreError(
                f"counters: there is no {name!r}; expected one of {', '.join(self.names)}"
            )
        return found


def _summed(loops: CountedLoops, axes: Sequence[str], columns: Sequence[int]) -> Counts:
    """Return some counters of loops, summed over all but some axes, in the order of these."""
    others = tuple(at for at, axis in enumerate(loops.axes) if axis not in axes)
    kept = [axis for axis in loops.axes if axis in axes]
    summed = loops.counts[..., list(columns)].sum(axis=(-1, *others))
    return np.transpose(summed, [kept.index(axis) for axis in axes])


@cache
def counted_by(program: str) -> tuple[tuple[str, ...], tuple[Axes, ...]]:
    """Return what a program counts.

    Args:
        program: the text of the program after `sparsecore-count`.

    Returns:
        The names of the counters, and the axes of each nest of counted loops.
    """
    module = parse_tile(program)
    for view in module.body.operations:
        found = view.operation.attributes
        if COUNTED in found:
            names = tuple(ir.StringAttr(each).value for each in ir.ArrayAttr(found[COUNTED]))
            return names, tuple(_axes_of(each) for each in ir.ArrayAttr(found[COUNTED_LOOPS]))
    return (), ()


def _axes_of(nest: ir.Attribute) -> Axes:
    axes = (ir.DictAttr(each) for each in ir.ArrayAttr(nest))
    return tuple(
        (ir.StringAttr(axis["name"]).value, ir.IntegerAttr(axis["size"]).value) for axis in axes
    )


def split_by_loops(rows: Counts, nests: Sequence[Axes]) -> tuple[CountedLoops, ...]:
    """Return counters by the loops that they belong to.

    Args:
        rows: the counters, int64 `[iterations of all nests, names]`.
        nests: the axes of each nest of counted loops.
    """
    shapes = [tuple(size for _, size in axes) for axes in nests]
    parts = np.split(rows, np.cumsum([prod(shape) for shape in shapes])[:-1])
    return tuple(
        CountedLoops(tuple(name for name, _ in axes), part.reshape(*shape, -1))
        for axes, shape, part in zip(nests, shapes, parts, strict=True)
    )


def make_counters(
    spec: TileSpec, program: str, counted: Mapping[int, tuple[int, Sequence[int]]]
) -> list[Counters]:
    """Return the counters of a program on each device.

    Args:
        spec: the spec of the program.
        program: the text of the program.
        counted: for each device, the number of runs, and the sums of the counters, row by row.
    """
    names, nests = counted_by(program)
    result = []
    for device, (runs, sums) in sorted(counted.items()):
        rows = np.array(sums, np.int64).reshape(-1, len(names))
        result.append(Counters(spec, device, runs, names, split_by_loops(rows, nests)))
    return result
