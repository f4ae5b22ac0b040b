"""Finds the collectives of a program whose propagation was recorded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sdykit.explain.costs.bandwidths import check_bandwidths, seconds
from sdykit.explain.costs.collecting import Collecting
from sdykit.explain.costs.model import Costs
from sdykit.explain.costs.program import PartitionedProgram
from sdykit.explain.costs.uncounted import uncounted_ops
from sdykit.explain.model import Explanation
from sdykit.mlir import ir


def costs_of(
    module: ir.Module,
    explanation: Explanation,
    bandwidth: Mapping[str, float] | None = None,
    *,
    is_compiled: bool = False,
) -> Costs:
    """Return the collectives of a program.

    Args:
        module: the program after propagation; all passes after it are run on it.
        explanation: what was recorded of its propagation.
        bandwidth: bytes a second that each device receives along each axis of the mesh.
        is_compiled: whether XLA compiles the program, too.

    Raises:
        SdykitError: a bandwidth is not positive, or of no axis; a pass fails; or XLA cannot compile the
            program.
    """
    check_bandwidths(bandwidth or {}, explanation.meshes)
    program = PartitionedProgram(module, explanation)
    collectives = tuple(Collecting(program).all())
    uncounted = tuple(uncounted_ops(program))
    if bandwidth:
        collectives = tuple(replace(each, seconds=seconds(each, bandwidth)) for each in collectives)
    if not is_compiled:
        return Costs(collectives, uncounted, bool(bandwidth))
    # Only this needs to read HLO.
    from sdykit.explain.costs.compiled import compiled_collectives

    compiled = compiled_collectives(explanation)
    return Costs(collectives, uncounted, bool(bandwidth), compiled)
