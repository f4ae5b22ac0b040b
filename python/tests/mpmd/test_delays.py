"""The two passes that delay ops: compared with a quadratic reference, and run twice."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from sdykit.mlir import ir
from support.mpmd.checks import is_inferred, main_ops, random_modules, run

INFERRED = "mpmd-delay-inferred-fragments"
TRANSFERS = "mpmd-delay-transfers-from-cpu"

CPU = re.compile(r'<"[^"]*/cpu"|memory_kind="pinned_host"')


def is_from_cpu(op: ir.Operation) -> bool:
    return op.name == "mpmd.transfer" and CPU.search(str(op.operands[0].type)) is not None


def first_user(op: ir.Operation, order: Sequence[ir.Operation]) -> ir.Operation | None:
    return next((user for user in order if set(user.operands) & set(op.results)), None)


def delayed_by_reference(ops: list[ir.Operation], moving: list[ir.Operation]) -> list[ir.Operation]:
    """Move each op, in the order of `moving`, to just before its first user in the list."""
    order = list(ops)
    for op in moving:
        user = first_user(op, order)
        if user is not None:
            order.remove(op)
            order.insert(order.index(user), op)
    return order


def count_changed(pipeline: str, moves: Callable[[ir.Operation], bool], step: int) -> int:
    """Compare a pass with the reference; return the number of programs that it changed."""
    changed = 0
    for module in random_modules():
        ops = main_ops(module)
        expected = delayed_by_reference(ops, [op for op in ops if moves(op)][::step])
        run(module, pipeline)
        assert main_ops(module) == expected, module
        changed += expected != ops
    return changed


def test_inferred_fragments_move_as_by_a_quadratic_reference() -> None:
    assert count_changed(INFERRED, is_inferred, -1) > 50


def test_transfers_move_as_by_a_quadratic_reference() -> None:
    assert count_changed(TRANSFERS, is_from_cpu, 1) > 50


def test_a_second_run_swaps_inferred_fragments_of_one_user() -> None:
    swapped = 0
    for module in random_modules():
        run(module, INFERRED)
        once = main_ops(module)
        run(module, INFERRED)
        twice = main_ops(module)
        # Fragments that lead to the same op are a block before it; within it, they may swap.
        assert [end_of_chain(op, once) for op in once] == [end_of_chain(op, once) for op in twice]
        swapped += once != twice
    assert swapped > 0


def end_of_chain(op: ir.Operation, order: Sequence[ir.Operation]) -> ir.Operation:
    """Follow first users from an inferred fragment to the first op of another kind."""
    user = first_user(op, order) if is_inferred(op) else None
    return op if user is None else end_of_chain(user, order)


def test_a_second_run_moves_chains_of_transfers() -> None:
    moved = 0
    for module in random_modules():
        run(module, TRANSFERS)
        once = main_ops(module)
        run(module, TRANSFERS)
        twice = main_ops(module)
        # A transfer that feeds another one was moved to the earlier position of that one.
        chained = {op for op in once if is_from_cpu(op) and feeds_transfer(op)}
        assert [op for op in once if op not in chained] == [op for op in twice if op not in chained]
        moved += once != twice
    assert moved > 0


def feeds_transfer(op: ir.Operation) -> bool:
    return any(is_from_cpu(use.owner.operation) for use in op.results[0].uses)
