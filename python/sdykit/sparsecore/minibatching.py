"""Which buckets make a minibatch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore._kernels import BUCKETS, split_bits
from sdykit.sparsecore._preprocess.buckets import BucketCounts
from sdykit.sparsecore._preprocess.target import Target


def needed_splits(targets: Sequence[Target], counts: Sequence[BucketCounts]) -> int:
    """Give the splits that the lists of all targets need, a bit for each inner node.

    The nodes are those of the binary tree over the 64 buckets, the lowest level first and from
    left to right.
    """
    bits = 0
    for target, pair in zip(targets, counts, strict=True):
        for number, limit in zip(pair, target.limits, strict=True):
            bits |= int(split_bits(number, limit))
    return bits


def first_buckets(splits: int) -> npt.NDArray[np.int64]:
    """Give the first bucket of every minibatch, and 64.

    Between two neighbouring buckets is one inner node: the lowest that has one in its left half
    and one in its right.
    """
    firsts = [0]
    for bucket in range(1, BUCKETS):
        half = bucket & -bucket  # Buckets in one half of the node.
        level_start = BUCKETS - BUCKETS // half
        if splits >> (level_start + bucket // (2 * half)) & 1:
            firsts.append(bucket)
    return np.array([*firsts, BUCKETS], np.int64)
