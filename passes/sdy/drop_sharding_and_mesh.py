"""`-sdy-drop-sharding-and-mesh`."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.core import ModulePass, ops_named
from sdykit.dialects import sdy
from sdykit.mlir import ModuleOp
from sdykit.passes.sdy._shardings import SHARDING
from sdykit.passes.sdy._value_shardings import remove_attributes


@dataclass(frozen=True)
class DropShardingAndMeshPass(ModulePass):
    """Remove every `sdy.sharding`, from ops, function arguments and results, and all `sdy.mesh` ops.

    Ops of the `sdy` dialect keep the shardings that are theirs: where there are such ops, the result
    is not valid without its meshes.

    Before:

    ```mlir
    sdy.mesh @mesh = <["x"=2]>
    func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {...}
    ```

    After:

    ```mlir
    func.func @main(%arg0: tensor<8xf32>) {...}
    ```
    """

    name = "sdy-drop-sharding-and-mesh"

    def run(self, module: ModuleOp) -> None:
        remove_attributes(module, SHARDING)
        for op in ops_named(module, sdy.MeshOp.OPERATION_NAME):
            op.erase()
