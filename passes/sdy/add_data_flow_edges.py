"""`-sdy-add-data-flow-edges`."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.core import ModulePass, ops_named
from sdykit.mlir import ModuleOp
from sdykit.passes.sdy._data_flow_edges import EdgeInserter
from sdykit.passes.sdy._value_shardings import DATA_FLOW_OPS


@dataclass(frozen=True)
class AddDataFlowEdgesPass(ModulePass):
    """Insert a `sdy.data_flow_edge` for every value that owns a data-flow edge.

    Owners are the results of `stablehlo.while`, `stablehlo.case`,
    `stablehlo.optimization_barrier` and `mpmd.for`, and the results and block arguments of
    `sdy.manual_computation`, `sdy.named_computation` and `mpmd.fragment`. All uses of an
    owner become uses of its edge, which takes the sharding of the owner if there is one; for
    a block argument of a manual computation, without the manual axes. Values without a
    static shape get no edge.

    Edges are inserted in the order of their owners, directly after the op or at the start of the
    block, with the location of their owner.

    Before:

    ```mlir
    %0:2 = stablehlo.optimization_barrier
        {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>, <@mesh, [{?}]>]>}
        %arg0, %arg1 : tensor<8xf32>, tensor<4xf32>
    return %0#0, %0#1 : tensor<8xf32>, tensor<4xf32>
    ```

    After:

    ```mlir
    %0:2 = stablehlo.optimization_barrier ...
    %1 = sdy.data_flow_edge %0#0 sharding=<@mesh, [{"a"}]> : tensor<8xf32>
    %2 = sdy.data_flow_edge %0#1 sharding=<@mesh, [{?}]> : tensor<4xf32>
    return %1, %2 : tensor<8xf32>, tensor<4xf32>
    ```
    """

    name = "sdy-add-data-flow-edges"

    def run(self, module: ModuleOp) -> None:
        edges = EdgeInserter()
        for op in ops_named(module, *DATA_FLOW_OPS):
            edges.insert_for(op)
