"""`-sdy-reshard-to-collectives`."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.core import FunctionPass
from sdykit.mlir import FuncOp
from sdykit.passes.sdy.reshard_to_collectives.conversion import Conversion


@dataclass(frozen=True)
class ReshardToCollectivesPass(FunctionPass):
    """Replace each reshard by the collectives that carry it out.

    First each device drops what it does not need (`sdy.all_slice`); then axes that are at the wrong
    place are exchanged (`sdy.collective_permute`), axes move from dimension to dimension
    (`sdy.all_to_all`), and what is no longer divided is gathered (`sdy.all_gather`). Some reshards take
    these steps twice. One that divides no dimension before and after goes without a trace; one between
    meshes of different axes stays. Unreduced axes are not touched: `-sdy-insert-explicit-reshards`
    has made ops of their own for them.

    Before, where all axes have the size 2:

    ```mlir
    %0 = sdy.reshard %arg0 <@mesh, [{"y"}, {"x"}]> : tensor<8x8xf32>
    %1 = sdy.reshard %0 <@mesh, [{}, {"x"}]> : tensor<8x8xf32>
    ```

    After, where `%arg0` is `[{"x"}, {"y"}]`:

    ```mlir
    %0 = sdy.collective_permute %arg0 out_sharding=<@mesh, [{"y"}, {"x"}]> : tensor<8x8xf32>
    %1 = sdy.all_gather [{"y"}, {}] %0 out_sharding=<@mesh, [{}, {"x"}]> : tensor<8x8xf32>
    ```
    """

    name = "sdy-reshard-to-collectives"

    keep_redundant_reshards: bool = False
    """Keep reshards that divide no dimension, neither before nor after."""

    def run(self, func: FuncOp) -> None:
        Conversion(func, keeps_redundant=self.keep_redundant_reshards).run()
