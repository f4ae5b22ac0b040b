"""Alignment: whole, in order, and as short as the textbook's quadratic algorithm."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from sdykit.viz.import_report.align import align

SEQUENCES = st.lists(st.integers(0, 3), max_size=30)


def equal_pairs(before: list[int], after: list[int]) -> int:
    """Check that every position occurs once, in order; return the number of equal pairs."""
    pairs = list(align(before, after))
    assert [i for i, _ in pairs if i is not None] == list(range(len(before)))
    assert [j for _, j in pairs if j is not None] == list(range(len(after)))
    equal = [(i, j) for i, j in pairs if i is not None and j is not None]
    assert all(before[i] == after[j] for i, j in equal)
    return len(equal)


def longest_common_subsequence(before: list[int], after: list[int]) -> int:
    lengths = [0] * (len(after) + 1)
    for x in before:
        previous = 0
        for j, y in enumerate(after):
            diagonal, previous = previous, lengths[j + 1]
            lengths[j + 1] = diagonal + 1 if x == y else max(lengths[j + 1], lengths[j])
    return lengths[-1]


@given(SEQUENCES, SEQUENCES)
def test_the_script_is_shortest(before: list[int], after: list[int]) -> None:
    assert equal_pairs(before, after) == longest_common_subsequence(before, after)


@given(st.lists(st.integers(0, 9), max_size=300), st.lists(st.integers(5, 14), max_size=300))
def test_long_scripts_cover_every_position(before: list[int], after: list[int]) -> None:
    equal_pairs(before, after)


def test_scattered_edits_in_a_long_sequence_keep_all_equal_elements() -> None:
    rng = random.Random(1)
    before = [rng.randrange(40) for _ in range(20_000)]
    after = list(before)
    for _ in range(3_000):
        after.insert(rng.randrange(len(after)), rng.randrange(40))
    assert equal_pairs(before, after) >= len(before) - 2


def test_sequences_without_equal_elements_are_replaced() -> None:
    assert equal_pairs([1] * 500, [2] * 700) == 0
