"""`-sdy-drop-sharding-rules`."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.core import FunctionPass
from sdykit.mlir import FuncOp
from sdykit.passes.sdy._propagation.checks import remove_rules


@dataclass(frozen=True)
class DropShardingRulesPass(FunctionPass):
    """Remove the sharding rules of all ops, except those that a user wrote.

    Before:

    ```mlir
    %0 = stablehlo.abs %arg0
        {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}>} : tensor<8xf32>
    %1 = stablehlo.custom_call @foo(%0)
        {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}, custom>} : ...
    ```

    After:

    ```mlir
    %0 = stablehlo.abs %arg0 : tensor<8xf32>
    %1 = stablehlo.custom_call @foo(%0)
        {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}, custom>} : ...
    ```
    """

    name = "sdy-drop-sharding-rules"

    def run(self, func: FuncOp) -> None:
        remove_rules(func)
