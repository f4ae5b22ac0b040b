"""Cloning the functions that constants call."""

from __future__ import annotations

from sdykit.core import fail
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sdy._call_graph import CALL, ORIGINAL_FUNC_NAME, callee_name
from sdykit.passes.sdy.constant_splitter.order import ops_anywhere


class Callees:
    """Clones functions, so that each copy of a call has a function of its own."""

    def __init__(
        self, module: ModuleOp, functions: dict[str, ir.Operation], *, straight: bool
    ) -> None:
        self._body = module.body
        self._functions = functions
        self._straight = straight
        # One for all clones: the numbers in new names go up from clone to clone.
        self._symbols = ir.SymbolTable(module.operation)

    def clone(self, call: ir.Operation) -> ir.Attribute:
        """Clone the function that is called, and those that it calls; give its new name.

        A clone stands at the end of the module, after the clones of what it calls.
        """
        name = callee_name(call)
        stack = [self._start(name)]
        names = [name]
        while True:
            clone, calls = stack[-1]
            if calls:
                inner = callee_name(calls[-1])
                if inner in names:
                    fail(
                        calls[-1],
                        f"calls @{inner} recursively: its clones would need clones without end",
                    )
                names.append(inner)
                stack.append(self._start(inner))
                continue
            new_name = self._finish(clone, names.pop())
            stack.pop()
            if not stack:
                return new_name
            stack[-1][1].pop().attributes["callee"] = new_name

    def _start(self, name: str) -> tuple[ir.Operation, list[ir.Operation]]:
        """Clone one function; give the clone and the calls in it, the first one last."""
        clone = self._functions[name].clone(ip=False)
        return clone, ops_anywhere(clone, (CALL,), straight=self._straight)[::-1]

    def _finish(self, clone: ir.Operation, name: str) -> ir.Attribute:
        if ORIGINAL_FUNC_NAME not in clone.attributes:
            clone.attributes[ORIGINAL_FUNC_NAME] = ir.StringAttr.get(name)
        # Appended first: `insert` alone leaves the clone to Python, which would free it.
        self._body.append(clone)
        self._symbols.insert(clone)
        unique = ir.StringAttr(clone.attributes["sym_name"]).value
        self._functions[unique] = clone
        return ir.FlatSymbolRefAttr.get(unique)
