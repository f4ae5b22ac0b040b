"""The named pipelines of the `sdy` passes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sdykit.core import Pipeline


@dataclass(frozen=True)
class ImportPipeline(Pipeline):
    """Prepare a module for sharding propagation.

    Runs on a module as a frontend lowers it, with whatever its users wrote, and leaves one
    in the form that propagation expects.
    """

    name = "sdy-import-pipeline"

    dedup_functions_fully: bool = False
    """Apply sharding constraints and import sharding groups too.

    Without it these two are left to a later pipeline: propagation runs on each call of a
    function apart then, and both must see the functions that it runs on.
    """

    def passes(self) -> Sequence[str]:
        # C++ has `sdy-save-module` before the data-flow edges. It writes the module to a
        # directory if it is given one, which the pipeline has no option for.
        passes = [
            # First what nobody calls: every pass after it has less to do.
            "symbol-dce",
            # Everything below compares and looks up meshes by name.
            "sdy-lift-inlined-meshes",
            # Looks for axes of size 1 in `sdy.mesh` ops only, so all meshes must have one.
            "sdy-remove-size-one-axes",
            # While each function still is the only one of its kind: the splitter clones
            # functions along with the calls, whose shardings then are the clones'.
            "sdy-propagate-sharding-from-func-to-call",
            # Before constraints are applied and edges made: both give a constant uses and
            # shardings that belong to one of its copies.
            "sdy-constant-or-scalar-splitter",
            # The splitter may have taken the last call of a function.
            "symbol-dce",
            # Replicated axes must be complete before shardings are copied from a manual
            # computation to its edges; after size-one axes went, which manual axes keep.
            "sdy-manual-axes-cleanup",
            # Last of what is always done: edges take over the shardings found so far.
            "sdy-add-data-flow-edges",
        ]
        if not self.dedup_functions_fully:
            return passes
        return [
            *passes,
            # After the edges: a constraint on a value with an edge must not be applied to
            # the value.
            "sdy-apply-sharding-constraints",
            # Reads nothing that the others write; its ids must be the final ones.
            "sdy-sharding-group-import",
        ]
