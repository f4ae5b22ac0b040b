"""Regions: the bytes that a load, a store, or a side of a transfer touches."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

DEVICE = -1
"""The owner of the device's memory, which all agents share."""

Offsets = npt.NDArray[np.int64]


def core(number: int) -> int:
    """Return the owner of the memory that the agents of one core share."""
    return -2 - number


@dataclass(frozen=True, slots=True)
class Region:
    """Elements of a buffer, at strides.

    Attributes:
        buffer: the number of the buffer, which is the same for all agents.
        owner: whose copy of the buffer it is: the number of an agent, `DEVICE`, or that of `core`.
        offset: the position of the first element, in bytes.
        sizes: how many elements there are in each dimension.
        strides: how far they are apart, in bytes.
        width: the bytes of an element.
        starts: for rows that are anywhere: int64 `[n]`, the position of each row after `offset`,
            in bytes; `sizes` and `strides` are those of a row. None for one row at `offset`.
    """

    buffer: int
    owner: int
    offset: int
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    width: int
    starts: Offsets | None = None

    @property
    def memory(self) -> tuple[int, int]:
        """What tells memory apart: owner and buffer."""
        return self.owner, self.buffer

    @property
    def is_private(self) -> bool:
        """Whether it is memory of one agent."""
        return self.owner >= 0

    def bounds(self) -> tuple[int, int]:
        """Return the first byte and one past the last; the two are equal if there are none."""
        if 0 in self.sizes or (self.starts is not None and not len(self.starts)):
            return self.offset, self.offset
        steps = [(size - 1) * step for size, step in zip(self.sizes, self.strides, strict=True)]
        first = self.offset + sum(min(step, 0) for step in steps)
        last = self.offset + sum(max(step, 0) for step in steps)
        if self.starts is not None:
            first += int(self.starts.min())
            last += int(self.starts.max())
        return first, last + self.width

    def runs(self) -> tuple[Offsets, int]:
        """Return where each contiguous run begins, in the order of elements, and a run's bytes.

        All positions are in bytes; runs are as long as all of them can be.
        """
        length = self.width
        dimensions = list(zip(self.sizes, self.strides, strict=True))
        while dimensions and (dimensions[-1][0] == 1 or dimensions[-1][1] == length):
            length *= dimensions.pop()[0]
        starts = np.zeros(1, np.int64) if self.starts is None else self.starts.astype(np.int64)
        for size, stride in dimensions:
            steps = np.arange(size, dtype=np.int64) * stride
            starts = (starts[:, None] + steps).reshape(-1)
        if length == 0:
            starts = starts[:0]
        return starts + self.offset, length


def overlap(left: Region, right: Region) -> bool:
    """Return whether two regions have a byte in common."""
    (first, end), (other_first, other_end) = left.bounds(), right.bounds()
    if left.memory != right.memory or end <= other_first or other_end <= first:
        return False
    starts, length = left.runs()
    others, other_length = right.runs()
    if not len(starts) or not len(others):
        return False
    others = np.sort(others)
    # The last run of `others` that begins before the end of each run of `starts`.
    before = np.searchsorted(others, starts + length, side="left") - 1
    return bool(np.any((before >= 0) & (others[before] + other_length > starts)))
