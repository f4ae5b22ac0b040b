"""The named pipelines of the `sdy` passes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sdykit.core import Pipeline


@dataclass(frozen=True)
class ImportPipeline(Pipeline):
    """Prepare a module for sharding propagation.

    Takes a module as a frontend lowers it, with whatever its users wrote, to the form that
    propagation expects: each mesh by its name, no axes of size 1, no constant shared by
    uses that could be sharded apart, complete manual shardings, and an op that stands for
    each data-flow edge.
    """

    name = "sdy-import-pipeline"

    dedup_functions_fully: bool = False
    """Apply sharding constraints and import sharding groups too.

    Propagation is then to run over functions and their calls as they are. Otherwise every
    call is to become a `sdy.named_computation` with a body of its own first, and these two
    passes run after that, on what there is by then.
    """

    def passes(self) -> Sequence[str]:
        passes = [
            # First: nobody is to work on functions that nobody calls.
            "symbol-dce",
            # All others find the axes of a mesh by its name.
            "sdy-lift-inlined-meshes",
            # After the meshes: only sizes of `sdy.mesh` ops make this pass do something.
            "sdy-remove-size-one-axes",
            # Before calls are cloned along with constants, and before the shardings of a
            # call's results are copied to data-flow edges.
            "sdy-propagate-sharding-from-func-to-call",
            # Before edges and constraints: these give values shardings and users, while a
            # constant should have those of its one use.
            "sdy-constant-or-scalar-splitter",
            # The splitter clones functions, and may have erased the last call of one.
            "symbol-dce",
            # After axes of size 1 have gone, which may be manual: what is to be mentioned
            # is mentioned here. Before edges copy the shardings.
            "sdy-manual-axes-cleanup",
            # C++ saves the module here, to a directory that this pipeline cannot be given.
            "sdy-add-data-flow-edges",
        ]
        if not self.dedup_functions_fully:
            return passes
        return [
            *passes,
            # After the edges: where there is one, a constraint is not to be copied to its
            # input, but to take the input's place.
            "sdy-apply-sharding-constraints",
            # Last: no pass after it is to clone a group's member.
            "sdy-sharding-group-import",
        ]
