"""`-sparsecore-join-row-steps`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sdykit.core import ModulePass, fail
from sdykit.core.sparsecore.names import JOINED, READS, STEP, WRITES
from sdykit.core.sparsecore.steps import (
    APPLY,
    DEDUPLICATE,
    GATHER,
    REDUCE_GRADIENTS,
    SCATTER,
    Step,
    steps_in,
)
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sparsecore._fusion.accesses import LOAD, accessed_row, integer_of, maker_of
from sdykit.passes.sparsecore._fusion.loops import (
    FOR,
    WHILE,
    body_of,
    end_of,
    ops_between,
    ops_of,
)
from sdykit.passes.sparsecore._programs.accesses import Access, accesses_of
from sdykit.passes.sparsecore._programs.arguments import name_of
from sdykit.passes.sparsecore._programs.entry import entry_of
from sdykit.passes.sparsecore._programs.nesting import ops_in

_STEPS = (DEDUPLICATE, REDUCE_GRADIENTS, GATHER, APPLY, SCATTER)
_PURE = ("arith.", "memref.dim")
_FIRST = (
    "expected an scf.while that carries a position and the number of rows, from 0 on, and adds 1 to "
    "the latter"
)
_OTHER = (
    f"expected an scf.for over the rows that step '{DEDUPLICATE}' found, which carries at most the "
    "position, from the same first one on"
)
_PLACE = (
    "expected only the row that the iteration counts, or the one that a list of distinct rows has "
    "there"
)


@dataclass(frozen=True)
class JoinRowStepsPass(ModulePass):
    """Join the steps of an update: what is done with a row is done when it is found.

    Step `deduplicate` of a block of rows is a loop that finds the rows; the steps after it,
    `reduce_gradients`, `gather`, `apply` and `scatter`, are loops over these rows. Their bodies
    become one: that of the first loop, which has the attribute `sparsecore.joined`. Buffers that
    several steps use are accessed by row, so that no iteration depends on another.

    The position of a row's entries, which the first loop finds, is then that which
    `reduce_gradients` carries: it reads the entries of a row up to the first one of the next row.

    Before:

    ```mlir
    %found:2 = scf.while (%p = %first, %n = %c0) : (index, index) -> (index, index) {
      ...
      scf.condition(%both) %p, %n : index, index
    } do {
    ^bb0(%p: index, %n: index):
      memref.store %row, %rows[%n] : memref<64xindex, "spmem">
      %next = "finds the next row"(%p) : (index) -> index
      %more = arith.addi %n, %c1 : index
      scf.yield %next, %more : index, index
    } attributes {sparsecore.step = "deduplicate", ...}
    %end = scf.for %k = %c0 to %found#1 step %c1 iter_args(%p = %first) -> (index) {
      %stop, %sum = "sums a row"(%p) : (index) -> (index, vector<8xf32>)
      vector.store %sum, %sums[%k, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
      scf.yield %stop : index
    } {sparsecore.step = "reduce_gradients", ...}
    ```

    After:

    ```mlir
    %found:2 = scf.while (%p = %first, %n = %c0) : (index, index) -> (index, index) {
      ...
    } do {
    ^bb0(%p: index, %n: index):
      memref.store %row, %rows[%n] : memref<64xindex, "spmem">
      %more = arith.addi %n, %c1 : index
      %stop, %sum = "sums a row"(%p) : (index) -> (index, vector<8xf32>)
      vector.store %sum, %sums[%n, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
      scf.yield %stop, %more : index, index
    } attributes {sparsecore.joined = ["deduplicate", "reduce_gradients"]}
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
    """Join the steps of a block.

    Raises:
        PassFailure: they are other steps, or cannot be joined.
    """
    first, *others = steps
    names = [step.name for step in steps]
    if names != [name for name in _STEPS if name in names] or first.name != DEDUPLICATE:
        fail(
            first.op,
            f"is step '{first.name}' in a block with {', '.join(names)}; expected "
            f"{', '.join(_STEPS)}, in this order",
        )
    if not _counts_rows(first.op):
        fail(first.op, f"is step '{first.name}'; {_FIRST}")
    for step in others:
        if not _is_over_rows(first.op, step.op):
            fail(step.op, f"is step '{step.name}'; {_OTHER}")
    _check_between(first.op, others[-1].op)
    _check_rows(entry, steps)
    for step in others:
        _append(first.op, step)
    texts = [ir.StringAttr.get(name, entry.context) for name in names]
    for attribute in (STEP, READS, WRITES):
        del first.op.attributes[attribute]
    first.op.attributes[JOINED] = ir.ArrayAttr.get(texts, entry.context)


def _counts_rows(loop: ir.Operation) -> bool:
    """Return whether a loop carries a position, and counts rows from 0 on."""
    if loop.name != WHILE or len(loop.results) != 2 or integer_of(loop.operands[1]) != 0:
        return False
    before, after = (region.blocks[0] for region in loop.regions)
    _, *forwarded = end_of(before).operands
    more = maker_of(end_of(after).operands[1])
    return (
        forwarded == list(before.arguments)
        and more is not None
        and more.name == "arith.addi"
        and more.operands[0] == after.arguments[1]
        and integer_of(more.operands[1]) == 1
    )


def _is_over_rows(first: ir.Operation, loop: ir.Operation) -> bool:
    """Return whether a loop is over the rows that the first one counts."""
    if loop.name != FOR:
        return False
    begin, end, step, *carried = loop.operands
    return (
        (integer_of(begin), integer_of(step)) == (0, 1)
        and end == first.results[1]
        and carried in ([], [first.operands[0]])
    )


def _check_rows(entry: ir.Operation, steps: Sequence[Step]) -> None:
    """Check that steps access the buffers that they share row by row, if one of them writes it."""
    shared: dict[ir.Value, list[tuple[Step, Access]]] = {}
    for step in steps:
        for access in (each for op in ops_in(step.op) for each in accesses_of(op)):
            shared.setdefault(access.buffer, []).append((step, access))
    for found in shared.values():
        names = dict.fromkeys(step.name for step, _ in found)
        if len(names) == 1 or not any(access.is_write for _, access in found):
            continue
        rows = [_row_in(access, _number_of(step)) for step, access in found]
        for (step, access), row in zip(found, rows, strict=True):
            if row is None or row != rows[0]:
                others = ", ".join(f"'{name}'" for name in names if name != step.name)
                fail(
                    access.op,
                    f"accesses {name_of(entry, access.buffer)} in step '{step.name}', and step "
                    f"{others} does so, too; {_PLACE}",
                )


def _number_of(step: Step) -> ir.Value:
    """Return the number of the row in an iteration of a step."""
    return body_of(step.op).arguments[1 if step.op.name == WHILE else 0]


def _row_in(access: Access, number: ir.Value) -> list[ir.Value] | None:
    """Return the list that has the row of an access at a number; empty: the row is the number.

    None: it is another row, or more than one.
    """
    row = accessed_row(access)
    if row is None or row == number:
        return None if row is None else []
    load = maker_of(row)
    is_listed = load is not None and load.name == LOAD and list(load.operands)[1:] == [number]
    return [load.operands[0]] if load is not None and is_listed else None


def _check_between(first: ir.Operation, last: ir.Operation) -> None:
    """Check that between steps there is only arithmetic that uses none of their results."""
    for op in ops_between(first, last):
        makers = [maker_of(operand) for operand in op.operands]
        uses_steps = any(maker is not None and STEP in maker.attributes for maker in makers)
        if STEP not in op.attributes and (uses_steps or not op.name.startswith(_PURE)):
            fail(
                op,
                "is between the steps of an update of rows; expected only arithmetic that uses none "
                "of their results",
            )


def _append(first: ir.Operation, step: Step) -> None:
    """Move the body of a step to the end of the first loop's."""
    loop, body, own = step.op, body_of(first), body_of(step.op)
    position, number = body.arguments
    end = end_of(body)
    for op in ops_between(first, loop):
        op.move_before(first)
    own.arguments[0].replace_all_uses_with(number)
    for op in ops_of(own):
        op.move_before(end)
    if len(loop.results):
        own.arguments[1].replace_all_uses_with(position)
        loop.results[0].replace_all_uses_with(first.results[0])
        search = maker_of(end.operands[0])
        end.operands[0] = end_of(own).operands[0]
        if search is not None and not any(list(result.uses) for result in search.results):
            search.erase()
    loop.erase()
