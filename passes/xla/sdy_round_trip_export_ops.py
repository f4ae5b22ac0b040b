"""`-xla-sdy-round-trip-export-ops`."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.core import ModulePass, ops_named
from sdykit.core.frontend import FRONTEND_ATTRIBUTES
from sdykit.dialects import sdy
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.xla._frontend import names
from sdykit.passes.xla._frontend.attributes import (
    Attributes,
    as_texts,
    custom_call,
    frontend_attributes,
)

_CONSTANT = "stablehlo.constant"
_OWN = ("sharding", "group_id", "allowed_direction")
"""The attributes of ops of sdy that the custom call gets in another form."""


@dataclass(frozen=True)
class SdyRoundTripExportOpsPass(ModulePass):
    """Turn ops of sdy into constants and custom calls, which HLO can hold.

    | Op | Becomes |
    |---|---|
    | `sdy.constant` | `stablehlo.constant` |
    | `sdy.sharding_constraint` | the custom call `Sharding`, with its `sdy.sharding` |
    | `sdy.sharding_group` | `xla.sdy.ShardingGroup`, with `xla.sdy.sharding_group_id` |
    | `sdy.propagation_barrier` | `xla.sdy.PropagationBarrier`, with `xla.sdy.allowed_direction` |

    Ids and directions are text in the frontend attributes. Other attributes are kept. A `Sharding`
    to an unreduced tensor has a side effect, so that nothing removes it.

    Before:

    ```mlir
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
    sdy.sharding_group %0 group_id=7 : tensor<8xf32>
    ```

    After:

    ```mlir
    %0 = stablehlo.custom_call @Sharding(%arg0)
        {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
    stablehlo.custom_call @xla.sdy.ShardingGroup(%0) {has_side_effect = true,
        mhlo.frontend_attributes = {xla.sdy.sharding_group_id = "7 : i64"}} : (tensor<8xf32>) -> ()
    ```
    """

    name = "xla-sdy-round-trip-export-ops"

    def run(self, module: ModuleOp) -> None:
        exports = {
            sdy.ConstantOp.OPERATION_NAME: _export_constant,
            sdy.ShardingConstraintOp.OPERATION_NAME: _export_constraint,
            sdy.ShardingGroupOp.OPERATION_NAME: _export_group,
            sdy.PropagationBarrierOp.OPERATION_NAME: _export_barrier,
        }
        for op in ops_named(module, *exports):
            exports[op.name](op)


def _export_constant(op: ir.Operation) -> None:
    made = ir.Operation.create(
        _CONSTANT,
        results=[op.results[0].type],
        attributes=_attributes(op),
        loc=op.location,
        ip=ir.InsertionPoint(op),
    )
    _replace(op, made)


def _export_constraint(op: ir.Operation) -> None:
    sharding = sdy.TensorShardingAttr.of(op.attributes["sharding"])
    per_value = sdy.TensorShardingPerValueAttr((sharding,)).to_attr()
    made = _call(op, names.SHARDING_TARGET, {}, has_side_effect=bool(sharding.unreduced_axes))
    made.attributes[names.SHARDING] = per_value
    _replace(op, made)


def _export_group(op: ir.Operation) -> None:
    _replace(op, _call(op, names.GROUP_TARGET, {names.GROUP_ID_TEXT: op.attributes["group_id"]}))


def _export_barrier(op: ir.Operation) -> None:
    _replace(
        op,
        _call(op, names.BARRIER_TARGET, {names.DIRECTION_TEXT: op.attributes["allowed_direction"]}),
    )


def _call(
    op: ir.Operation, name: str, text: Attributes, *, has_side_effect: bool = True
) -> ir.Operation:
    """Return the custom call that stands for an op; `text` are attributes that it holds as text."""
    attributes = _attributes(op)
    for own in _OWN:
        attributes.pop(own, None)
    if text:
        frontend = frontend_attributes(op) | as_texts(text)
        attributes[FRONTEND_ATTRIBUTES] = ir.DictAttr.get(frontend)
    types = [result.type for result in op.results]
    return custom_call(
        name, list(op.operands), types, attributes, op, has_side_effect=has_side_effect
    )


def _attributes(op: ir.Operation) -> Attributes:
    return {name: op.attributes[name] for name in op.attributes}


def _replace(op: ir.Operation, made: ir.Operation) -> None:
    for old, new in zip(list(op.results), list(made.results), strict=True):
        old.replace_all_uses_with(new)
    op.erase()
