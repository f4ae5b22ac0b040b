"""What a chip's program counts for a batch, computed without running it.

    statistics = statistics_of(spec, entries)
    counters = count(spec, statistics)
    counters.by("gather: DMAs", "core", "partition")

Counts follow from the chip reading of a program and a few figures of the batch: how many ids each
SparseCore sends to each partition in each minibatch, and how many of them are distinct. `batches` and
`raw_ids` compute these figures, `program` the count, and `values` evaluates the numbers in a program, for
`several` runs at once. `runs` counts runs from what each recorded, which `records` reads; `inputs` makes figures of the
inputs of a program.
"""

from sdykit.sparsecore.counts.batches import statistics_of
from sdykit.sparsecore.counts.program import count
from sdykit.sparsecore.counts.raw_ids import statistics_of_ids
from sdykit.sparsecore.counts.statistics import Statistics

__all__ = ["Statistics", "count", "statistics_of", "statistics_of_ids"]
