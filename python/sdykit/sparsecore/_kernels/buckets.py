"""Lists split into buckets, and buckets packed as minibatches."""

from __future__ import annotations

import numpy as np
from numba import njit

from sdykit.sparsecore._kernels.hash import BUCKETS, bucket_of
from sdykit.sparsecore._kernels.merge import pack_run
from sdykit.sparsecore._kernels.pack import ALIGNMENT, fill, pad
from sdykit.sparsecore._kernels.sort import sort_words

_KEY_SHIFT = np.uint64(32)
_ROW_MASK = np.uint64(0xFFFFFFFF)
_UNLIMITED = (2**31 - 1, 2**31 - 1)


@njit(nogil=True, cache=True, error_model="numpy")
def group_cores(cores, lists, shape, scratch, rows, items, runs, counts):
    """Sort the lists of some SparseCores by partition, then bucket, local id and sample.

    Args:
        cores: the SparseCores `[first, last)`, counted over the batch.
        lists: as for `pack_cores`.
        shape: `(partitions, bits of a key, bits of a row in a partition)`.
        scratch: `(counters, left, right)` of `sort_words`, and uint32 as long as `left`.
        rows: of one SparseCore, if they are split into buckets; 0 if the vocabulary is.
        items: uint64 beside the words; the sorted lists, as `sort_words` gives them.
        runs: int64 `[last - first, partitions * 64 + 1]`, where (partition, bucket) starts in its
            list.
        counts: `(ids, unique ids)`, int32 `[SparseCores, partitions, 64]`.
    """
    starts, words, gains, _ = lists
    partitions, key_bits, bits = shape
    counters, left, right, marks = scratch
    weighted = gains.size > 0
    log_n = key_bits - bits
    local = (np.uint64(1) << np.uint64(bits)) - np.uint64(1)
    for core in range(cores[0], cores[1]):
        start = starts[core - cores[0]]
        count = starts[core - cores[0] + 1] - start
        ordered = sort_words(words, start, count, key_bits, weighted, counters, left, right)
        ends = runs[core - cores[0]]
        ends[:] = 0
        last_key = last_row = np.uint64(0xFFFFFFFFFFFFFFFF)
        bucket = np.int64(0)
        counts[0][core] = 0
        counts[1][core] = 0
        for number in range(count):
            item = ordered[number]
            place = start + np.int64(item & _ROW_MASK)
            row = words[place] & _ROW_MASK if weighted else item & _ROW_MASK
            key = item >> _KEY_SHIFT
            partition = np.int64(key >> np.uint64(bits))
            if rows > 0:
                before = bucket
                bucket = np.int64(row) * BUCKETS // rows
                new_key = key != last_key or bucket != before
            else:
                new_key = key != last_key
                if new_key:
                    column = ((key & local) << np.uint64(log_n)) | np.uint64(partition)
                    bucket = np.int64(bucket_of(column))
            counts[1][core, partition, bucket] += np.int32(new_key)
            counts[0][core, partition, bucket] += np.int32(new_key or row != last_row)
            ends[partition * BUCKETS + bucket + 1] += 1
            marks[number] = np.uint32(partition * BUCKETS + bucket)
            last_key, last_row = key, row
        for run in range(1, BUCKETS * partitions + 1):
            ends[run] += ends[run - 1]
        for number in range(count):
            run = marks[number]
            items[start + ends[run]] = ordered[number]
            ends[run] += 1
        for run in range(BUCKETS * partitions, 0, -1):
            ends[run] = ends[run - 1]
        ends[0] = 0


@njit(nogil=True, cache=True, error_model="numpy")
def pack_minibatches(
    cores, lists, shape, groups, firsts, buffers, pointers, counts, limits, defined
):
    """Pack buckets, one or several a minibatch.

    Args:
        cores: the SparseCores `[first, last)` of whole devices, counted over the batch.
        lists: as for `group_cores`.
        shape: `(partitions, bits of a row in a partition, SparseCores of a device)`.
        groups: `(items, runs)` of `group_cores`.
        firsts: int64 `[minibatches + 1]`, the first bucket of each; 64 in the end.
        buffers: `(ids, samples, gains)`, each `[devices, entries]`.
        pointers: int32 `[devices, 64 * SparseCores * max(partitions, 8)]`.
        counts: of `group_cores`.
        limits: `(ids, unique ids)` of a partition's bucket; what passes them is left out.
        defined: fill what is left of the buffers with pads.

    Returns:
        The numbers of ids left out, duplicates included, for limits and for want of room.
    """
    starts = lists[0]
    items, runs = groups
    partitions, bits, cores_of_device = shape
    width = max(partitions, ALIGNMENT)
    end = buffers[0].shape[1]
    dropped = short = position = segment = 0
    for core in range(cores[0], cores[1]):
        device = core // cores_of_device
        start = starts[core - cores[0]]
        ends = runs[core - cores[0]]
        out = (buffers[0][device], buffers[1][device], buffers[2][device])
        if core % cores_of_device == 0:
            position = segment = 0
        for minibatch in range(firsts.size - 1):
            for partition in range(partitions):
                bucket, last = firsts[minibatch], firsts[minibatch + 1]
                while bucket < last:
                    # Buckets lie side by side: those within the limits are packed at once.
                    after = bucket + 1
                    if _within(counts, limits, core, partition, bucket):
                        while after < last and _within(counts, limits, core, partition, after):
                            after += 1
                        most = _UNLIMITED
                    else:
                        most = limits
                    run = partition * BUCKETS
                    item, stop = start + ends[run + bucket], start + ends[run + after]
                    position, _, _, lost, missing = pack_run(
                        items, item, stop, start, lists, bits, out, position, end, most
                    )
                    dropped += lost
                    short += missing
                    bucket = after
                pointers[device, segment * width + partition] = position
                position = pad(out, position, end)
            pointers[device, segment * width + partitions : (segment + 1) * width] = position
            segment += 1
        if defined and (core + 1) % cores_of_device == 0:
            pointers[device, segment * width :] = position
            fill(out, position, end)
    return dropped, short


@njit(nogil=True, cache=True, error_model="numpy")
def _within(counts, limits, core, partition, bucket):
    ids, uniques = counts[0][core, partition, bucket], counts[1][core, partition, bucket]
    return ids <= limits[0] and uniques <= limits[1]


@njit(nogil=True, cache=True, error_model="numpy")
def split_bits(counts, limit):
    """Decide where the 64 buckets must part, for all lists and partitions.

    A bit for each inner node of the tree over the buckets, the lowest level first: set if the two
    halves below it do not fit into one minibatch for some list and partition.

    Args:
        counts: int32 `[SparseCores, partitions, 64]`.
        limit: of a partition in a minibatch.
    """
    bits = np.uint64(0)
    for core in range(counts.shape[0]):
        for partition in range(counts.shape[1]):
            sizes = counts[core, partition].astype(np.int64)
            bit = np.uint64(1)
            subtree = 2
            while subtree <= BUCKETS:
                for left in range(0, BUCKETS, subtree):
                    right = left + subtree // 2
                    if sizes[left] + sizes[right] > limit:
                        bits |= bit
                        sizes[left] = max(sizes[left], sizes[right])
                    else:
                        sizes[left] += sizes[right]
                    bit <<= np.uint64(1)
                subtree *= 2
    return bits
