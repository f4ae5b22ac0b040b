"""What is checked before a propagation, and removed after it."""

from __future__ import annotations

from sdykit.core import fail
from sdykit.dialects import sdy
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sdy._sharding_rules import RULE


def check_shapes(module: ModuleOp) -> None:
    """Fail at the first op with a result that propagation cannot have."""
    for op in _ops(module):
        for result in op.results:
            kind = result.type
            if isinstance(kind, ir.TupleType):
                fail(op.location, f"Shardy propagation doesn't support tuples: '{kind}'")
            if isinstance(kind, ir.ShapedType) and not (kind.has_rank and kind.has_static_shape):
                fail(
                    op.location,
                    "Shardy propagation only supports ranked tensors with a static shape. "
                    f"type: '{kind}'",
                )


def remove_rules(root: ir.OpView) -> None:
    """Remove the sharding rules from an op and all below it, but for those that a user wrote."""
    custom: dict[ir.Attribute, bool] = {}
    advance = ir.WalkResult.ADVANCE

    # Within the walk: to keep 10,000 ops for later takes as long as to walk over them.
    def visit(op: ir.Operation) -> ir.WalkResult:
        attributes = op.attributes
        if RULE in attributes:
            rule = attributes[RULE]
            is_custom = custom.get(rule)
            if is_custom is None:
                is_custom = custom[rule] = sdy.OpShardingRuleAttr.of(rule).is_custom_rule
            if not is_custom:
                del attributes[RULE]
        return advance

    root.operation.walk(visit)


def remove_rule(op: ir.Operation) -> None:
    """Remove the sharding rule of an op, but for one that a user wrote."""
    rule = op.attributes.get(RULE)
    if rule is not None and not sdy.OpShardingRuleAttr.of(rule).is_custom_rule:
        del op.attributes[RULE]


def _ops(root: ir.OpView) -> list[ir.Operation]:
    found: list[ir.Operation] = []

    def collect(op: ir.Operation) -> ir.WalkResult:
        found.append(op)
        return ir.WalkResult.ADVANCE

    root.operation.walk(collect, ir.WalkOrder.POST_ORDER)
    return found
