"""Clones of the functions that constants call."""

from __future__ import annotations

from collections.abc import Sequence

from sdykit.core import fail, functions_of, ops_named
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sdy._call_graph import CALL, ORIGINAL_FUNC_NAME, callee_name


class Callees:
    """Clones functions, so that each copy of a call has its own."""

    def __init__(self, module: ModuleOp) -> None:
        self._body = module.body
        self._functions = functions_of(module)
        # One for all clones: the numbers in new names go up from clone to clone.
        self._symbols = ir.SymbolTable(module.operation)

    def clone(self, call: ir.Operation, callers: Sequence[str] = ()) -> ir.Attribute:
        """Clone the function that is called and those that it calls, and return its new name.

        A clone is appended to the module, after the clones of the functions that it calls.
        `callers` are the functions that are being cloned.
        """
        name = callee_name(call)
        if name in callers:
            fail(call, f"calls @{name} recursively: its clones would need clones without end")
        clone = self._functions[name].clone(ip=False)
        for inner in ops_named(clone, CALL):
            inner.attributes["callee"] = self.clone(inner, (*callers, name))
        if ORIGINAL_FUNC_NAME not in clone.attributes:
            clone.attributes[ORIGINAL_FUNC_NAME] = ir.StringAttr.get(name)
        # Appended first: `insert` alone leaves the clone to Python, which would free it.
        self._body.append(clone)
        self._symbols.insert(clone)
        new_name = ir.StringAttr(clone.attributes["sym_name"]).value
        self._functions[new_name] = clone
        return ir.FlatSymbolRefAttr.get(new_name)
