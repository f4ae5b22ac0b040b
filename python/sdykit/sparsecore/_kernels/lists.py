"""Features to lists: each id becomes a word of key and row, in the list of its SparseCore.

A word is 64 bits wide: the key (target partition above the id's row in it) in the upper half,
the sample's row in the lower. Words of a list are in the order of its samples.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

SUM, MEAN, SQRTN = 0, 1, 2

GOOD, BAD_ID, DOUBTFUL = 0, 1, 2

_KEY_SHIFT = np.uint64(32)
_INFINITY = np.float32(np.inf)
_LARGE = np.float32(2.0**96)
"""Far from the largest float32, 2^128, and from what adding up to 2^31 gains may lose."""


@njit(nogil=True, cache=True, error_model="numpy")
def append_plain(
    ids, splits, valency, rows_per_core, cores, first_row, mapping, bound, cursors, words
):
    """Append a feature without weights to the lists of some SparseCores.

    Args:
        ids: int32 or int64 `[n]`, sample after sample.
        splits: int64 `[samples + 1]`, where the samples start; not read if `valency >= 0`.
        valency: ids of every sample, or -1.
        rows_per_core: samples of the feature on one SparseCore.
        cores: the SparseCores `[first, last)`, counted over the batch.
        first_row: row of the feature's first sample on a SparseCore.
        mapping: `(mask, shift, log2 of partitions, first row in a partition, bits of a row in it)`.
        bound: ids are below it.
        cursors: int64 `[last - first]`, the ends of the lists; moved on.
        words: uint64, the lists.

    Returns:
        `GOOD` or `BAD_ID`; after that the lists hold rubbish, but nothing outside was written.
    """
    outside = False
    for core in range(cores[0], cores[1]):
        cursor = cursors[core - cores[0]]
        sample = core * rows_per_core
        if valency == 1:
            outside |= _append_rows(
                ids[sample : sample + rows_per_core], first_row, mapping, bound, words[cursor:]
            )
            cursor += rows_per_core
        else:
            for row in range(rows_per_core):
                if valency < 0:
                    start, stop = splits[sample + row], splits[sample + row + 1]
                else:
                    start, stop = (sample + row) * valency, (sample + row + 1) * valency
                outside |= _append_row(
                    ids[start:stop], first_row + row, mapping, bound, words[cursor:]
                )
                cursor += stop - start
        cursors[core - cores[0]] = cursor
    return BAD_ID if outside else GOOD


@njit(nogil=True, cache=True, error_model="numpy")
def _word(number, row, mapping):
    mask, shift, log_n, base, bits = mapping
    key = (((number + shift) & mask) << bits) | ((number >> log_n) + base)
    return (np.uint64(key) << _KEY_SHIFT) | np.uint64(row)


@njit(nogil=True, cache=True, error_model="numpy")
def _append_rows(ids, first_row, mapping, bound, words):
    """Append samples of one id each; say whether one is outside."""
    outside = False
    for position in range(ids.size):
        number = np.int64(ids[position])
        outside |= (number < 0) | (number >= bound)
        words[position] = _word(number, first_row + position, mapping)
    return outside


@njit(nogil=True, cache=True, error_model="numpy")
def _append_row(ids, row, mapping, bound, words):
    """Append one sample; say whether an id is outside."""
    outside = False
    for position in range(ids.size):
        number = np.int64(ids[position])
        outside |= (number < 0) | (number >= bound)
        words[position] = _word(number, row, mapping)
    return outside


def _generate_fused(typing_context, left, right, addend):
    del typing_context, left, right, addend

    def generate(context, builder, signature, arguments):
        del context, signature
        return builder.fma(*arguments)

    return types.float32(types.float32, types.float32, types.float32), generate


_fused: Any = intrinsic(_generate_fused)
"""Multiply and add float32 with one rounding."""


@njit(nogil=True, cache=True, error_model="numpy")
def append_gains(ids, splits, valency, rows_per_core, cores, weights, combiner, cursors, gains):
    """Append the gains that go with the ids that `append_plain` appends.

    `weights` is float32 `[n]`, or empty: every weight is 1. Sums are in float32, in the order of
    the ids, squares are added without rounding them first, and a gain is one division: as
    jax-tpu-embedding does it.

    Returns:
        `GOOD`, or `DOUBTFUL`, which asks for a closer look: without it, all weights are finite,
        no divisor is 0 or infinite, and the gains of duplicates have finite sums. The gains are
        complete in either case.
    """
    weighted = weights.size > 0
    nothing = np.float32(0.0)
    one = np.float32(1.0)
    doubtful = False
    for core in range(cores[0], cores[1]):
        cursor = cursors[core - cores[0]]
        for sample in range(core * rows_per_core, (core + 1) * rows_per_core):
            if valency < 0:
                start, stop = splits[sample], splits[sample + 1]
            else:
                start, stop = sample * valency, (sample + 1) * valency
            divisor = size = nothing
            for position in range(start, stop):
                weight = weights[position] if weighted else one
                size += abs(weight)
                divisor = _fused(weight, weight, divisor) if combiner == SQRTN else divisor + weight
                gains[cursor + position - start] = weight
            bound = _INFINITY
            if combiner != SUM and stop > start:
                if combiner == SQRTN:
                    divisor = np.sqrt(divisor)
                bound = abs(divisor) * _LARGE if abs(divisor) < _INFINITY else nothing
                for position in range(cursor, cursor + stop - start):
                    gains[position] /= divisor
            doubtful |= not size < bound  # Said so that a NaN is doubtful, too.
            cursor += stop - start
        cursors[core - cores[0]] = cursor
    return DOUBTFUL if doubtful else GOOD
