"""`-async-unwrap`."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit import hlo
from sdykit.core import ModulePass
from sdykit.mlir import ModuleOp
from sdykit.passes.async_hlo._hlo.program import HloProgram
from sdykit.passes.async_hlo._mlir.program import MlirProgram
from sdykit.passes.async_hlo._program import Op, Program, chains


@dataclass(frozen=True)
class UnwrapPass(ModulePass):
    """Turn start/done chains back into the plain operations.

    What a chain wraps takes the place of its done. The wrapped computation is erased if
    nothing else calls it; computations that the operation runs move to the thread of the
    chain's computation.

    Of the start's own attributes the operation takes over backend configuration, frontend
    attributes and, in HLO, metadata, if it has none itself.

    The operation waits for all control predecessors of the chain. Instructions that waited
    for the done by a control dependency wait for the operation; those that waited for the
    start or an update wait for the control predecessors of these instead: launching has no
    result, and the operation comes later.

    Before:

    ```mlir
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = "mhlo.async_start"(%arg0) <{called_computation = @async_computation,
          execution_thread = "sparsecore"}> : (tensor<8xf32>)
          -> !mhlo.async_bundle<tuple<tensor<8xf32>>, tensor<8xf32>>
      %1 = stablehlo.sine %arg0 : tensor<8xf32>
      %2 = "mhlo.async_done"(%0)
          : (!mhlo.async_bundle<tuple<tensor<8xf32>>, tensor<8xf32>>) -> tensor<8xf32>
      %3 = stablehlo.add %1, %2 : tensor<8xf32>
      return %3 : tensor<8xf32>
    }
    func.func private @async_computation(%arg0: tensor<8xf32>) -> tensor<8xf32>
        attributes {execution_thread = "sparsecore"} {
      %0 = stablehlo.custom_call @lookup(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```

    After:

    ```mlir
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = stablehlo.sine %arg0 : tensor<8xf32>
      %1 = stablehlo.custom_call @lookup(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
      %2 = stablehlo.add %0, %1 : tensor<8xf32>
      return %2 : tensor<8xf32>
    }
    ```
    """

    name = "async-unwrap"

    execution_thread: str = ""
    """Unwrap the chains of this thread only."""

    def run(self, module: ModuleOp) -> None:
        self._unwrap(MlirProgram(module))

    def run_hlo(self, module: hlo.Module) -> None:
        """Unwrap in an HLO module."""
        self._unwrap(HloProgram(module))

    def _unwrap(self, program: Program[Op]) -> None:
        found = [chain for _, in_block in chains(program) for chain in in_block]
        for chain in found:
            if self.execution_thread in ("", program.thread(chain.start)):
                program.unwrap(chain)
        program.finish()
