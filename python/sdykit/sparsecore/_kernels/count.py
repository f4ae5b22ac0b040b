"""Counting what lists hold, without packing them: ids and unique ids by table and partition."""

from __future__ import annotations

import numpy as np
from numba import njit

from sdykit.sparsecore._kernels.pack import partition_end
from sdykit.sparsecore._kernels.sort import sort_words

_KEY_SHIFT = np.uint64(32)
_ROW_MASK = np.uint64(0xFFFFFFFF)


@njit(nogil=True, cache=True, error_model="numpy")
def count_cores(starts, words, shape, scratch, first_rows, counts, most):
    """Count the lists of some SparseCores.

    Args:
        starts: int64 `[SparseCores + 1]`, where the lists start.
        words: uint64, the lists, as `append_plain` writes them.
        shape: `(partitions, bits of a key, bits of a row in a partition)`.
        scratch: `(counters, left, right)` of `sort_words`, and int32 zeros, one for each of a
            SparseCore's samples; they are left zeros.
        first_rows: int64 `[tables + 1]`: where the tables begin in a partition, and their end.
        counts: `(ids, unique ids)`, int32 `[SparseCores, tables, partitions]`. An id counts once
            a sample.
        most: int32 `[tables]`, raised to the most ids that one sample has in one partition.
    """
    partitions, key_bits, bits = shape
    counters, left, right, of_sample = scratch
    for core in range(starts.size - 1):
        start = starts[core]
        count = starts[core + 1] - start
        items = sort_words(words, start, count, key_bits, False, counters, left, right)
        item = 0
        for partition in range(partitions):
            stop = count
            if partition + 1 < partitions:
                bound = np.uint64(partition + 1) << np.uint64(32 + bits)
                stop = partition_end(items, item, count, bound)
            ids, uniques = counts[0][core, :, partition], counts[1][core, :, partition]
            _count_run(items, item, stop, bits, first_rows, ids, uniques, of_sample, most)
            item = stop


@njit(nogil=True, cache=True, error_model="numpy")
def _count_run(items, item, stop, bits, first_rows, ids, uniques, of_sample, most):
    """Count sorted items of one partition; tables follow each other, as their rows do."""
    mask = (np.uint64(1) << np.uint64(bits)) - np.uint64(1)
    ids[:] = 0
    uniques[:] = 0
    table = 0
    last = ~items[item] if stop > item else np.uint64(0)
    for number in range(item, stop):
        word = items[number]
        if word == last:
            continue
        key, sample = word >> _KEY_SHIFT, word & _ROW_MASK
        while np.int64(key & mask) >= first_rows[table + 1]:
            table += 1
        ids[table] += 1
        uniques[table] += key != (last >> _KEY_SHIFT)
        of_sample[sample] += 1
        most[table] = max(most[table], of_sample[sample])
        last = word
    for number in range(item, stop):
        of_sample[items[number] & _ROW_MASK] = 0
