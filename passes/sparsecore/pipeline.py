"""The named pipelines of the sparsecore family."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sdykit.core import Pipeline


@dataclass(frozen=True)
class SpmemPipeline(Pipeline):
    """Fuse gather, de-duplication and reduction, and lay out what tiles hold in SPMEM.

    The fusion of the all-to-all is first: only after it, a gather is one loop. When rows are read
    where they are used, and not gathered, de-duplication has nothing left to do. In an update,
    gather and scatter are fused first: only then is the loop that sums next to the loop that uses
    the sums, and the loop that finds rows is fused with the resulting one. Quantization is after
    the fusions, which decide what is read from the table. Staging is before the layout: it removes
    what does not fit.
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
