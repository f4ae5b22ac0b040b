"""The bodies of fragments: the functions that they call, and ops that need more than the program."""

from __future__ import annotations

from collections.abc import Iterable

from sdykit.mlir import ir
from sdykit.mpmd.errors import fail_at
from sdykit.mpmd.program import Program
from sdykit.spmd.outside import need_of_outside

_CALLED = ("callee", "decomposition", "called_computations")
"""Attributes that name functions."""


def copy_callees(program: Program, module: ir.Module) -> None:
    """Copy the functions that `@main` calls, and those that they call."""
    copied = {"main"}
    pending = [module.body.operations[0].operation]
    while pending:
        for op, name in _calls(pending.pop()):
            if name == "main":
                fail_at(op, "a computation on one mesh cannot call @main")
            if name in copied:
                continue
            copied.add(name)
            pending.append(program.function(name).clone())


def _calls(func: ir.Operation) -> Iterable[tuple[ir.Operation, str]]:
    for op in post_order(func):
        for name in _CALLED:
            called = op.attributes.get(name)
            for each in called if isinstance(called, ir.ArrayAttr) else [called]:
                if isinstance(each, ir.FlatSymbolRefAttr):
                    yield op, each.value


def post_order(root: ir.Operation) -> list[ir.Operation]:
    """Return the ops of a tree, inner ops before those around them."""
    return _ordered(root, ir.WalkOrder.POST_ORDER)


def pre_order(root: ir.Operation) -> list[ir.Operation]:
    """Return the ops of a tree, in the order of the text."""
    return _ordered(root, ir.WalkOrder.PRE_ORDER)


def _ordered(root: ir.Operation, order: ir.WalkOrder) -> list[ir.Operation]:
    found: list[ir.Operation] = []

    def collect(op: ir.Operation) -> ir.WalkResult:
        found.append(op)
        return ir.WalkResult.ADVANCE

    root.walk(collect, order)
    return found


def check_self_contained(op: ir.Operation) -> None:
    """Check that an op calls no Python function, and exchanges nothing with the outside.

    Raises:
        ExecutionError: it does.
    """
    problem = need_of_outside(op)
    if problem is not None:
        fail_at(op, problem)
