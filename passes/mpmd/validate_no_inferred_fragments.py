"""`-mpmd-validate-no-inferred-fragments`."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.core import FunctionPass, ops_named
from sdykit.core.mpmd.program import FRAGMENT, MESH_SHAPE, TOPOLOGY, is_inferred
from sdykit.mlir import FuncOp, ir
from sdykit.passes.mpmd._shared.reports import Report

_INFERRED_BY = "mpmd.inferred_by"

# The fragments of these passes cannot always be merged with a fragment of the user.
_ONLY_WARNED = frozenset(
    {
        "uniquify",
        "infer_mesh_wrap_meshless_ops",
        "infer_mesh_wrap_resultless_ops",
        "infer_mesh_convert_reduce_ops",
        "extract_reshards",
        "introduce_transfers",
    }
)


@dataclass(frozen=True)
class ValidateNoInferredFragmentsPass(FunctionPass):
    """Report inferred fragments, which should have been merged with fragments of the user.

    Checks functions with a `topology` or `mesh_shape`. The attribute `mpmd.inferred_by` names
    the passes that have made a fragment. Without a name the fragment is always an error, unless
    `require-inferred-by=false`: then it is reported as `inferred by an unknown pass`. If one of them is `uniquify`, `infer_mesh_wrap_meshless_ops`,
    `infer_mesh_wrap_resultless_ops`, `infer_mesh_convert_reduce_ops`, `extract_reshards` or
    `introduce_transfers`, the fragment is always only a warning.

    Reported:

    ```mlir
    %0 = mpmd.fragment<mesh="m1", origin=[]> (%arg0) {mpmd.inferred_by = ["a", "b"]} ...
    ```

    ```text
    error: Inferred fragment has not been merged (inferred by a, b)
    ```
    """

    name = "mpmd-validate-no-inferred-fragments"

    fail_on_inferred_fragments: bool = True
    """Emit errors instead of warnings."""

    require_inferred_by: bool = True
    """Emit an error for a fragment whose `mpmd.inferred_by` is missing or names no pass."""

    def run(self, func: FuncOp) -> None:
        attributes = func.operation.attributes
        if TOPOLOGY not in attributes and MESH_SHAPE not in attributes:
            return
        report = Report(strict=self.fail_on_inferred_fragments)
        for fragment in ops_named(func, FRAGMENT):
            if is_inferred(fragment):
                self._check(fragment, report)
        report.finish()

    def _check(self, fragment: ir.Operation, report: Report) -> None:
        passes = _inferred_by(fragment)
        if not passes and self.require_inferred_by:
            report.error(
                fragment, f"Internal error: inferred fragment missing '{_INFERRED_BY}' attribute"
            )
            return
        names = ", ".join(passes) or "an unknown pass"
        add = report.find if _ONLY_WARNED.isdisjoint(passes) else report.warn
        add(fragment, f"Inferred fragment has not been merged (inferred by {names})")


def _inferred_by(fragment: ir.Operation) -> list[str]:
    names = fragment.attributes.get(_INFERRED_BY)
    if not isinstance(names, ir.ArrayAttr):
        return []
    return [
        name.value_bytes.decode(errors="replace")
        for name in names
        if isinstance(name, ir.StringAttr)
    ]
