"""A stable radix sort of words by their keys, least significant digit first."""

from __future__ import annotations

import numpy as np
from numba import njit

MAX_DIGIT_BITS = 11
"""2048 counters of 4 bytes stay in the first-level cache beside the words."""

_FEW = 1024
_FEW_DIGIT_BITS = 8

_KEY_SHIFT = np.uint64(32)
_KEY_MASK = np.uint64(0xFFFFFFFF00000000)
_ONE = np.uint64(1)


@njit(nogil=True, cache=True, error_model="numpy")
def sort_words(words, start, count, key_bits, by_position, counters, left, right):
    """Sort `words[start : start + count]` by their upper halves, keeping the order of equals.

    Args:
        words: uint64; not changed.
        key_bits: bits of a key, from 1 to 32.
        by_position: replace the lower half by the word's position in its list.
        counters: uint32 `[4, 2048]`, overwritten.
        left: uint64 `[count]` at least, overwritten.
        right: the same.

    Returns:
        `left` or `right`: the one that holds the sorted words.
    """
    width = MAX_DIGIT_BITS if count >= _FEW else _FEW_DIGIT_BITS
    passes = (key_bits + width - 1) // width
    width = (key_bits + passes - 1) // passes
    mask = (_ONE << np.uint64(width)) - _ONE
    source = words[start : start + count]
    _count(source, passes, width, mask, counters)
    shift = _KEY_SHIFT
    _scatter_first(source, shift, mask, by_position, counters[0], left)
    for number in range(1, passes):
        shift += np.uint64(width)
        _scatter(left[:count], shift, mask, counters[number], right)
        left, right = right, left
    return left


@njit(nogil=True, cache=True, error_model="numpy")
def _count(source, passes, width, mask, counters):
    """Leave in `counters[p, d]` where the first word with digit `d` goes in pass `p`."""
    size = 1 << width
    counters[:passes, :size] = 0
    first, second, third = counters[0], counters[1], counters[2]
    shift = np.uint64(width)
    for position in range(source.size):
        key = source[position] >> _KEY_SHIFT
        first[key & mask] += np.uint32(1)
        if passes > 1:
            key >>= shift
            second[key & mask] += np.uint32(1)
        if passes > 2:
            key >>= shift
            third[key & mask] += np.uint32(1)
        if passes > 3:
            counters[3, (key >> shift) & mask] += np.uint32(1)
    for number in range(passes):
        total = np.uint32(0)
        for digit in range(size):
            here = counters[number, digit]
            counters[number, digit] = total
            total += here


@njit(nogil=True, cache=True, error_model="numpy")
def _scatter(source, shift, mask, digits, target):
    """Put words where the counters of their digits say."""
    for position in range(source.size):
        word = source[position]
        digit = (word >> shift) & mask
        place = digits[digit]
        target[place] = word
        digits[digit] = place + np.uint32(1)


@njit(nogil=True, cache=True, error_model="numpy")
def _scatter_first(source, shift, mask, by_position, digits, target):
    """The same, with positions for the lower halves if asked for."""
    if not by_position:
        _scatter(source, shift, mask, digits, target)
        return
    for position in range(source.size):
        word = source[position]
        digit = (word >> shift) & mask
        place = digits[digit]
        target[place] = (word & _KEY_MASK) | np.uint64(position)
        digits[digit] = place + np.uint32(1)
