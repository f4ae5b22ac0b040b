"""Lists to static buffers in one pass: sort, pack, pad."""

from __future__ import annotations

import numpy as np
from numba import njit

from sdykit.sparsecore._kernels.merge import pack_run
from sdykit.sparsecore._kernels.sort import sort_words

ALIGNMENT = 8
"""A partition's entries start at a multiple of it (jax-tpu-embedding's format)."""

PAD = np.int32(2**31 - 1)

_PAD_GAIN = np.float32(np.nan)


@njit(nogil=True, cache=True, error_model="numpy")
def pack_cores(cores, lists, shape, scratch, buffers, pointers, counts, limits, absolute, defined):
    """Sort the lists of some SparseCores and pack them, without minibatches.

    Args:
        cores: the SparseCores `[first, last)`, counted over the batch; whole devices if
            `absolute`.
        lists: `(starts, words, gains, gain)`: int64 `[last - first + 1]`, where the lists start
            in `words`; uint64; float32 beside the words, or empty if every gain is `gain`.
        shape: `(partitions, bits of a key, bits of a row in a partition, SparseCores of a device)`.
        scratch: `(counters, left, right)` of `sort_words`.
        buffers: `(ids, samples, gains)`, each `[devices, entries]`.
        pointers: int32 `[devices, SparseCores * max(partitions, 8)]`, or longer if `absolute`.
        counts: `(ids, unique ids)`, int32 `[SparseCores, partitions]`, before dropping.
        limits: `(ids, unique ids)` of a partition; what passes them is left out.
        absolute: pack the SparseCores of a device one behind the other, as with minibatches;
            otherwise each has its share of the buffers, and positions count from there.
        defined: fill what is left of the buffers with pads.

    Returns:
        The numbers of ids left out, duplicates included, for limits and for want of room.
    """
    starts, words, gains, _ = lists
    partitions, key_bits, bits, cores_of_device = shape
    counters, left, right = scratch
    width = max(partitions, ALIGNMENT)
    room = buffers[0].shape[1]
    dropped = short = position = 0
    for core in range(cores[0], cores[1]):
        start = starts[core - cores[0]]
        count = starts[core - cores[0] + 1] - start
        items = sort_words(words, start, count, key_bits, gains.size > 0, counters, left, right)
        device, local = core // cores_of_device, core % cores_of_device
        out = (buffers[0][device], buffers[1][device], buffers[2][device])
        origin, end = 0, room
        if not absolute:
            origin, end = local * (room // cores_of_device), (local + 1) * (room // cores_of_device)
        if not absolute or local == 0:
            position = origin
        item = 0
        for partition in range(partitions):
            bound = np.uint64(partition + 1) << np.uint64(32 + bits)
            stop = partition_end(items, item, count, bound)
            position, ids, uniques, lost, missing = pack_run(
                items, item, stop, start, lists, bits, out, position, end, limits
            )
            item = stop
            dropped += lost
            short += missing
            counts[0][core, partition] = ids
            counts[1][core, partition] = uniques
            pointers[device, local * width + partition] = position - origin
            position = pad(out, position, end)
        pointers[device, local * width + partitions : (local + 1) * width] = position - origin
        if defined and (not absolute or local + 1 == cores_of_device):
            if absolute:
                pointers[device, (local + 1) * width :] = position
            fill(out, position, end)
    return dropped, short


@njit(nogil=True, cache=True, error_model="numpy")
def partition_end(items, start, stop, bound):
    """Find the first of the sorted `items[start:stop]` that is not below `bound`."""
    while start < stop:
        middle = (start + stop) >> 1
        if items[middle] < bound:
            start = middle + 1
        else:
            stop = middle
    return start


@njit(nogil=True, cache=True, error_model="numpy")
def pad(out, position, end):
    """Fill up to the next multiple of `ALIGNMENT`; give the position there."""
    ids, samples, gains = out
    while position % ALIGNMENT:
        if position < end:
            ids[position] = PAD
            samples[position] = PAD
            gains[position] = _PAD_GAIN
        position += 1
    return position


@njit(nogil=True, cache=True, error_model="numpy")
def fill(out, position, end):
    """Fill `[position, end)` with pads."""
    ids, samples, gains = out
    if position < end:
        ids[position:end] = PAD
        samples[position:end] = PAD
        gains[position:end] = _PAD_GAIN
