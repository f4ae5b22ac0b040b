"""The entries of a SparseCore in the order of their samples."""

from __future__ import annotations

import numpy as np
from numba import njit

from sdykit.sparsecore._kernels.pack import ALIGNMENT, PAD

_PAD_GAIN = np.float32(np.nan)


@njit(nogil=True, cache=True, error_model="numpy")
def index_samples(entries, pointers, span, shape, splits, rows, gains):
    """Copy entries in the order of their samples; those of a sample stay in their order.

    Args:
        entries: `(ids, samples, gains)` of a device, each `[entries]`, with pads.
        pointers: int32, the row pointers of the SparseCore's segments.
        span: `(origin, begin, end, stop)`: pointers count from `origin`; the entries are in
            `[begin, end)`, and no other SparseCore has any in `[end, stop)`.
        shape: `(partitions, row pointers of a segment, rows of a partition)`.
        splits: int32 `[samples + 1]`: where a sample starts in `rows`; overwritten.
        rows: int32 `[entries]`: the row in the table, partition after partition; `[begin, stop)`
            is overwritten, pads last.
        gains: float32 `[entries]`: beside `rows`.
    """
    origin, begin, end, stop = span
    _count_samples(entries[1][begin:end], begin, splits)
    partitions, width, rows_of_partition = shape
    start = begin
    for segment in range(0, pointers.size, width):
        for partition in range(partitions):
            last = min(origin + pointers[segment + partition], end)
            _scatter(entries, start, last, partition * rows_of_partition, splits, rows, gains)
            start = origin + -(-pointers[segment + partition] // ALIGNMENT) * ALIGNMENT
    filled = splits[splits.size - 2] if splits.size > 1 else begin
    for sample in range(splits.size - 1, 0, -1):
        splits[sample] = splits[sample - 1]
    splits[0] = begin
    rows[filled:stop] = PAD
    gains[filled:stop] = _PAD_GAIN


@njit(nogil=True, cache=True, error_model="numpy")
def _count_samples(samples, begin, splits):
    """Write where samples start; the last element is not used."""
    splits[:] = 0
    for position in range(samples.size):
        if samples[position] != PAD:
            splits[samples[position]] += 1
    total = begin
    for sample in range(splits.size):
        count = splits[sample]
        splits[sample] = total
        total += count


@njit(nogil=True, cache=True, error_model="numpy")
def _scatter(entries, start, last, first_row, splits, rows, gains):
    """Put the entries of a partition to their samples, and move the ends of these on."""
    ids, samples, factors = entries
    for position in range(start, last):
        sample = samples[position]
        place = splits[sample]
        splits[sample] = place + 1
        rows[place] = first_row + ids[position]
        gains[place] = factors[position]
