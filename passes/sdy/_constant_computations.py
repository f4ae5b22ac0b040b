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
from sdykit.passes.sdy._constant_order import is_straight, ops_anywhere, precedes


class Enclosing:
    """Finds the nearest op with one of some names around ops; each block is asked once."""

    def __init__(self, *names: str) -> None:
        self._names = names
        self._found: dict[ir.Block, ir.Operation | None] = {}

    def of(self, op: ir.Operation) -> ir.Operation | None:
        """Give the op around `op`."""
        block = op.block
        if block not in self._found:
            self._found[block] = self._climb(op)
        return self._found[block]

    def _climb(self, op: ir.Operation) -> ir.Operation | None:
        while (parent := op.parent) is not None:
            op = parent.operation
            if op.name in self._names:
                return op
        return None


Key = tuple[str, str]
"""A computation as C++ knows it: the name of the op, and that of the computation.

Named computations that share a name share their fate.
"""

_COMPUTATIONS = (NAMED_COMPUTATION, CALL)

# Only the first kind can be a constant; all tell what is called before what.
_CALLS = (CALL, "mpmd.call", "mpmd.fragment_call")

_OpsIn = dict[ir.Operation | None, list[ir.Operation]]


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
        self.scope_around = Enclosing(FUNC, NAMED_COMPUTATION)
        # Asked only for ops of scopes that nobody has changed yet: later, a new op may
        # have the address of an erased one.
        self._constant: set[ir.Operation] = set()
        self._varying: set[Key] = set()
        self._children: dict[ir.Operation | None, list[tuple[ir.Operation, Key]]]
        self._children = defaultdict(list)
        self._find_scopes(module.operation)

    def are_constant(self, op: ir.Operation, name: str) -> bool:
        """Tell whether an op is a computation that makes a constant out of constants."""
        return name in _COMPUTATIONS and op in self._constant

    def without_operands(self) -> list[ir.Operation]:
        """List the computations that are constants made of nothing."""
        children = (op for ops in self._children.values() for op, _ in ops)
        return [op for op in children if op in self._constant and not len(op.operands)]

    def _find_scopes(self, module: ir.Operation) -> None:
        function = Enclosing(FUNC)
        named: _OpsIn = defaultdict(list)
        # One call of each callee does: their order is what counts.
        calls: dict[ir.Operation | None, dict[str, ir.Operation]] = defaultdict(dict)
        called = set()
        for op in ops_anywhere(module, (NAMED_COMPUTATION, *_CALLS), straight=self.straight):
            key = _key(op)
            self._children[self.scope_around.of(op)].append((op, key))
            if key[0] == NAMED_COMPUTATION:
                named[function.of(op)].append(op)
            else:
                calls[function.of(op)].setdefault(key[1], op)
                called.add(key)
        calls_of = {name: list(calls[func].values()) for name, func in self.functions.items()}
        for name in callees_first(self.functions, calls_of):
            func = self.functions[name]
            self._add_scopes(func, named[func], (CALL, name) if (CALL, name) in called else None)
        # What functions of nested modules call is theirs, and is not cloned.
        own = set(self.functions.values())
        for func in ops_anywhere(module, (FUNC,), straight=self.straight):
            if func not in own:
                self._varying.update((CALL, callee) for callee in calls[func])
                self._add_scopes(func, named[func], None)

    def _add_scopes(self, func: ir.Operation, named: list[ir.Operation], key: Key | None) -> None:
        for op in named:
            self._add_scope(op, _key(op))
        self._add_scope(func, key)

    def _add_scope(self, scope: ir.Operation, key: Key | None) -> None:
        """Add a scope, and find out whether it can be counted on under its key, if any."""
        self.scopes.append(scope)
        children = self._children[scope]
        self._constant.update(
            op for op, of in children if of not in self._varying and of[0] in _COMPUTATIONS
        )
        varying = self._first_varying(scope) if key else None
        if key is None or varying is None:
            return
        self._varying.add(key)
        # A computation within itself qualifies as long as nothing stands against it.
        self._constant.difference_update(
            op for op, of in children if of == key and precedes(varying, op)
        )

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
    name = op.name
    if name == NAMED_COMPUTATION:
        return name, ir.StringAttr(op.attributes["name"]).value
    return name, callee_name(op)
