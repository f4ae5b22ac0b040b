"""`-sdy-close-shardings`."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sdykit.core import ModulePass
from sdykit.dialects import sdy
from sdykit.mlir import ModuleOp
from sdykit.passes.sdy._shardings import replace_shardings


@dataclass(frozen=True)
class CloseShardingsPass(ModulePass):
    """Close all dimensions of all shardings, and drop their replicated axes.

    Open dimensions and replicated axes tell propagation what it may do. Priorities stay, except on
    dimensions without axes; unreduced axes stay.

    Before:

    ```mlir
    %0 = stablehlo.abs %arg0 {sdy.sharding =
        #sdy.sharding_per_value<[<@mesh, [{"x", ?}p1, {?}], replicated={"y"}>]>} : ...
    ```

    After:

    ```mlir
    %0 = stablehlo.abs %arg0 {sdy.sharding =
        #sdy.sharding_per_value<[<@mesh, [{"x"}p1, {}]>]>} : ...
    ```
    """

    name = "sdy-close-shardings"

    def run(self, module: ModuleOp) -> None:
        replace_shardings(module, _closed)


def _closed(sharding: sdy.TensorShardingAttr) -> sdy.TensorShardingAttr:
    dims = tuple(
        sdy.DimensionShardingAttr(dim.axes, True, dim.priority if dim.axes else None)
        for dim in sharding.dim_shardings
    )
    return replace(sharding, dim_shardings=dims, replicated_axes=())
