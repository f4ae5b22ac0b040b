"""The named pipelines of the sparsecore family."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sdykit.core import Pipeline


@dataclass(frozen=True)
class SpmemPipeline(Pipeline):
    """Quantize what is read, and decide where everything that tiles work on is.

    Staging comes before the layout: it takes away what does not fit, and the layout is of what
    is left.
    """

    name = "sparsecore-spmem-pipeline"

    def passes(self) -> Sequence[str]:
        return (
            "sparsecore-quantize",
            "canonicalize",
            "cse",
            "sparsecore-stage-in-hbm",
            "sparsecore-assign-spmem",
        )
