"""`-sdy-populate-op-sharding-rules`."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.core import FunctionPass
from sdykit.mlir import FuncOp, ir
from sdykit.passes.sdy._sharding_rules import RULE, ShardingRules


@dataclass(frozen=True)
class PopulateOpShardingRulesPass(FunctionPass):
    """Write the sharding rule of every op that has one as its attribute `sdy.sharding_rule`.

    Before:

    ```mlir
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
    ```

    After:

    ```mlir
    %0 = stablehlo.transpose %arg0, dims = [1, 0] {sdy.sharding_rule =
        #sdy.op_sharding_rule<([j, i])->([i, j]) {i=4, j=8}>} : (tensor<8x4xf32>) -> tensor<4x8xf32>
    ```

    An op that has a rule keeps it. The first op of each name, and custom call of each target, that has
    no rule because none is known is warned of.
    """

    name = "sdy-populate-op-sharding-rules"

    conservative_propagation: bool = False
    """Leave out, or block, factors whose sharding needs communication, such as that of halos."""

    def run(self, func: FuncOp) -> None:
        rules, ops = ShardingRules(self.conservative_propagation), list[ir.Operation]()

        def collect(op: ir.Operation) -> ir.WalkResult:
            ops.append(op)
            return ir.WalkResult.ADVANCE

        func.operation.walk(collect, ir.WalkOrder.PRE_ORDER)
        for op in ops:
            rule = rules.of(op)
            if rule is not None:
                op.attributes[RULE] = rule.to_attr()
