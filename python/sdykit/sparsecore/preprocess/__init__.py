"""Preprocessing: features to the static buffers that a SparseCore reads.

    stacks = stack(features, system)
    done = preprocess({"user": ids, "item": Ragged(values, row_splits)}, stacks, system)
    done.buffers["user_item"].embedding_ids

`docs/preprocessing.md` describes the buffers, `results` their arrays: row pointers, ids, samples
and gains. Read `batch` first, the order of the steps; then `plan` (the ids of a stack, ready to be
sorted), `target` (its buffers, and how the work is split into jobs) and `buckets` (minibatches).
`arguments` checks what the user passes, `table_limits` and `sample_limit` apply limits, and
`losses` and `gain_checks` make the errors; `reports` tells others of a batch.

The loops are C++, in `sdykit/sparsecore/native`: `lists.cc` makes words of ids, `sort.cc` sorts
them, `merge.cc` merges duplicates and drops ids over a limit, `pack.cc` and `minibatches.cc` fill
the buffers, and `index.cc` orders entries by sample; `count.cc` and `tables.cc` are for limits.
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
