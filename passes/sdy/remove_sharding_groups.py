"""`-sdy-remove-sharding-groups`."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.core import ModulePass, ops_named
from sdykit.dialects import sdy
from sdykit.mlir import ModuleOp


@dataclass(frozen=True)
class RemoveShardingGroupsPass(ModulePass):
    """Erase all `sdy.sharding_group` ops.

    Propagation has given the members of each group one sharding; nothing after it needs the groups.

    Before:

    ```mlir
    sdy.sharding_group %0 group_id=0 : tensor<8xf32>
    return %0 : tensor<8xf32>
    ```

    After:

    ```mlir
    return %0 : tensor<8xf32>
    ```
    """

    name = "sdy-remove-sharding-groups"

    def run(self, module: ModuleOp) -> None:
        for op in ops_named(module, sdy.ShardingGroupOp.OPERATION_NAME):
            op.erase()
