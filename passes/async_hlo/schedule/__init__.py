"""`-async-schedule`.

`dependencies` makes the `graph` of a block, `hoist` and `interleave` order it, and `bound` limits
the chains in flight, if need be with a `search`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sdykit import hlo
from sdykit.core import ModulePass
from sdykit.mlir import ModuleOp
from sdykit.passes.async_hlo._hlo.program import HloProgram
from sdykit.passes.async_hlo._mlir.program import MlirProgram
from sdykit.passes.async_hlo._program import Chain, Op, Program, chains
from sdykit.passes.async_hlo.schedule.bound import BoundError, limit_in_flight
from sdykit.passes.async_hlo.schedule.dependencies import graph_of
from sdykit.passes.async_hlo.schedule.graph import Graph
from sdykit.passes.async_hlo.schedule.hoist import hoist_starts_sink_dones
from sdykit.passes.async_hlo.schedule.interleave import interleave_work


@dataclass(frozen=True)
class SchedulePass(ModulePass):
    """Start chains early and end them late, so that they overlap with other work.

    Each block is reordered. A chain is in flight from its start to its done; at no point
    are more than `max-in-flight` chains of a block in flight. Starts move up, and so does
    what they depend on; dones move down, and so do their users. In the result no start
    could come earlier by itself, and no done later, without breaking a dependency or the
    bound. What counts as a dependency:

    - operands and control predecessors;
    - side effects: operations that have them keep their order, and a chain whose operation
      has them counts from its start to its done;
    - threads: the chains of one thread keep the order of their starts, since the thread
      runs them in that order;
    - buffers: an operation that is declared to overwrite an operand does not pass other
      users of that operand, for which it would have to be copied.

    A root or terminator that is last stays last, and leading parameters stay first. Updates
    keep their place among the other operations where they can.

    In a block that keeps to the bound no chain loses overlap: what came between a start
    and its done still does, and chains that overlapped still do. So whatever operations
    cost, and with each thread running its chains one after the other, the block takes no
    longer than before. A block that has more in flight is first brought to the bound: a
    start that would be one too many waits, or another chain ends before it. It is an error
    if no such order is found.

    Before:

    ```mlir
    %0 = stablehlo.custom_call @sort(%ids) : (tensor<8xi32>) -> tensor<8xi32>
    %1 = "mhlo.async_start"(%0) <{called_computation = @lookup, execution_thread = "sparsecore"}>
        : (tensor<8xi32>) -> !bundle
    %2 = "mhlo.async_done"(%1) : (!bundle) -> tensor<8xf32>
    %3 = stablehlo.sine %arg0 : tensor<8xf32>
    %4 = stablehlo.add %2, %3 : tensor<8xf32>
    ```

    After:

    ```mlir
    %0 = stablehlo.custom_call @sort(%ids) : (tensor<8xi32>) -> tensor<8xi32>
    %1 = "mhlo.async_start"(%0) <{called_computation = @lookup, execution_thread = "sparsecore"}>
        : (tensor<8xi32>) -> !bundle
    %2 = stablehlo.sine %arg0 : tensor<8xf32>
    %3 = "mhlo.async_done"(%1) : (!bundle) -> tensor<8xf32>
    %4 = stablehlo.add %3, %2 : tensor<8xf32>
    ```
    """

    name = "async-schedule"

    max_in_flight: int = 0
    """Maximum number of chains of a block in flight at once; 0 for any number."""

    def __post_init__(self) -> None:
        if self.max_in_flight < 0:
            raise ValueError(
                f"option 'max-in-flight' must not be negative, found {self.max_in_flight}"
            )

    def run(self, module: ModuleOp) -> None:
        self._schedule(MlirProgram(module))

    def run_hlo(self, module: hlo.Module) -> None:
        """Schedule the computations of an HLO module."""
        self._schedule(HloProgram(module))

    def _schedule(self, program: Program[Op]) -> None:
        for block, found in list(chains(program)):
            self._schedule_block(program, block, found)
        program.finish()

    def _schedule_block(
        self, program: Program[Op], block: Sequence[Op], found: Sequence[Chain[Op]]
    ) -> None:
        ops = program.movable(block)
        graph = graph_of(program, ops, found)
        bound = self.max_in_flight or len(found)
        try:
            order = schedule_graph(graph, bound)
        except BoundError as error:
            program.fail(
                ops[error.start],
                f"would be chain number {bound + 1} in flight, but max-in-flight={bound};"
                " no order was found that keeps to it, as chains in flight depend on operations"
                " after it: use a larger bound",
            )
        if order != list(range(len(ops))):
            program.reorder(block, [ops[position] for position in order])


def schedule_graph(graph: Graph, bound: int) -> list[int]:
    """Return the order that a block is scheduled in.

    Args:
        graph: the dependencies of the block.
        bound: the maximum number of chains in flight.

    Raises:
        BoundError: no order was found that keeps to the bound.
    """
    order = list(range(len(graph)))
    for step in (limit_in_flight, interleave_work, hoist_starts_sink_dones):
        chosen = step(graph, bound)
        if chosen == list(range(len(graph))):
            continue  # Most blocks keep to the bound already.
        order = [order[op] for op in chosen]
        graph = graph.reordered(chosen)
    return order
