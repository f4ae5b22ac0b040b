"""`-sdy-inline-meshes`."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sdykit.core import ModulePass, mesh_ops, meshes_of
from sdykit.dialects import sdy
from sdykit.mlir import ModuleOp
from sdykit.passes.sdy._shardings import replace_shardings


@dataclass(frozen=True)
class InlineMeshesPass(ModulePass):
    """Replace the names of meshes in shardings by the meshes, and erase the `sdy.mesh` ops.

    It is the reverse of `-sdy-lift-inlined-meshes`. Nested modules keep their meshes, and the
    shardings on them.

    Before:

    ```mlir
    sdy.mesh @mesh = <["x"=2]>
    func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {...}
    ```

    After:

    ```mlir
    func.func @main(
        %arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2]>, [{"x"}]>}) {...}
    ```
    """

    name = "sdy-inline-meshes"

    def run(self, module: ModuleOp) -> None:
        meshes = meshes_of(module)

        def inlined(sharding: sdy.TensorShardingAttr) -> sdy.TensorShardingAttr:
            mesh = sharding.mesh_or_ref
            if isinstance(mesh, sdy.MeshAttr) or mesh not in meshes:
                return sharding
            return replace(sharding, mesh_or_ref=meshes[mesh])

        replace_shardings(module, inlined)
        for op in mesh_ops(module):
            op.erase()
