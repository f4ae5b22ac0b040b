"""`-sdy-remove-propagation-debug-info`."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.core import ModulePass
from sdykit.mlir import ModuleOp
from sdykit.passes.sdy._propagation_edges import (
    BLOCK_ARGUMENT_EDGES,
    PROPAGATION_EDGES,
    RESULT_EDGES,
)
from sdykit.passes.sdy._sharding_origins import BLOCK_ARGUMENT_ORIGINS, ORIGINS, RESULT_ORIGINS
from sdykit.passes.sdy._value_shardings import remove_attributes


@dataclass(frozen=True)
class RemovePropagationDebugInfoPass(ModulePass):
    """Remove what propagation recorded of the origins of axes, and of the steps it took.

    These are the attributes `sdy.sharding_origins` and `sdy.propagation_edges`, and those that
    `-sdy-sink-data-flow-edges` made of them: `sdy.block_arg_sharding_origins`,
    `sdy.result_sharding_origins`, `sdy.block_arg_propagation_edges` and
    `sdy.result_propagation_edges`.

    Before:

    ```mlir
    %0 = stablehlo.abs %arg0 {sdy.sharding_origins = [{x = "input: 0"}]} : tensor<8xf32>
    ```

    After:

    ```mlir
    %0 = stablehlo.abs %arg0 : tensor<8xf32>
    ```
    """

    name = "sdy-remove-propagation-debug-info"

    def run(self, module: ModuleOp) -> None:
        remove_attributes(
            module,
            ORIGINS,
            BLOCK_ARGUMENT_ORIGINS,
            RESULT_ORIGINS,
            PROPAGATION_EDGES,
            BLOCK_ARGUMENT_EDGES,
            RESULT_EDGES,
        )
