"""Clones of the functions that constants call."""

from __future__ import annotations

from dataclasses import dataclass

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

    def clone(self, call: ir.Operation) -> ir.Attribute:
        """Clone the function that is called and those that it calls, and return its new name.

        A clone is appended to the module, after the clones of the functions that it calls.
        """
        stack = [self._start(callee_name(call))]
        while True:
            current = stack[-1]
            if current.calls:
                inner = current.calls[-1]
                name = callee_name(inner)
                if any(each.name == name for each in stack):
                    fail(
                        inner,
                        f"calls @{name} recursively: its clones would need clones without end",
                    )
                stack.append(self._start(name))
                continue
            new_name = self._finish(current)
            stack.pop()
            if not stack:
                return new_name
            stack[-1].calls.pop().attributes["callee"] = new_name

    def _start(self, name: str) -> _Clone:
        clone = self._functions[name].clone(ip=False)
        return _Clone(name, clone, ops_named(clone, CALL)[::-1])

    def _finish(self, clone: _Clone) -> ir.Attribute:
        func = clone.func
        if ORIGINAL_FUNC_NAME not in func.attributes:
            func.attributes[ORIGINAL_FUNC_NAME] = ir.StringAttr.get(clone.name)
        # Appended first: `insert` alone leaves the clone to Python, which would free it.
        self._body.append(func)
        self._symbols.insert(func)
        new_name = ir.StringAttr(func.attributes["sym_name"]).value
        self._functions[new_name] = func
        return ir.FlatSymbolRefAttr.get(new_name)


@dataclass(frozen=True)
class _Clone:
    """A clone in the making.

    Attributes:
        name: the name of the function that is cloned.
        func: the clone, in no module yet.
        calls: the calls in it that still call the original functions, the first one last.
    """

    name: str
    func: ir.Operation
    calls: list[ir.Operation]
