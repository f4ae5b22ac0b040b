"""Preprocessing: features to the static buffers that a SparseCore reads.

    stacks = stack(features, system)
    done = preprocess({"user": ids, "item": Ragged(values, row_splits)}, stacks, system)
    done.buffers["user_item"].embedding_ids

`docs/preprocessing.md` describes the buffers, `results` their arrays: row pointers, ids, samples
and gains. Read `batch` first, the order of the steps; then `plan` (the ids of a stack, ready to be
sorted), `target` (its buffers, and how the work is split into jobs) and `buckets` (minibatches).
`arguments` checks what the user passes, `table_limits` and `sample_limit` apply limits, and
`losses` and `gain_checks` make the errors; `reports` tells others of a batch.

The loops are C++, in `sdykit/sparsecore/native`; one call does all stacks of a batch. `pool.cc`
shares its parts among threads, `pack.cc` does the SparseCores of a part one after another:
`feature.cc` and `words.cc` make words of ids, `tables.cc` applies limits of tables, `sort.cc` sorts
words, `merge.cc` merges duplicates and drops ids over a limit, and `index.cc` orders entries by
sample. `minibatches.cc` fills the buffers bucket by bucket, and `count.cc` counts for limits.
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
