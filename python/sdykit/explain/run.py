"""Explains the propagation of a module."""

from __future__ import annotations

from typing import cast

from sdykit.core import meshes_of, ops_named, run_pipeline
from sdykit.core.portable import read_module
from sdykit.explain.given import positions_with_shardings
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


def explain_text(text: str | bytes, name: str = "-") -> Explanation:
    """Return what the propagation of a module does.

    Args:
        text: the module, in text or bytecode, before or after the import pipeline.
        name: the name of its file, for locations that have none.

    Raises:
        SdykitError: the text is no module, or its shardings cannot be propagated.
    """
    with make_context() as context:
        return explain_module(read_module(text, context), name)


def explain_module(module: ir.Module, name: str = "-") -> Explanation:
    """Return what the propagation of a module does; the module stays as it is."""
    program = ProgramText(module, name)
    copy = cast("ModuleOp", program.module.operation.opview)
    own = positions_with_shardings(program.module)
    if not ops_named(copy, _IMPORTED):
        run_pipeline(program.module, IMPORT)
    recording = Recording(program, own)
    Propagation("aggressive", by_op=True, by_user=True).run(copy, recording)
    meshes = {
        each: {axis.name: axis.size for axis in mesh.axes} for each, mesh in meshes_of(copy).items()
    }
    return recording.explanation(name, meshes)
