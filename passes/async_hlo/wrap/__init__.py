"""`-async-wrap`.

`choice` decides which operations are wrapped.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sdykit import hlo
from sdykit.core import ModulePass
from sdykit.mlir import ModuleOp
from sdykit.passes.async_hlo._hlo.program import HloProgram
from sdykit.passes.async_hlo._mlir.program import MlirProgram
from sdykit.passes.async_hlo._program import Op, Program
from sdykit.passes.async_hlo.wrap.choice import Choice

_UNQUOTABLE = frozenset('"\\\n\r')


@dataclass(frozen=True)
class WrapPass(ModulePass):
    """Turn chosen operations into start/done chains.

    An operation is chosen if it meets every criterion that is given: `ops`, `attribute`,
    `custom-call-target`. At least one must be. It moves into a computation of its own
    (in MLIR a private function), which takes its operands; a start and a done take its
    place. Operations that depend on it by control wait for the done, and the start waits
    for the control predecessors of the operation. Its attributes move with it; HLO's
    `metadata` is on start and done as well. Computations that it runs (`call`, `fusion`,
    `while`, `conditional`) move to the thread with it.

    Only operations that run as part of the program are chosen: those in the entry
    computation, in functions, and in what these run by control flow; none that are fused, in
    a reducer, or wrapped already. A name, target or attribute that none of them has is a
    warning.

    A chosen operation that the verifier would refuse is an error: one with `-start` and
    `-done` opcodes of its own (copy, all-reduce, all-gather, collective-permute, send,
    recv), a parameter, a start, update or done; in MLIR also one whose operands or results
    have types that a bundle cannot hold.

    Before:

    ```mlir
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = stablehlo.custom_call @lookup(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```

    After `-async-wrap='custom-call-target=lookup execution-thread=sparsecore'`:

    ```mlir
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = "mhlo.async_start"(%arg0) <{called_computation = @async_computation,
          execution_thread = "sparsecore"}> : (tensor<8xf32>)
          -> !mhlo.async_bundle<tuple<tensor<8xf32>>, tensor<8xf32>>
      %1 = "mhlo.async_done"(%0)
          : (!mhlo.async_bundle<tuple<tensor<8xf32>>, tensor<8xf32>>) -> tensor<8xf32>
      return %1 : tensor<8xf32>
    }
    func.func private @async_computation(%arg0: tensor<8xf32>) -> tensor<8xf32>
        attributes {execution_thread = "sparsecore"} {
      %0 = stablehlo.custom_call @lookup(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
    """

    name = "async-wrap"

    ops: tuple[str, ...] = ()
    """Operations by name: opcodes of HLO (`dot`, `custom-call`), or names of MLIR with their
    dialect (`stablehlo.dot_general`); in HLO text also single instructions (`%fusion.3`)."""

    attribute: str = ""
    """Operations with this attribute, or with this value of it: `name`, `name=value`.
    Frontend attributes count."""

    custom_call_target: tuple[str, ...] = ()
    """Custom calls of these targets."""

    execution_thread: str = hlo.MAIN_THREAD
    """The thread that the chains run on; XLA's default is `main` as well."""

    def __post_init__(self) -> None:
        if not self._choice:
            raise ValueError(
                "nothing is chosen: expected 'ops', 'attribute' or 'custom-call-target'"
            )
        # XLA prints the name as it is between quotes.
        if not self.execution_thread or not _UNQUOTABLE.isdisjoint(self.execution_thread):
            raise ValueError(
                "option 'execution-thread' expects a name without quotes, backslashes and line"
                f" breaks, found {self.execution_thread!r}"
            )

    @property
    def _choice(self) -> Choice:
        return Choice(self.ops, self.attribute, self.custom_call_target)

    def run(self, module: ModuleOp) -> None:
        self._wrap(MlirProgram(module))

    def run_hlo(self, module: hlo.Module) -> None:
        """Wrap in an HLO module."""
        self._wrap(HloProgram(module))

    def _wrap(self, program: Program[Op]) -> None:
        names = tuple([program.own_name(name) for name in self.ops])
        choice = replace(self._choice, names=names)
        chosen = [op for op in program.runnable_ops() if choice.matches(program.facts(op))]
        self._warn_of_misses(program, choice, chosen)
        for op in chosen:
            refusal = program.refusal(op)
            if refusal:
                program.fail(op, f"cannot be wrapped: {refusal}")
        for op in chosen:
            program.wrap(op, self.execution_thread)
        program.finish()

    def _warn_of_misses(self, program: Program[Op], choice: Choice, chosen: list[Op]) -> None:
        left = choice.without(map(program.facts, chosen))
        if chosen and not left.names and not left.custom_call_targets:
            return
        misses = list(choice.not_found_in(map(program.facts, program.runnable_ops())))
        if not chosen and not misses:
            misses = ["no operation meets all criteria at once"]
        for miss in misses:
            program.warn(f"async-wrap: {miss}")
