"""`-async-decompose`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sdykit import hlo
from sdykit.core import ModulePass
from sdykit.mlir import ModuleOp
from sdykit.passes.async_hlo._hlo.program import HloProgram
from sdykit.passes.async_hlo._mlir.program import MlirProgram
from sdykit.passes.async_hlo._program import Chain, Op, Program, chains


@dataclass(frozen=True)
class DecomposePass(ModulePass):
    """Set the number of updates of each chain.

    A chain that has fewer gets more: at even distances between its last update, or its
    start, and its done. A chain that has more loses the last ones; instructions that waited
    for one of them by a control dependency wait for the last phase that is kept.

    Updates are placed in the present order: schedule first, if at all.

    Before:

    ```mlir
    %0 = "mhlo.async_start"(%arg0) <{called_computation = @f, execution_thread = "main"}>
        : (tensor<8xf32>) -> !bundle
    %1 = stablehlo.sine %arg0 : tensor<8xf32>
    %2 = stablehlo.cosine %1 : tensor<8xf32>
    %3 = "mhlo.async_done"(%0) : (!bundle) -> tensor<8xf32>
    ```

    After `-async-decompose='updates=1'`:

    ```mlir
    %0 = "mhlo.async_start"(%arg0) <{called_computation = @f, execution_thread = "main"}>
        : (tensor<8xf32>) -> !bundle
    %1 = stablehlo.sine %arg0 : tensor<8xf32>
    %2 = "mhlo.async_update"(%0) : (!bundle) -> !bundle
    %3 = stablehlo.cosine %1 : tensor<8xf32>
    %4 = "mhlo.async_done"(%2) : (!bundle) -> tensor<8xf32>
    ```
    """

    name = "async-decompose"

    updates: int = 1
    """Number of updates of each chain."""

    execution_thread: str = ""
    """Decompose the chains of this thread only."""

    def __post_init__(self) -> None:
        if self.updates < 0:
            raise ValueError(f"option 'updates' must not be negative, found {self.updates}")

    def run(self, module: ModuleOp) -> None:
        self._decompose(MlirProgram(module))

    def run_hlo(self, module: hlo.Module) -> None:
        """Decompose in an HLO module."""
        self._decompose(HloProgram(module))

    def _decompose(self, program: Program[Op]) -> None:
        surplus = []
        for block, found in list(chains(program)):
            at = {op: position for position, op in enumerate(block)}
            for chain in found:
                if self.execution_thread not in ("", program.thread(chain.start)):
                    continue
                if len(chain.updates) > self.updates:
                    surplus.append(chain)
                else:
                    program.add_updates(chain, self._places(block, at, chain))
        # Last: updates may have been placed before those that are erased here.
        for chain in surplus:
            program.drop_updates(chain, self.updates)
        program.finish()

    def _places(self, block: Sequence[Op], at: dict[Op, int], chain: Chain[Op]) -> list[Op]:
        missing = self.updates - len(chain.updates)
        first = at[chain.ops[-2]] + 1
        between = at[chain.done] - first
        steps = [between * (number + 1) // (missing + 1) for number in range(missing)]
        return [block[first + step] for step in steps]
