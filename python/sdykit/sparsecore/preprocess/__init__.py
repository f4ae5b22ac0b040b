"""Preprocessing: features to the static buffers that a SparseCore reads.

    stacks = stack(features, system)
    done = preprocess({"user": ids, "item": Ragged(values, row_splits)}, stacks, system)
    done.buffers["user_item"].embedding_ids

`docs/preprocessing.md` describes the buffers. Read `batch` first, the order of the steps; then
`plan` (the ids of a stack, ready to be sorted), `target` (its buffers, and how the work is split
into jobs) and `buckets` (minibatches). The loops are C++, in `sdykit/sparsecore/native`.
"""

from sdykit.sparsecore.preprocess.arguments import Agree, Layout, Minibatching
from sdykit.sparsecore.preprocess.batch import DEFAULT_CONFIG, preprocess
from sdykit.sparsecore.preprocess.results import (
    Preprocessed,
    SampleIndex,
    StackBuffers,
    StackStatistics,
)

__all__ = [
    "DEFAULT_CONFIG",
    "Agree",
    "Layout",
    "Minibatching",
    "Preprocessed",
    "SampleIndex",
    "StackBuffers",
    "StackStatistics",
    "preprocess",
]
