"""Modules, and the passes that insert collectives into them."""

from __future__ import annotations

from typing import Literal, cast

from sdykit.core import ops_named, run_pipeline
from sdykit.core.parsing import parse_text
from sdykit.dialects import sdy
from sdykit.errors import SdykitError
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sdy.pipeline import PropagationPipeline
from sdykit.spmd.errors import SpmdError
from sdykit.spmd.local.layouts import Layouts
from sdykit.spmd.local.program import Communication

Collectives = Literal["explicit", "implicit", "insert"]
"""Where collectives come from.

- `explicit`: the program has them, and nothing else moves data between devices;
- `implicit`: whatever the shardings ask for is moved, as the program stands between two passes;
- `insert`: our passes propagate the shardings and insert them first.
"""

_MOVES = (
    "sdy.all_gather",
    "sdy.all_slice",
    "sdy.all_to_all",
    "sdy.collective_permute",
    "sdy.reduce_scatter",
)
_ALL_REDUCE = "sdy.all_reduce"
_EDGE = "sdy.data_flow_edge"


def module_of(module: ir.Module | str) -> ir.Module:
    """Return a copy of a module, or the module of a text.

    Raises:
        SpmdError: the text is no valid IR, or it is neither.
    """
    if isinstance(module, str):
        try:
            return parse_text(module)
        except SdykitError as error:
            raise SpmdError(str(error)) from None
    if not isinstance(module, ir.Module):
        raise SpmdError(f"expected an ir.Module or its text, found {type(module).__name__}")
    return cast("ir.Module", module.operation.clone(ip=False))


def with_collectives(module: ir.Module, collectives: Collectives | None) -> Communication:
    """Insert collectives into a module if that is asked for; return who moves data.

    None stands for `explicit` if the module has any, else for `insert`.
    """
    if collectives is None:
        collectives = "explicit" if holds_collectives(module) else "insert"
    if collectives not in ("explicit", "implicit", "insert"):
        raise SpmdError(
            f"collectives: expected 'explicit', 'implicit', 'insert' or None, found {collectives!r}"
        )
    if collectives != "insert":
        return collectives
    passes = PropagationPipeline(enable_insert_explicit_collectives=True).passes()
    if ops_named(module.operation, _EDGE):  # It is imported already.
        passes = [each for each in passes if not each.startswith("sdy-add-data-flow-edges")]
    run_pipeline(module, ",".join(passes))
    return "explicit"


def holds_collectives(module: ir.Module) -> bool:
    """Return whether a module has collectives for how its tensors are sharded.

    An all-reduce of a value that is declared unreduced is there earlier.
    """
    if ops_named(module.operation, *_MOVES):
        return True
    top = cast("ModuleOp", module.operation.opview)
    layouts = Layouts(top, ignores_shardings=False)
    with module.context:
        return any(_is_of_reduction(op, layouts) for op in ops_named(top, _ALL_REDUCE))


def _is_of_reduction(op: ir.Operation, layouts: Layouts) -> bool:
    """Return whether an all-reduce sums what an op left, not only what is declared unreduced."""
    axes = sdy.AxisRefListAttr.of(op.attributes["reduction_axes"]).value
    declared = {axis.name for axis in layouts.of(op.operands[0]).unreduced}
    return any(axis.name not in declared for axis in axes)
