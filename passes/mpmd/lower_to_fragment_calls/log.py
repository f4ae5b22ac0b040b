"""The log that lists which functions run on which mesh."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sdykit.core import FUNC, symbol_name
from sdykit.core.mpmd.program import topology_of
from sdykit.dialects import mpmd
from sdykit.mlir import ModuleOp
from sdykit.passes.mpmd.lower_to_fragment_calls.fragments import Fragment

_MAIN = "main"


def programs_log(
    module: ModuleOp, name: str, calls: Sequence[tuple[Fragment, str]], *, forward: bool
) -> list[str]:
    """Return the lines that list which functions each mesh of `main` will run.

    Args:
        module: the module, before its fragments are replaced.
        name: the name of the module.
        calls: the fragments in program order, each with the name of its function.
        forward: whether nothing in the module is transposed; then phases are left out.
    """
    lines: list[str] = []
    for mesh in _meshes_of_main(module):
        lines.append(f"Module {name} on mesh {mesh} will execute the following XLA programs:")
        lines += [
            f"\t- {function} from program with {_describe(fragment, forward)}."
            for fragment, function in calls
            if fragment.mesh_name == mesh
        ]
    # A name need not be UTF-8.
    return [line.encode("utf-8", "surrogateescape").decode(errors="replace") for line in lines]


def _meshes_of_main(module: ModuleOp) -> Iterable[str]:
    for op in (op.operation for op in module.body.operations):
        if op.name == FUNC and symbol_name(op) == _MAIN:
            topology = topology_of(op)
            return topology.names if topology else ()
    return ()


def _describe(fragment: Fragment, forward: bool) -> str:
    origins = ", ".join(
        origin.user_name if forward else f"{origin.user_name}({_phase(origin)})"
        for origin in fragment.origins
    )
    text = f"origins [{origins}]"
    if fragment.stage is not None:
        text += f", stage id {fragment.stage}"
    if fragment.call_counter is not None:
        text += f", call counter {fragment.call_counter}"
    return text


def _phase(origin: mpmd.UserOriginAttr) -> str:
    count = origin.transpose_count
    return {0: "fwd", 1: "bwd"}.get(count, f"TransposeCount={count}")
