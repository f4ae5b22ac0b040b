"""`-sdy-sharding-constraint-to-reshard`."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.core import FunctionPass, ops_named
from sdykit.dialects import sdy
from sdykit.mlir import FuncOp, ir
from sdykit.passes.sdy._value_shardings import attributes_of


@dataclass(frozen=True)
class ShardingConstraintToReshardPass(FunctionPass):
    """Replace each `sdy.sharding_constraint` by a `sdy.reshard` with its attributes.

    After propagation a constraint asks for nothing any more: it says how its result is sharded, so
    that its operand must be resharded if it is sharded differently.

    Before:

    ```mlir
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
    ```

    After:

    ```mlir
    %0 = sdy.reshard %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
    ```
    """

    name = "sdy-sharding-constraint-to-reshard"

    def run(self, func: FuncOp) -> None:
        for op in ops_named(func, sdy.ShardingConstraintOp.OPERATION_NAME):
            reshard = ir.Operation.create(
                sdy.ReshardOp.OPERATION_NAME,
                results=[op.result.type],
                operands=[op.operands[0]],
                attributes=attributes_of(op),
                loc=op.location,
                ip=ir.InsertionPoint(op),
            )
            op.result.replace_all_uses_with(reshard.result)
            op.erase()
