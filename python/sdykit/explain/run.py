"""Explains the propagation of a module."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal, cast

from sdykit.core import meshes_of, ops_named, run_pipeline
from sdykit.core.portable import read_module
from sdykit.errors import SdykitError
from sdykit.explain.costs import costs_of
from sdykit.explain.expanding import PREFIX, expand_chlo
from sdykit.explain.given import positions_with_shardings
from sdykit.explain.messages import told_of
from sdykit.explain.model import Explanation
from sdykit.explain.recording import Recording
from sdykit.explain.source import ProgramText
from sdykit.mlir import ModuleOp, ir, make_context
from sdykit.passes.sdy._propagation import Propagation

IMPORT = (
    "sdy-import-pipeline,sdy-flatten-call-graph,symbol-dce,sdy-import-func-calls,symbol-dce,"
    "sdy-apply-sharding-constraints,sdy-sharding-group-import,sdy-pre-order-funcs"
)
"""What the propagation pipeline does before it propagates."""
_IMPORTED = "sdy.data_flow_edge"

To = Literal["propagation", "collectives"]
"""Up to where a program is explained."""


def explain_text(
    text: str | bytes,
    name: str = "-",
    *,
    to: To = "propagation",
    bandwidth: Mapping[str, float] | None = None,
    compiled: bool = False,
    conservative: bool = False,
) -> Explanation:
    """Return what the propagation of a module does.

    Args:
        text: the module, in text or bytecode, before or after the import pipeline.
        name: the name of its file, for locations that have none.
        to: `collectives` to find what the partitioned program communicates, too.
        bandwidth: for times of collectives: bytes a second that a device receives along each mesh axis.
        compiled: whether the collectives of XLA's own program, compiled for CPU devices, are found, too.
        conservative: whether no axis is split, as with `conservative-propagation`.

    Raises:
        SdykitError: the text is no module, its shardings cannot be propagated, or `bandwidth` is not
            positive, or of no axis; or XLA cannot compile the program; or `compiled` is asked for
            beside `conservative`, which XLA is not.
    """
    with make_context() as context:
        return explain_module(
            read_module(text, context),
            name,
            to=to,
            bandwidth=bandwidth,
            compiled=compiled,
            conservative=conservative,
        )


def explain_module(
    module: ir.Module,
    name: str = "-",
    *,
    to: To = "propagation",
    bandwidth: Mapping[str, float] | None = None,
    compiled: bool = False,
    conservative: bool = False,
) -> Explanation:
    """Return what the propagation of a module does; the module stays as it is.

    The other arguments are those of `explain_text`.
    """
    if compiled and conservative:
        raise SdykitError(
            "found compiled and conservative; XLA's own propagation is not conservative, so its"
            " collectives would be of other shardings: leave out one of them"
        )
    program = ProgramText(module, name)
    with told_of(program):
        return _explained(program, to, bandwidth, compiled=compiled, conservative=conservative)


def _explained(
    program: ProgramText,
    to: To,
    bandwidth: Mapping[str, float] | None,
    *,
    compiled: bool,
    conservative: bool,
) -> Explanation:
    copy = cast("ModuleOp", program.module.operation.opview)
    own = positions_with_shardings(program.module)
    if not ops_named(copy, _IMPORTED):
        if any(PREFIX in line for line in program.lines):
            expand_chlo(program.module)
        run_pipeline(program.module, IMPORT)
    recording = Recording(program, own)
    propagation = Propagation("aggressive", by_op=True, by_user=True, conservative=conservative)
    propagation.run(copy, recording)
    meshes = {
        each: {axis.name: axis.size for axis in mesh.axes} for each, mesh in meshes_of(copy).items()
    }
    explanation = recording.explanation(program.name, meshes)
    if to == "propagation":
        return explanation
    costs = costs_of(program.module, explanation, bandwidth, is_compiled=compiled)
    return replace(explanation, costs=costs)
