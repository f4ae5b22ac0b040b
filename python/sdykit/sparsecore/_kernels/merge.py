"""Sorted words to entries: merge duplicates, count, leave out what passes a limit."""

from __future__ import annotations

import numpy as np
from numba import njit

_KEY_SHIFT = np.uint64(32)
_ROW_MASK = np.uint64(0xFFFFFFFF)
_ONE = np.uint64(1)
_BEFORE_FIRST = np.uint64(0xFFFFFFFFFFFFFFFF)


@njit(nogil=True, cache=True, error_model="numpy")
def pack_run(items, item, stop, start, lists, bits, out, position, end, limits):
    """Pack sorted items of one partition: fast if all fit, and with a second look if not.

    Returns:
        The position behind them, the numbers of merged ids and of unique ids before dropping,
        and the numbers of ids left out for limits and for want of room.
    """
    if position + stop - item <= end:
        ids, uniques = _merge(items[item:stop], start, lists, bits, out, position)
        if ids <= limits[0] and uniques <= limits[1]:
            return position + ids, ids, uniques, 0, 0
    return _merge_within(items, item, stop, start, lists, bits, out, position, end, limits)


@njit(nogil=True, cache=True, error_model="numpy")
def _merge(run, start, lists, bits, out, position):
    """Merge words of equal key and row; give the numbers of words and of keys left."""
    _, words, gains, gain = lists
    ids, samples, sums = out
    if gains.size > 0:
        list_words, list_gains = words[start:], gains[start:]
        return _merge_weighted(
            run, list_words, list_gains, bits, ids[position:], samples[position:], sums[position:]
        )
    equal, uniques = _compare(run)
    if equal > 0:
        uniques = _merge_plain(run, gain, bits, ids[position:], samples[position:], sums[position:])
    else:
        _copy_plain(run, gain, bits, ids[position:], samples[position:], sums[position:])
    return run.size - equal, uniques


@njit(nogil=True, cache=True, error_model="numpy")
def _compare(run):
    """Count the words equal to the one before them, and the different keys."""
    equal = 0
    uniques = 0 if run.size == 0 else 1
    for number in range(1, run.size):
        difference = run[number] ^ run[number - 1]
        equal += difference == 0
        uniques += (difference >> _KEY_SHIFT) != 0
    return equal, uniques


@njit(nogil=True, cache=True, error_model="numpy")
def _copy_plain(run, gain, bits, ids, samples, sums):
    """Write words that are all different. Apart from merging, since it works on vectors."""
    mask = (np.int64(1) << bits) - 1
    for number in range(run.size):
        word = run[number]
        ids[number] = np.int32(np.int64(word >> _KEY_SHIFT) & mask)
        samples[number] = np.int32(word)
        sums[number] = gain


@njit(nogil=True, cache=True, error_model="numpy")
def _merge_plain(run, gain, bits, ids, samples, sums):
    """Write words of one gain, equal ones once; unsigned positions spare a check for -1."""
    mask = (np.int64(1) << bits) - 1
    uniques = 0
    position = _BEFORE_FIRST
    total = gain
    last = ~run[0]
    for number in range(run.size):
        word = run[number]
        same = word == last
        uniques += (word >> _KEY_SHIFT) != (last >> _KEY_SHIFT)
        position += np.uint64(not same)
        total = total + gain if same else gain
        ids[position] = np.int32(np.int64(word >> _KEY_SHIFT) & mask)
        samples[position] = np.int32(word)
        sums[position] = total
        last = word
    return uniques


@njit(nogil=True, cache=True, error_model="numpy")
def _merge_weighted(run, words, gains, bits, ids, samples, sums):
    """Write words whose gains differ; the lower halves of the run are positions in the list."""
    mask = (np.int64(1) << bits) - 1
    uniques = 0
    position = _BEFORE_FIRST
    total = np.float32(0.0)
    last = np.uint64(0) if run.size == 0 else ~words[run[0] & _ROW_MASK]
    for number in range(run.size):
        place = run[number] & _ROW_MASK
        word = words[place]
        gain = gains[place]
        same = word == last
        uniques += (word >> _KEY_SHIFT) != (last >> _KEY_SHIFT)
        position += np.uint64(not same)
        total = total + gain if same else gain
        ids[position] = np.int32(np.int64(word >> _KEY_SHIFT) & mask)
        samples[position] = np.int32(word)
        sums[position] = total
        last = word
    return np.int64(position + _ONE), uniques


@njit(nogil=True, cache=True, error_model="numpy")
def _merge_within(items, item, stop, start, lists, bits, out, position, end, limits):
    """Merge as the others do, leaving out what passes a limit or the room.

    An entry left out counts towards both limits, and its duplicates are left out with it.
    """
    _, words, gains, gain = lists
    ids, samples, sums = out
    weighted = gains.size > 0
    mask = (np.uint64(1) << np.uint64(bits)) - np.uint64(1)
    entries = uniques = dropped = short = 0
    fits = kept = False
    last = np.uint64(0)
    for number in range(item, stop):
        place = np.uint64(start) + (items[number] & _ROW_MASK)
        word = words[place] if weighted else items[number]
        value = gains[place] if weighted else gain
        if number == item or word != last:
            entries += 1
            uniques += number == item or (word >> _KEY_SHIFT) != (last >> _KEY_SHIFT)
            last = word
            fits = entries <= limits[0] and uniques <= limits[1]
            kept = fits and position < end
            if kept:
                ids[position] = np.int32((word >> _KEY_SHIFT) & mask)
                samples[position] = np.int32(word & _ROW_MASK)
                sums[position] = value
                position += 1
        elif kept:
            sums[position - 1] += value
        dropped += not fits
        short += fits and not kept
    return position, entries, uniques, dropped, short
