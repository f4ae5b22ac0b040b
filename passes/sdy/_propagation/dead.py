"""Which ops MLIR's greedy driver erases when it comes to them: those without uses and side effects.

The bindings cannot ask for side effects, so a table has the ops with some. To derive it for another
jaxlib: run the C++ pass `trivial-dce` on a function of ops without uses, and see which are left.
"""

from __future__ import annotations

from typing import Final

from sdykit.mlir import ir
from sdykit.passes.sdy.constant_splitter.ops import PURE

_WITH_EFFECTS: Final = frozenset(
    (
        "sdy.all_gather",
        "sdy.all_reduce",
        "sdy.all_slice",
        "sdy.all_to_all",
        "sdy.collective_permute",
        "sdy.reduce_scatter",
        "sdy.replicated_to_unreduced",
        "sdy.sharded_to_unreduced",
        "sdy.data_flow_edge",
        "sdy.func_data_flow_edge",
        "sdy.mesh",
        "sdy.sharding_constraint",
        "sdy.sharding_group",
        "stablehlo.all_gather",
        "stablehlo.all_reduce",
        "stablehlo.all_to_all",
        "stablehlo.collective_broadcast",
        "stablehlo.collective_permute",
        "stablehlo.composite",
        "stablehlo.infeed",
        "stablehlo.outfeed",
        "stablehlo.recv",
        "stablehlo.reduce_scatter",
        "stablehlo.send",
    )
)
_TERMINATORS: Final = ("stablehlo.return", "sdy.return")
_DIALECTS: Final = ("stablehlo.", "sdy.")


def may_be_erased(op: ir.Operation) -> bool:
    """Return whether an op has no side effects, nor any op in its regions."""
    if op.name == "stablehlo.custom_call":
        effect = op.attributes.get("has_side_effect")
        return effect is None or not ir.BoolAttr(effect).value
    is_free = op.name in PURE or (
        op.name.startswith(_DIALECTS) and op.name not in (*_WITH_EFFECTS, *_TERMINATORS)
    )
    return is_free and all(
        inner.operation.name in _TERMINATORS or may_be_erased(inner.operation)
        for region in op.regions
        for block in region.blocks
        for inner in block.operations
    )
