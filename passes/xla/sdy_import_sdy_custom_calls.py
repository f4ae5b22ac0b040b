"""`-xla-sdy-import-sdy-custom-calls`."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.core import ModulePass, fail, ops_named
from sdykit.dialects import sdy
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.xla._frontend import names
from sdykit.passes.xla._frontend.attributes import frontend_attributes, target


@dataclass(frozen=True)
class SdyImportSdyCustomCallsPass(ModulePass):
    """Turn custom calls that stand for ops of sdy into these ops.

    | Custom call | Op |
    |---|---|
    | `Sharding` with a `sdy.sharding` | `sdy.sharding_constraint` |
    | `xla.sdy.ShardingGroup`, of the id in `xla.sdy.sharding_group_id` | `sdy.sharding_group` |
    | `xla.sdy.PropagationBarrier`, of `xla.sdy.allowed_direction` | `sdy.propagation_barrier` |

    A `Sharding` without `sdy.sharding` stays. Other attributes of the custom calls are dropped.

    Before:

    ```mlir
    %0 = stablehlo.custom_call @Sharding(%arg0)
        {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
    stablehlo.custom_call @xla.sdy.ShardingGroup(%0)
        {mhlo.frontend_attributes = {xla.sdy.sharding_group_id = "7 : i64"}} : (tensor<8xf32>) -> ()
    ```

    After:

    ```mlir
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
    sdy.sharding_group %0 group_id=7 : tensor<8xf32>
    ```
    """

    name = "xla-sdy-import-sdy-custom-calls"

    def run(self, module: ModuleOp) -> None:
        for op in ops_named(module, names.CUSTOM_CALL):
            match target(op):
                case names.SHARDING_TARGET if names.SHARDING in op.attributes:
                    _import_constraint(op)
                case names.GROUP_TARGET:
                    _import_group(op)
                case names.BARRIER_TARGET:
                    _import_barrier(op)


def _import_constraint(op: ir.Operation) -> None:
    _check(op, results=1)
    shardings = sdy.TensorShardingPerValueAttr.of(op.attributes[names.SHARDING]).shardings
    if len(shardings) != 1:
        fail(op, f"expected one sharding, found {op.attributes[names.SHARDING]}")
    constraint = sdy.ShardingConstraintOp(
        op.operands[0], shardings[0].to_attr(), loc=op.location, ip=ir.InsertionPoint(op)
    )
    op.results[0].replace_all_uses_with(constraint.result)
    op.erase()


def _import_group(op: ir.Operation) -> None:
    _check(op, results=0)
    number = _integer(op, names.GROUP_ID_TEXT)
    if number < 0:
        fail(op, f"'{names.GROUP_ID_TEXT}' must not be negative, found {number}")
    sdy.ShardingGroupOp(op.operands[0], number, loc=op.location, ip=ir.InsertionPoint(op))
    op.erase()


def _import_barrier(op: ir.Operation) -> None:
    _check(op, results=1)
    number = _integer(op, names.DIRECTION_TEXT)
    try:
        direction = sdy.PropagationDirection(number)
    except ValueError:
        fail(op, f"'{names.DIRECTION_TEXT}' must be 0 to 3, found {number}")
    barrier = sdy.PropagationBarrierOp(
        op.operands[0], direction, loc=op.location, ip=ir.InsertionPoint(op)
    )
    op.results[0].replace_all_uses_with(barrier.result)
    op.erase()


def _check(op: ir.Operation, *, results: int) -> None:
    if len(op.operands) != 1 or len(op.results) != results:
        fail(
            op,
            f"@{target(op)} must have one operand and {results} results, found"
            f" {len(op.operands)} and {len(op.results)}",
        )


def _integer(op: ir.Operation, name: str) -> int:
    """Return an integer such as `7 : i64` in a frontend attribute."""
    text = frontend_attributes(op).get(name)
    if isinstance(text, ir.StringAttr):
        number, _, _ = text.value.partition(":")
        try:
            return int(number)
        except ValueError:
            pass
    fail(op, f"'{name}' must be the text of an integer, found {text}")
