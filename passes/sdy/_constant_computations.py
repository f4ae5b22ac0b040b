"""Which `sdy.named_computation`s and `func.call`s make a constant out of constants."""

from __future__ import annotations

from collections import defaultdict

from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sdy._call_graph import CALL, FUNC, callee_name, callees_first, functions_of
from sdykit.passes.sdy._constant_ops import (
    CONSTANT,
    CONSTANT_PRESERVING,
    IOTA,
    NAMED_COMPUTATION,
    SHARDING_GROUP,
    keeps_constants,
)
from sdykit.passes.sdy._constant_order import ops_anywhere, is_straight, precedes


class Enclosing:
    """Finds the nearest op with one of some names around ops; each block is asked once."""

    def __init__(self, *names: str) -> None:
        self._names = names
        self._found: dict[ir.Block, ir.Operation | None] = {}

    def of(self, op: ir.Operation) -> ir.Operation | None:
        """Give the op around `op`."""
        block = op.block
        if block in self._found:
            return self._found[block]
        above: ir.Operation | None = op
        while above is not None:
            parent = above.parent
            above = None if parent is None else parent.operation
            if above is not None and above.name in self._names:
                break
        self._found[block] = above
        return above


Key = tuple[str, str]
"""A computation as C++ knows it: `func.call` or `sdy.named_computation`, and a name.

Named computations that share a name share their fate.
"""


class Computations:
    """The scopes of a module, and the computations that are constants if their operands are.

    A scope is a function or the body of a `sdy.named_computation`. A computation
    qualifies if its ops all do: constants, ops that make constants out of constants,
    sharding groups and terminators. So does a function without a body.
    """

    def __init__(self, module: ModuleOp) -> None:
        self.straight = is_straight(module.operation)
        self.functions = functions_of(module)
        """The functions of this module itself, by name."""
        self.scopes: list[ir.Operation] = []
        """Inner scopes before outer ones, callees before callers."""
        # Asked only for ops of scopes that nobody has changed yet: later, a new op may
        # have the address of an erased one.
        self._constant: set[ir.Operation] = set()
        self._varying: set[Key] = set()
        self._children: dict[ir.Operation | None, list[ir.Operation]] = defaultdict(list)
        self._find_scopes(module.operation)

    def are_constant(self, op: ir.Operation, name: str) -> bool:
        """Tell whether an op is a computation that makes a constant out of constants."""
        return name in (NAMED_COMPUTATION, CALL) and op in self._constant

    def _find_scopes(self, module: ir.Operation) -> None:
        named: dict[ir.Operation | None, list[ir.Operation]] = defaultdict(list)
        calls: dict[ir.Operation | None, list[ir.Operation]] = defaultdict(list)
        scope, function = Enclosing(FUNC, NAMED_COMPUTATION), Enclosing(FUNC)
        for op in ops_anywhere(module, self.straight, NAMED_COMPUTATION, CALL):
            self._children[scope.of(op)].append(op)
            (named if op.name == NAMED_COMPUTATION else calls)[function.of(op)].append(op)
        calls_of = {name: calls[func] for name, func in self.functions.items()}
        called = {callee_name(call) for listed in calls_of.values() for call in listed}
        for name in callees_first(self.functions, calls_of):
            func = self.functions[name]
            for op in named[func]:
                self._add_scope(op, _key(op))
            self._add_scope(func, (CALL, name) if name in called else None)
        # What functions of nested modules call is theirs, and is not cloned.
        own = set(self.functions.values())
        for func in ops_anywhere(module, self.straight, FUNC):
            if func not in own:
                self._varying.update(_key(call) for call in calls[func])
                for op in named[func]:
                    self._add_scope(op, _key(op))
                self._add_scope(func, None)

    def _add_scope(self, scope: ir.Operation, key: Key | None) -> None:
        """Add a scope, and find out whether it is a computation to count on under its key."""
        self.scopes.append(scope)
        children = {op: _key(op) for op in self._children[scope]}
        self._constant.update(op for op, of in children.items() if of not in self._varying)
        if key is None:
            return
        varying = self._first_varying(scope)
        if varying is None:
            return
        self._varying.add(key)
        # A computation within itself qualifies as long as nothing stands against it.
        for op, of in children.items():
            if of == key and op in self._constant and precedes(varying, op):
                self._constant.discard(op)

    def _first_varying(self, scope: ir.Operation) -> ir.Operation | None:
        """Find the first op that keeps a scope from being a constant."""
        return next(
            (
                op.operation
                for region in scope.regions
                for block in region
                for op in block.operations
                if not self._qualifies(op.operation)
            ),
            None,
        )

    def _qualifies(self, op: ir.Operation) -> bool:
        name = op.name
        if name in CONSTANT_PRESERVING:
            return keeps_constants(op, name)
        return (
            name in (CONSTANT, IOTA, SHARDING_GROUP)
            or op.has_trait(ir.IsTerminatorTrait)
            or self.are_constant(op, name)
        )


def _key(op: ir.Operation) -> Key:
    if op.name == CALL:
        return CALL, callee_name(op)
    return NAMED_COMPUTATION, ir.StringAttr(op.attributes["name"]).value
