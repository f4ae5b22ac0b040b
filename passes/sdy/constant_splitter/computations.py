"""Which `sdy.named_computation`s and `func.call`s make a constant out of constants."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from sdykit.core import FUNC, functions_of
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sdy._call_graph import CALL, callee_name
from sdykit.passes.sdy.constant_splitter.ops import (
    CONSTANT,
    CONSTANT_PRESERVING,
    IOTA,
    NAMED_COMPUTATION,
    SHARDING_GROUP,
    keeps_constants,
)
from sdykit.passes.sdy.constant_splitter.order import is_straight, ops_anywhere, precedes


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

_Op = ir.Operation | None
_Functions = dict[tuple[ir.Operation, str], ir.Operation]


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
        named: dict[_Op, list[ir.Operation]] = defaultdict(list)
        called: dict[_Op, dict[str, None]] = defaultdict(dict)
        for op in ops_anywhere(module, (NAMED_COMPUTATION, *_CALLS), straight=self.straight):
            kind, name = key = _key(op)
            self._children[self.scope_around.of(op)].append((op, key))
            if kind == NAMED_COMPUTATION:
                named[function.of(op)].append(op)
            else:
                called[function.of(op)][name] = None
        callees = {name for names in called.values() for name in names}
        for func, name in _callees_first(self._all_functions(module), called):
            # What functions of a nested module call is theirs, and is not cloned.
            kinds = _COMPUTATIONS if _parent(func) == module else (NAMED_COMPUTATION,)
            for op in named[func]:
                self._add_scope(op, _key(op), kinds)
            self._add_scope(func, (CALL, name) if name in callees else None, kinds)

    def _all_functions(self, module: ir.Operation) -> _Functions:
        """Give all functions, those of nested modules too, by the module and their name."""
        return {
            (_parent(func), ir.StringAttr(func.attributes["sym_name"]).value): func
            for func in ops_anywhere(module, (FUNC,), straight=self.straight)
        }

    def _add_scope(self, scope: ir.Operation, key: Key | None, kinds: Collection[str]) -> None:
        """Add a scope, and find out whether it can be counted on under its key, if any.

        Of the computations in it, only those of some kinds may be constants.
        """
        self.scopes.append(scope)
        children = self._children[scope]
        self._constant.update(
            op for op, of in children if of[0] in kinds and of not in self._varying
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


def _parent(func: ir.Operation) -> ir.Operation:
    parent = func.parent
    assert parent is not None  # A symbol stands in a symbol table.
    return parent.operation


def _callees_first(
    functions: _Functions, called: Mapping[_Op, Iterable[str]]
) -> list[tuple[ir.Operation, str]]:
    """Order functions, with their names, so that callees stand before their callers.

    Depth first, in the order of the functions and of their calls. On a cycle the function
    met first comes last.
    """
    order: list[tuple[ir.Operation, str]] = []
    seen: set[ir.Operation] = set()
    for (module, root), root_func in functions.items():
        if root_func in seen:
            continue
        seen.add(root_func)
        stack = [(root_func, root, iter(called.get(root_func, ())))]
        while stack:
            func, name, callees = stack[-1]
            for callee in callees:
                found = functions.get((module, callee))
                if found is not None and found not in seen:
                    seen.add(found)
                    stack.append((found, callee, iter(called.get(found, ()))))
                    break
            else:
                order.append((func, name))
                stack.pop()
    return order
