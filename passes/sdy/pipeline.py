"""The named pipelines of the `sdy` passes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sdykit.core import Pipeline


@dataclass(frozen=True)
class ImportPipeline(Pipeline):
    """Prepare a module for sharding propagation.

    The input is a module as a frontend lowers it. Afterwards it has the form that propagation
    expects: each mesh is referred to by name, there are no axes of size 1, no constant is shared by
    uses that could be sharded differently, manual shardings are complete, and an op stands for each
    data-flow edge.
    """

    name = "sdy-import-pipeline"

    dedup_functions_fully: bool = False
    """Apply sharding constraints and import sharding groups too.

    Propagation is then expected to run over functions and their calls as they are. Otherwise every
    call is expected to become a `sdy.named_computation` first, and these two passes to run after
    that.
    """

    def passes(self) -> Sequence[str]:
        passes = [
            # First: no other pass needs to work on functions that nothing calls.
            "symbol-dce",
            # All others look up the axes of a mesh by its name.
            "sdy-lift-inlined-meshes",
            # After the meshes: this pass looks for axes of size 1 in `sdy.mesh` ops only.
            "sdy-remove-size-one-axes",
            # Before calls are cloned along with constants, and before the shardings of a
            # call's results are copied to data-flow edges.
            "sdy-propagate-sharding-from-func-to-call",
            # Before edges and constraints: a constant should get the sharding of its one use, and
            # these add shardings and users.
            "sdy-constant-or-scalar-splitter",
            # The splitter clones functions, and may have erased the last call of one.
            "symbol-dce",
            # After axes of size 1 are removed, which may be manual; before edges copy the
            # shardings.
            "sdy-manual-axes-cleanup",
            # C++ saves the module here, to a directory; this pipeline has no such option.
            "sdy-add-data-flow-edges",
        ]
        if not self.dedup_functions_fully:
            return passes
        return [
            *passes,
            # After the edges: a constraint on a target of an edge is not copied to it, but
            # takes over its uses.
            "sdy-apply-sharding-constraints",
            # Last: no later pass may clone a member of a group.
            "sdy-sharding-group-import",
        ]
