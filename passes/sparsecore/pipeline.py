"""The named pipelines of the sparsecore family."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sdykit.core import Pipeline


@dataclass(frozen=True)
class SpmemPipeline(Pipeline):
    """Fuse gather, de-duplication and reduction, and decide where all that tiles work on is.

    The all-to-all comes first: only then a gather is one loop. When rows are read where they are
    used, and not gathered, nothing is left for de-duplication to do. Of an update, gather and
    scatter go first: only then the loop that sums is next to the one that uses the sums; and what
    finds the rows joins the one loop that these become. What is quantized is what is read from the
    table, and that is known then. Staging comes before the layout: it takes away
    what does not fit, and the layout is of what is left.
    """

    name = "sparsecore-spmem-pipeline"

    def passes(self) -> Sequence[str]:
        return (
            "sparsecore-fuse-all-to-all",
            "sparsecore-fuse-gather-reduce",
            "sparsecore-fuse-deduplication",
            "sparsecore-fuse-gather-scatter",
            "sparsecore-fuse-reduce-apply",
            "sparsecore-fuse-deduplicate-reduce",
            "sparsecore-quantize",
            "canonicalize",
            "cse",
            "sparsecore-stage-in-hbm",
            "sparsecore-assign-spmem",
        )
