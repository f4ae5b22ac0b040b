"""`-async-verify`.

`chains` has the rules for MLIR, and `root` finds the operation whose results a function returns.
"""

from __future__ import annotations

from dataclasses import dataclass

from sdykit import hlo
from sdykit.core import ModulePass
from sdykit.hlo.verify import check
from sdykit.mlir import ModuleOp
from sdykit.passes.async_hlo.verify.chains import check_chains


@dataclass(frozen=True)
class VerifyPass(ModulePass):
    """Check the rules of asynchronous chains that the other passes and XLA rely on.

    Over HLO text it runs the verifier that `hlo-opt` runs by itself before and after passes
    (`sdykit.hlo.verify`). Over MLIR it checks those of the same rules that MLIR's own
    verifier of `mhlo.async_*` does not:

    - A start or update has one user, an update or done in the same block.
    - Update and done name no other function or thread than their start.
    - The function of a start has a body: `get_tuple_element`s and at most one other
      operation, all of whose results it returns; with the frontend attribute
      `_collectives_group` on the start, any operations. A tuple may be returned element by
      element (`get_tuple_element` with the attribute `hlo.implied`, as `hlo-opt` writes it).
    - It is called by this start and by nothing else.
    - The operation has no `-start` and `-done` opcodes of its own in HLO (copy, all-reduce,
      all-gather, collective-permute, send, recv).

    Every error is reported.

    Refused:

    ```mlir
    %0 = "mhlo.async_start"(%arg0) <{called_computation = @f, execution_thread = "main"}>
        : (tensor<8xf32>) -> !bundle
    %1 = "mhlo.async_done"(%0) : (!bundle) -> tensor<8xf32>
    %2 = "mhlo.async_done"(%0) : (!bundle) -> tensor<8xf32>
    ```

    with `'mhlo.async_start' op requires one consumer, found 2`.
    """

    name = "async-verify"

    def run(self, module: ModuleOp) -> None:
        check_chains(module)

    def run_hlo(self, module: hlo.Module) -> None:
        """Check an HLO module.

        Raises:
            VerificationError: the verifier finds errors.
        """
        check(module)
