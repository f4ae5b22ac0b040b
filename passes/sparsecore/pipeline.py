"""The named pipelines of the sparsecore family."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sdykit.core import Pipeline


@dataclass(frozen=True)
class SpmemPipeline(Pipeline):
    """Fuse gather and reduction, and decide where everything that tiles work on is.

    The all-to-all comes first: only then a gather is one loop. What is quantized is what is read
    from the table, and that is known when rows are read where they are used. Staging comes before
    the layout: it takes away what does not fit, and the layout is of what is left.
    """

    name = "sparsecore-spmem-pipeline"

    def passes(self) -> Sequence[str]:
        return (
            "sparsecore-fuse-all-to-all",
            "sparsecore-fuse-gather-reduce",
            "sparsecore-quantize",
            "canonicalize",
            "cse",
            "sparsecore-stage-in-hbm",
            "sparsecore-assign-spmem",
        )
