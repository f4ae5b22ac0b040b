"""The figures of sampled steps: many small arrays, kept in one."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.counts import Statistics
from sdykit.sparsecore.errors import SparseCoreError

Place = tuple[int, int, int]
"""Step, program and device."""

_RANK = 5
_OF_STATISTICS = ("ids", "unique_ids", "tile_ids")


@dataclasses.dataclass(frozen=True, eq=False)
class FigureColumns:
    """The figures of programs on devices, in sampled steps.

    Attributes:
        places: step, program and device of each array, int `[arrays, 3]`; arrays of one place follow one
            another.
        names: the name of each array, `[arrays]`.
        shapes: its shape, int `[arrays, 5]`; -1 after the last dimension.
        values: the elements of all arrays, one after another, int `[elements]`.
        minibatches: the number of minibatches of the batch, `[arrays]`.
        dropped: the number of ids that preprocessing dropped, `[arrays]`.

    Raises:
        SparseCoreError: the arrays have not as many elements as there are.
    """

    places: npt.NDArray[np.integer]
    names: npt.NDArray[np.str_]
    shapes: npt.NDArray[np.integer]
    values: npt.NDArray[np.integer]
    minibatches: npt.NDArray[np.integer]
    dropped: npt.NDArray[np.integer]

    def __post_init__(self) -> None:
        count = len(self.names)
        lengths = [len(each) for each in (self.places, self.shapes, self.minibatches, self.dropped)]
        elements = int(self._sizes.sum())
        if lengths != [count] * 4 or elements != len(self.values):
            raise SparseCoreError(
                f"run: the figures have {count} names, {lengths} rows and {len(self.values)} elements; "
                f"expected equal numbers of rows, and {elements} elements"
            )

    @cached_property
    def _sizes(self) -> npt.NDArray[np.int64]:
        return np.where(self.shapes < 0, 1, self.shapes).astype(np.int64).prod(axis=1)

    @property
    def steps(self) -> tuple[int, ...]:
        """The steps that have figures, ascending."""
        return tuple(map(int, np.unique(self.places[:, 0])))

    def of(self, step: int) -> dict[tuple[int, int], Statistics]:
        """Return the figures of a step, by the numbers of program and device."""
        ends = np.cumsum(self._sizes)
        rows = np.flatnonzero(self.places[:, 0] == step)
        found: dict[tuple[int, int], dict[str, npt.NDArray[np.int64]]] = {}
        first: dict[tuple[int, int], int] = {}
        for row in rows.tolist():
            _, program, device = self.places[row].tolist()
            shape = [size for size in self.shapes[row].tolist() if size >= 0]
            values = self.values[ends[row] - self._sizes[row] : ends[row]].astype(np.int64)
            first.setdefault((program, device), row)
            found.setdefault((program, device), {})[str(self.names[row])] = values.reshape(shape)
        return {key: self._statistics(first[key], arrays) for key, arrays in found.items()}

    def _statistics(self, row: int, arrays: dict[str, npt.NDArray[np.int64]]) -> Statistics:
        missing = [name for name in _OF_STATISTICS if name not in arrays]
        if missing:
            raise SparseCoreError(
                f"run: the figures of step {self.places[row, 0]}, program {self.places[row, 1]} have no "
                f"{missing[0]}; expected {', '.join(_OF_STATISTICS)}"
            )
        own = [arrays.pop(name) for name in _OF_STATISTICS]
        return Statistics(
            int(self.minibatches[row]), *own, dropped=int(self.dropped[row]), figures=arrays
        )


def figure_columns(given: Mapping[Place, Statistics]) -> FigureColumns:
    """Return figures by step, program and device as columns."""
    rows, values = [], []
    for place, each in sorted(given.items(), key=lambda item: item[0]):
        arrays = {name: getattr(each, name) for name in _OF_STATISTICS} | dict(each.figures)
        for name, array in arrays.items():
            shape = [*array.shape, *[-1] * (_RANK - array.ndim)]
            rows.append((place, name, shape, each.minibatches, each.dropped))
            values.append(array.reshape(-1))
    places, names, shapes, minibatches, dropped = zip(*rows, strict=True) if rows else ([],) * 5
    return FigureColumns(
        np.array(places, np.int64).reshape(-1, 3),
        np.array(names, np.str_),
        np.array(shapes, np.int64).reshape(-1, _RANK),
        np.concatenate(values) if values else np.empty(0, np.int64),
        np.array(minibatches, np.int64),
        np.array(dropped, np.int64),
    )
