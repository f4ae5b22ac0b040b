"""`-sparsecore-verify-steps`.

`form` checks the attributes of steps, `sizes` those of allocations, and `flow` what steps access.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sdykit.core import ModulePass
from sdykit.core.sparsecore.names import JOINED, STEP
from sdykit.core.sparsecore.nesting import ops_in
from sdykit.core.sparsecore.steps import steps_in
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sparsecore._programs.buffers import buffers_of
from sdykit.passes.sparsecore._programs.entry import entry_of
from sdykit.passes.sparsecore.verify_steps.flow import check_accesses, check_order
from sdykit.passes.sparsecore.verify_steps.form import check_form
from sdykit.passes.sparsecore.verify_steps.sizes import check_sizes


@dataclass(frozen=True)
class VerifyStepsPass(ModulePass):
    """Check the steps of a tile program, and the buffers that they read and write.

    - A step is a loop, is not within another step, and has a name of `sdykit.core.sparsecore.steps`.
    - `sparsecore.reads` and `sparsecore.writes` are the names of all arguments and allocations that
      the step reads and writes, and of no others. An allocation within a step is its own, and is
      not named there.
    - Only steps write buffers. What is read from an allocation, the same step or one before has
      written; and what a step writes there, a step reads.
    - The expressions in `sparsecore.size` of an allocation have the values in its type, with
      `sparsecore.sizes` of the entry function.

    The status, counters, and ops with the attribute `sparsecore.check` are left out, as a chip has none. A
    program without steps, or with steps that are joined for a CPU, is not checked. No program is
    changed:

    ```mlir
    func.func @lookup(%ids: memref<?xi32> {sparsecore.name = "ids"}, ...)
        attributes {sparsecore.entry, sparsecore.sizes = {max_ids_per_partition = 256 : i64}} {
      scf.parallel (%core) = (%c0) to (%c4) step (%c1) {
        %held = memref.alloc() {sparsecore.name = "entry_ids",
            sparsecore.size = ["max_ids_per_partition"]} : memref<256xi32, "spmem">
        scf.parallel (%tile) = (%c0) to (%c16) step (%c1) {
          memref.copy %from, %to : ...
        } {sparsecore.step = "load", sparsecore.reads = ["ids"], sparsecore.writes = ["entry_ids"]}
    ```
    """

    name = "sparsecore-verify-steps"

    def run(self, module: ModuleOp) -> None:
        entry = entry_of(module)
        if entry is None:
            return
        ops = ops_in(entry)
        marked = [op for op in ops if len(op.attributes)]
        if not _has_steps(marked):
            return
        buffers = buffers_of(entry)
        for op in marked:
            check_form(op, buffers)
        check_sizes(entry)
        steps = steps_in(entry)
        check_accesses(entry, ops, steps, buffers)
        check_order(steps, buffers)


def _has_steps(ops: Sequence[ir.Operation]) -> bool:
    """Return whether some ops are steps, and none of them are joined for a CPU."""
    is_joined = any(JOINED in op.attributes for op in ops)
    return not is_joined and any(STEP in op.attributes for op in ops)
