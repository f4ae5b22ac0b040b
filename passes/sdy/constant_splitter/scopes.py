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
    """

    op: ir.Operation
    computation: Computation | None
    is_nested: bool


def scopes_of(module: ModuleOp) -> list[Scope]:
    """Return the scopes of a module: inner ones before outer ones, callees before callers."""
    functions = {
        (_parent(func), ir.StringAttr(func.attributes["sym_name"]).value): func
        for func in ops_named(module, FUNC)
    }
    calls = {
        key: [callee_name(call) for call in ops_named(func, *CALLS)]
        for key, func in functions.items()
    }
    callees = {name for names in calls.values() for name in names}

    def callees_of(key: tuple[ir.Operation, str]) -> Iterator[tuple[ir.Operation, str]]:
        inside = ((key[0], name) for name in calls[key])
        return (callee for callee in inside if callee in functions)

    scopes: list[Scope] = []
    for key in depth_first(functions, callees_of):
        func, name, is_nested = functions[key], key[1], key[0] != module.operation
        named = ops_named(func, NAMED_COMPUTATION)
        scopes += [Scope(op, computation_of(op), is_nested) for op in named]
        scopes.append(Scope(func, (CALL, name) if name in callees else None, is_nested))
    return scopes


def ops_in(scope: Scope, *names: str) -> list[ir.Operation]:
    """Return the ops of a scope, without those of scopes in it, that have one of the names."""
    found = ops_named(scope.op, *names)
    if ops_named(scope.op, *_SCOPES):
        return [op for op in found if _scope_around(op) == scope.op]
    return found


def _scope_around(op: ir.Operation) -> ir.Operation:
    while (op := _parent(op)).name not in _SCOPES:
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
