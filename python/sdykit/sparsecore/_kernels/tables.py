"""The limits on what a SparseCore takes from a logical table, over all its partitions."""

from __future__ import annotations

import numpy as np
from numba import njit

from sdykit.sparsecore._kernels.sort import sort_words

_KEY_SHIFT = np.uint64(32)
_ROW_MASK = np.uint64(0xFFFFFFFF)


@njit(nogil=True, cache=True, error_model="numpy")
def limit_tables(cores, lists, shape, scratch, limits, kept, observed):
    """Leave out of lists what passes the limits of its table.

    Ids are taken in the order of the buffers. One that is left out counts towards both limits,
    and its duplicates in the sample are left out with it.

    Args:
        cores: the SparseCores `[first, last)`, counted over the batch.
        lists: as for `pack_cores`.
        shape: `(bits of a key, bits of a row in a partition)`.
        scratch: `(counters, left, right)` of `sort_words`.
        limits: `(ends, ids, unique ids)`, int64 `[tables]`: the row behind a table's last one in
            a partition, and its limits.
        kept: `(starts, words, gains)`, shaped as those of `lists`: what is left, sorted.
        observed: int64 `[SparseCores, tables, 2]`: ids and unique ids before dropping.

    Returns:
        The number of ids left out, duplicates included.
    """
    starts, words, gains, _ = lists
    key_bits, bits = shape
    counters, left, right = scratch
    ends, most_ids, most_uniques = limits
    kept_starts, kept_words, kept_gains = kept
    mask = (np.int64(1) << bits) - 1
    position = 0
    kept_starts[0] = 0
    for core in range(cores[0], cores[1]):
        start = starts[core - cores[0]]
        count = starts[core - cores[0] + 1] - start
        items = sort_words(words, start, count, key_bits, True, counters, left, right)
        seen = observed[core]
        seen[:] = 0
        last = np.uint64(0)
        fits = False
        for number in range(count):
            place = start + np.int64(items[number] & _ROW_MASK)
            word = words[place]
            if number == 0 or word != last:
                row = np.int64(word >> _KEY_SHIFT) & mask
                # Unchecked ids may lie behind the last table.
                table = min(np.searchsorted(ends, row, side="right"), ends.size - 1)
                seen[table, 0] += 1
                if number == 0 or (word >> _KEY_SHIFT) != (last >> _KEY_SHIFT):
                    seen[table, 1] += 1
                fits = seen[table, 0] <= most_ids[table] and seen[table, 1] <= most_uniques[table]
                last = word
            if fits:
                kept_words[position] = word
                if gains.size > 0:
                    kept_gains[position] = gains[place]
                position += 1
        kept_starts[core - cores[0] + 1] = position
    return starts[cores[1] - cores[0]] - position
