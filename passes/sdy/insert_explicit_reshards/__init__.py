"""`-sdy-insert-explicit-reshards`."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.core import FunctionPass
from sdykit.mlir import FuncOp
from sdykit.passes.sdy.insert_explicit_reshards.inserting import Inserter


@dataclass(frozen=True)
class InsertExplicitReshardsPass(FunctionPass):
    """Insert reshards where what an op needs differs from how its tensors are sharded.

    After this every op can be run on each device with what the device has, if all is inserted
    (`enable-full-version`). By default that is left to the partitioner, but for what it does worse:
    axes to be summed, arguments of calls, dots, and concatenations.

    Before:

    ```mlir
    %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : ...
    ```

    After, with the full version, where `%arg1` is `[{"y"}]`:

    ```mlir
    %0 = sdy.reshard %arg1 <@mesh, [{"x"}]> : tensor<8xf32>
    %1 = stablehlo.add %arg0, %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : ...
    ```
    """

    name = "sdy-insert-explicit-reshards"

    enable_full_version: bool = False
    """Insert all reshards, not only those that the partitioner does worse."""

    def run(self, func: FuncOp) -> None:
        Inserter(func, is_full=self.enable_full_version).run()
