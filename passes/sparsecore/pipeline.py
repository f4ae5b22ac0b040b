"""The named pipelines of the sparsecore family: the two readings of a tile program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sdykit.core import Pipeline

_VERIFY = "sparsecore-verify-steps"
_KEEP_PHASES = "(anonymous namespace)::ParallelOpSingleOrZeroIterationDimsFolder"
"""The pattern that removes an `scf.parallel` of one iteration, by the name that it has in C++: on a
chip with one SparseCore, that is a phase."""


@dataclass(frozen=True)
class ChipPipeline(Pipeline):
    """Lay out a tile program as the chip runs it: step by step, with nothing fused.

    What tiles hold follows from the limits. Staging is before the layout: it removes what does not
    fit in SPMEM. There is no `canonicalize`, which removes loops of one iteration: the steps of a
    chip with one tile, and the phase of one with one SparseCore.
    """

    name = "sparsecore-chip-pipeline"

    def passes(self) -> Sequence[str]:
        return (
            _VERIFY,
            "sparsecore-quantize",
            "cse",
            "sparsecore-stage-in-hbm",
            "sparsecore-assign-spmem",
        )


@dataclass(frozen=True)
class CpuPipeline(Pipeline):
    """Fuse gather, de-duplication and reduction, as is fastest on a CPU.

    A lookup is fused first: only when its sums read the table, they can be moved to the index of its
    entries. The entries of an update are sorted first. Its steps with a row are joined when it is changed
    in the table: what is left shares only what is stored and loaded row by row. Quantization is after
    the fusions, which decide what is read from the table. There is no layout: a CPU has no SPMEM. What
    the chip holds there follows from the program before the fusions.
    """

    name = "sparsecore-cpu-pipeline"

    def passes(self) -> Sequence[str]:
        return (
            _VERIFY,
            "sparsecore-fuse-lookup",
            "sparsecore-index-entries",
            "sparsecore-radix-sort",
            "sparsecore-update-in-place",
            "sparsecore-join-row-steps",
            "sparsecore-quantize",
            f"canonicalize{{disable-patterns='{_KEEP_PHASES}'}}",
            "cse",
        )


@dataclass(frozen=True)
class SpmemPipeline(Pipeline):
    """Run `-sparsecore-cpu-pipeline`, by its former name."""

    name = "sparsecore-spmem-pipeline"

    def passes(self) -> Sequence[str]:
        return ("sparsecore-cpu-pipeline",)
