"""The form of the steps of a block of rows: loops over the rows, which share data row by row."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from sdykit.core import fail
from sdykit.core.sparsecore.nesting import ops_in
from sdykit.core.sparsecore.steps import DEDUPLICATE, Step
from sdykit.mlir import ir
from sdykit.passes.sparsecore._programs.accesses import ELEMENTS
from sdykit.passes.sparsecore._programs.arguments import name_of
from sdykit.passes.sparsecore._programs.buffers import buffers_of
from sdykit.passes.sparsecore._programs.values import integer_of, maker_of
from sdykit.passes.sparsecore._steps.join import fail_to_join

_FOR, _WHILE = "scf.for", "scf.while"
_FIRST = (
    "expected an scf.while that carries the position and the number of rows, from 0 on, adds 1 to "
    "the latter, and runs as long as rows are left, and room"
)
_OTHER = (
    f"expected an scf.for over the rows that step '{DEDUPLICATE}' found, which carries at most the "
    "position, from the same first one on"
)
_AROUND = (
    "expected an scf.while over blocks of rows around it, which carries the position, and runs as "
    "long as rows are left"
)
_RESULTS = "expected that only the loops over these rows, and that over the blocks, use it"
_BY_ROW = "expected that steps load and store by it what they share, and use it for nothing else"


def check_form(steps: Sequence[Step]) -> None:
    """Check that steps are loops over the rows of a block, in a loop over the blocks.

    Raises:
        PassFailure: they are not.
    """
    first, *others = steps
    if first.name != DEDUPLICATE or not _counts_rows(first.op):
        fail(first.op, f"is step '{first.name}'; {_FIRST}")
    for step in others:
        if not _is_over_rows(first.op, step.op):
            fail(step.op, f"is step '{step.name}'; {_OTHER}")
    end = end_of(first.op.block)
    positions = [first.op.results[0], *(each for step in others for each in step.op.results)]
    if not _is_over_blocks(first.op, positions):
        fail(first.op, f"is step '{first.name}'; {_AROUND}")
    users = [end, *(step.op for step in others)]
    for step in steps:
        for use in (use for result in step.op.results for use in result.uses):
            if use.owner.operation not in users:
                fail(use.owner.operation, f"uses a result of step '{step.name}'; {_RESULTS}")


def _counts_rows(loop: ir.Operation) -> bool:
    """Return whether a loop carries a position and the number of rows, as long as rows are left."""
    tests = _tests_of(loop)
    if 0 not in tests or len(loop.operands) != 2 or integer_of(loop.operands[1]) != 0:
        return False
    more = maker_of(end_of(body_of(loop)).operands[1])
    return (
        more is not None
        and more.name == "arith.addi"
        and more.operands[0] == _number_in(loop)
        and integer_of(more.operands[1]) == 1
    )


def _is_over_rows(first: ir.Operation, loop: ir.Operation) -> bool:
    """Return whether a loop is over the rows that the first one counts."""
    if loop.name != _FOR:
        return False
    begin, end, step, *carried = loop.operands
    return (
        (integer_of(begin), integer_of(step)) == (0, 1)
        and end == first.results[1]
        and carried in ([], [first.operands[0]])
    )


def _is_over_blocks(first: ir.Operation, positions: Sequence[ir.Value]) -> bool:
    """Return whether a loop is in one that carries its position, and runs as long as rows are left."""
    body = first.block
    tests = _tests_of(body.owner.operation)
    return (
        list(tests) == [0]
        and tests[0] == _tests_of(first)[0]
        and list(body.arguments) == [first.operands[0]]
        and end_of(body).operands[0] in positions
    )


def _tests_of(loop: ir.Operation) -> dict[int, tuple[ir.Attribute, ir.Value]]:
    """Return how a loop compares carried values, by their numbers, as long as it runs.

    It is empty if the loop does more than that.
    """
    if loop.name != _WHILE:
        return {}
    before = loop.regions[0].blocks[0]
    condition, *forwarded = end_of(before).operands
    both = maker_of(condition)
    sides = [condition] if both is None or both.name != "arith.andi" else list(both.operands)
    tests: dict[int, tuple[ir.Attribute, ir.Value]] = {}
    for op in (maker_of(side) for side in sides):
        if op is None or op.name != "arith.cmpi" or op.operands[0] not in forwarded:
            return {}
        tests[forwarded.index(op.operands[0])] = op.attributes["predicate"], op.operands[1]
    return tests if forwarded == list(before.arguments) else {}


def row_accesses(
    entry: ir.Operation, steps: Sequence[Step]
) -> dict[ir.Operation, list[ir.Operation]]:
    """Return the allocations that steps write, with the loads and stores of each, in order.

    Raises:
        PassFailure: some are not of the row that a step counts, or steps share an argument.
    """
    buffers, held = buffers_of(entry), dict[ir.Value, ir.Operation]()
    for name in dict.fromkeys(name for step in steps for name in step.writes):
        first, *others = (step for step in steps if name in (*step.reads, *step.writes))
        alloc = maker_of(buffers[name])
        if alloc is not None:
            held[buffers[name]] = alloc
        elif others:
            fail_to_join(others[0].op, first, others[0], name, "expected an allocation")
    rows = [op for step in steps for op in _row_accesses_in(step, held)]
    for buffer in held:
        for op in (use.owner.operation for use in buffer.uses):
            if op not in rows:
                fail(op, f"uses {name_of(entry, buffer)} otherwise than by row; {_BY_ROW}")
    ops = [op for step in steps for op in ops_in(step.op) if op in rows]
    return {alloc: [op for op in ops if buffer in op.operands] for buffer, alloc in held.items()}


def _row_accesses_in(step: Step, held: Collection[ir.Value]) -> Iterator[ir.Operation]:
    """Yield the loads and stores of the row that a step counts, in some buffers.

    Raises:
        PassFailure: the step uses the number of the row for something else.
    """
    next_numbers = list(end_of(body_of(step.op)).operands)[1:]  # `deduplicate` has one.
    for use in _number_in(step.op).uses:
        op, operand = use.owner.operation, use.operand_number
        is_row = op.name in ELEMENTS and operand == ELEMENTS[op.name] + 1
        if is_row and op.operands[operand - 1] in held:
            yield op
        elif not any(result in next_numbers for result in op.results):
            fail(op, f"uses the number of a row in step '{step.name}'; {_BY_ROW}")


def _number_in(loop: ir.Operation) -> ir.Value:
    """Return the number of the row in an iteration."""
    return body_of(loop).arguments[1 if loop.name == _WHILE else 0]


def body_of(loop: ir.Operation) -> ir.Block:
    """Return the block that a loop repeats; for an `scf.while`, the one after its condition."""
    return loop.regions[-1].blocks[0]


def end_of(block: ir.Block) -> ir.Operation:
    """Return the op that ends a block."""
    return block.operations[-1].operation
