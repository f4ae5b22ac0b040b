"""`-sparsecore-join-row-steps`.

`form` checks that steps are loops over the rows of a block, and that they share data by row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sdykit.core import ModulePass
from sdykit.core.sparsecore.names import JOINED
from sdykit.core.sparsecore.steps import REDUCE_GRADIENTS, Step, steps_in
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sparsecore._programs.entry import entry_of
from sdykit.passes.sparsecore._steps.forward import forward_row
from sdykit.passes.sparsecore._steps.unused import erase_idle
from sdykit.passes.sparsecore.join_row_steps.form import body_of, check_form, end_of, row_accesses


@dataclass(frozen=True)
class JoinRowStepsPass(ModulePass):
    """Take all steps of an update with a row before the first one with the next row.

    A tile takes its rows in blocks of as many as it has room for: step `deduplicate` is a loop that
    finds the rows of a block, and the steps after it are loops over these rows. How many rows a block
    has changes no result, so that it has one: each of these loops is replaced by its body. The loop
    over the blocks, which is one over rows then, has the attribute `sparsecore.joined`.

    What a step stores for the row is used where it is computed, instead of being loaded. A buffer
    that nothing loads from any more is erased; of others, one row is left.

    The position of the next row, for which `deduplicate` searches, is that which `reduce_gradients`
    comes to: it reads the entries of a row up to the first one of the next row. The search is erased.

    The program is one that `-sparsecore-verify-steps` accepts, after `-sparsecore-update-in-place`.

    Before, in short:

    ```mlir
    scf.while (%p = %first) ... do {
      deduplicate: %found:2 = scf.while (%q = %p, %n = %c0) ... do {
        rows[%n] = "the row"(%q)
        scf.yield "search for the next row"(%q), %n + 1
      }
      reduce_gradients: scf.for %k = %c0 to %found#1 iter_args(%q = %p) {
        %end, %sum = "sum the gradients of the row"(%q)
        sums[%k] = %sum
        scf.yield %end
      }
      apply: scf.for %k = %c0 to %found#1 {
        table[rows[%k]] = table[rows[%k]] - rate * sums[%k]
      }
      scf.yield %found#0
    }
    ```

    After:

    ```mlir
    scf.while (%p = %first) ... do {
      %row = "the row"(%p)
      %end, %sum = "sum the gradients of the row"(%p)
      table[%row] = table[%row] - rate * %sum
      scf.yield %end
    }
    ```
    """

    name = "sparsecore-join-row-steps"

    def run(self, module: ModuleOp) -> None:
        entry = entry_of(module)
        if entry is None:
            return
        steps = steps_in(entry)
        for step in [each for each in steps if each.name == REDUCE_GRADIENTS]:
            _join(entry, [each for each in steps if each.op.block == step.op.block])


def _join(entry: ir.Operation, steps: Sequence[Step]) -> None:
    """Join the steps of a block of rows.

    Raises:
        PassFailure: they cannot be joined.
    """
    check_form(steps)
    accesses = row_accesses(entry, steps)
    first, *others = (step.op for step in steps)
    body, blocks, (position, number) = first.block, first.block.owner.operation, first.operands
    positions = _take_body(first, [position, number])[:1]
    for loop in others:
        positions += _take_body(loop, [number, position])
    end_of(body).operands[0] = positions[-1]
    for alloc, ops in accesses.items():
        forward_row(alloc, ops)
    erase_idle(blocks)
    names = [ir.StringAttr.get(step.name, entry.context) for step in steps]
    blocks.attributes[JOINED] = ir.ArrayAttr.get(names, entry.context)


def _take_body(loop: ir.Operation, values: Sequence[ir.Value]) -> list[ir.Value]:
    """Replace a loop by its body for one iteration; return what it yields.

    Args:
        loop: the loop.
        values: the values of the body's arguments; there may be more.
    """
    body = body_of(loop)
    for argument, value in zip(body.arguments, values, strict=False):
        argument.replace_all_uses_with(value)
    *ops, end = [view.operation for view in body]
    yielded = list(end.operands)
    for result, value in zip(loop.results, yielded, strict=True):
        result.replace_all_uses_with(value)
    for op in ops:
        op.move_before(loop)
    loop.erase()
    return yielded
