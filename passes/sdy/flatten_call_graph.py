"""`-sdy-flatten-call-graph`."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.core import ModulePass, fail, functions_of, ops_named
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sdy._call_graph import (
    CALL,
    ORIGINAL_FUNC_NAME,
    callee_name,
    callees_first,
    calls_of,
)


@dataclass(frozen=True)
class FlattenCallGraphPass(ModulePass):
    """Clone functions until each has one `func.call` at most: the call graph becomes a forest.

    Calls are visited depth first from each function. The first call of a function keeps
    it; every further call gets a clone, whose own calls get clones in turn. A clone is
    appended to the module under a free name (`foo_0`, ...), and has the name of the original
    function as `sdy.original_func_name`.

    Before:

    ```mlir
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = call @foo(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
      %1 = call @foo(%0) : (tensor<8xf32>) -> tensor<8xf32>
      return %1 : tensor<8xf32>
    }
    func.func private @foo(%arg0: tensor<8xf32>) -> tensor<8xf32> {...}
    ```

    After:

    ```mlir
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = call @foo(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
      %1 = call @foo_0(%0) : (tensor<8xf32>) -> tensor<8xf32>
      return %1 : tensor<8xf32>
    }
    func.func private @foo(%arg0: tensor<8xf32>) -> tensor<8xf32> {...}
    func.func private @foo_0(%arg0: tensor<8xf32>) -> tensor<8xf32>
        attributes {sdy.original_func_name = "foo"} {...}
    ```

    A recursive function, which would need clones without end, is an error.
    """

    name = "sdy-flatten-call-graph"

    def run(self, module: ModuleOp) -> None:
        functions = functions_of(module)
        calls = calls_of(functions)
        flattening = _Flattening(module, functions)
        for name in callees_first(functions, calls):
            for call in calls[name]:
                flattening.own_callee(call)


class _Flattening:
    """The state of one run: the functions by name, and those that have a call already."""

    def __init__(self, module: ModuleOp, functions: dict[str, ir.Operation]) -> None:
        self._body = module.body
        self._functions = functions
        self._symbols = ir.SymbolTable(module.operation)
        self._called: set[str] = set()
        # What each clone was cloned from, and what is being cloned now.
        self._origins: dict[str, str] = {}
        self._cloning: set[str] = set()

    def own_callee(self, call: ir.Operation) -> None:
        """Point a call to a clone unless it is the first call of its function."""
        name = callee_name(call)
        if name not in self._called:
            self._called.add(name)
            return
        origin = self._origins.get(name, name)
        if origin in self._cloning:
            fail(call, f"calls @{origin} recursively: its clones would need clones without end")
        clone = self._functions[name].clone(ip=False)
        # The callee is flat already; its clone's calls are further calls.
        self._cloning.add(origin)
        for inner in ops_named(clone, CALL):
            self.own_callee(inner)
        self._cloning.remove(origin)
        if ORIGINAL_FUNC_NAME not in clone.attributes:
            clone.attributes[ORIGINAL_FUNC_NAME] = ir.StringAttr.get(name)
        # Appended first: `insert` alone leaves the clone to Python, which would free it.
        self._body.append(clone)
        self._symbols.insert(clone)
        unique = ir.StringAttr(clone.attributes["sym_name"]).value
        self._functions[unique] = clone
        self._called.add(unique)
        self._origins[unique] = origin
        call.attributes["callee"] = ir.FlatSymbolRefAttr.get(unique)
