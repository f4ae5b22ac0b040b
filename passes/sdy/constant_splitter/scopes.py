"""The scopes that are split one by one: functions and named computations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sdykit.core import FUNC, ops_named
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sdy._call_graph import CALL, CALLS, callee_name, depth_first
from sdykit.passes.sdy.constant_splitter.ops import NAMED_COMPUTATION

Computation = tuple[str, str]
"""The name of the op and of the computation, which C++ tells computations apart by.

So named computations with the same name are either all constants or none is.
"""

_SCOPES = (FUNC, NAMED_COMPUTATION)


@dataclass(frozen=True, slots=True)
class Scope:
    """A function, or a `sdy.named_computation`.

    Attributes:
        op: the function or named computation.
        computation: the computation whose body it is; None for a function that nothing calls.
        is_nested: whether it is in a nested module, where no call counts as a constant: the
            functions of a nested module are not cloned.
        ops: the ops that were asked for, and calls and computations, without those of scopes in it.
    """

    op: ir.Operation
    computation: Computation | None
    is_nested: bool
    ops: list[ir.Operation]


def scopes_of(module: ModuleOp, *names: str) -> list[Scope]:
    """Return the scopes of a module: inner ones before outer ones, callees before callers.

    `names` are those of the ops that each scope lists.
    """
    functions = {
        (_parent(func), ir.StringAttr(func.attributes["sym_name"]).value): func
        for func in ops_named(module, FUNC)
    }
    found = {key: ops_named(func, *names, *CALLS, *_SCOPES) for key, func in functions.items()}
    calls = {key: [callee_name(op) for op in ops if op.name in CALLS] for key, ops in found.items()}
    callees = {name for names in calls.values() for name in names}

    def callees_of(key: tuple[ir.Operation, str]) -> Iterator[tuple[ir.Operation, str]]:
        inside = ((key[0], name) for name in calls[key])
        return (callee for callee in inside if callee in functions)

    scopes: list[Scope] = []
    for key in depth_first(functions, callees_of):
        func, name, is_nested = functions[key], key[1], key[0] != module.operation
        for op, ops in _by_scope(func, found[key]).items():
            if op != func:
                computation = computation_of(op)
            else:
                computation = (CALL, name) if name in callees else None
            scopes.append(Scope(op, computation, is_nested, ops))
    return scopes


def _by_scope(
    func: ir.Operation, ops: list[ir.Operation]
) -> dict[ir.Operation, list[ir.Operation]]:
    """Return the ops of the named computations in a function, inner ones first, then its own.

    Functions of a module inside the function are not part of it.
    """
    inner = [op for op in ops if op.name in _SCOPES]
    if not inner:
        return {func: ops}
    by_scope: dict[ir.Operation, list[ir.Operation]] = {
        op: [] for op in inner if op.name != FUNC and _around(op, FUNC) == func
    }
    by_scope[func] = []
    for op in ops:
        scope = _around(op, *_SCOPES)
        if scope in by_scope:
            by_scope[scope].append(op)
    return by_scope


def _around(op: ir.Operation, *names: str) -> ir.Operation:
    """Return the innermost op around an op that has one of the names."""
    while (op := _parent(op)).name not in names:
        pass
    return op


def computation_of(op: ir.Operation) -> Computation:
    """Return the computation of a `func.call` or `sdy.named_computation`."""
    if op.name == NAMED_COMPUTATION:
        return NAMED_COMPUTATION, ir.StringAttr(op.attributes["name"]).value
    return CALL, callee_name(op)


def _parent(op: ir.Operation) -> ir.Operation:
    parent = op.parent
    assert parent is not None  # Functions, and ops in them, are in a module.
    return parent.operation
