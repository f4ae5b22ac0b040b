"""`-sdy-pre-order-funcs`."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.core import ModulePass
from sdykit.mlir import ModuleOp
from sdykit.passes.sdy._call_graph import (
    CALLS,
    callees_first,
    calls_of,
    every_function_of,
    is_declaration,
)


@dataclass(frozen=True)
class PreOrderFuncsPass(ModulePass):
    """Move functions to the end of the module, callers before their callees.

    The order is the reverse of the post-order of a depth-first walk over the calls: a pass that
    visits the functions in order visits every caller of a function before the function. Other ops
    of the module keep their order, before all functions. Functions of nested modules move, too.

    Before:

    ```mlir
    func.func private @callee(%arg0: tensor<8xf32>) -> tensor<8xf32> {...}
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = call @callee(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```

    After:

    ```mlir
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = call @callee(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    func.func private @callee(%arg0: tensor<8xf32>) -> tensor<8xf32> {...}
    ```
    """

    name = "sdy-pre-order-funcs"

    def run(self, module: ModuleOp) -> None:
        functions = every_function_of(module)
        calls = calls_of(functions, *CALLS)
        order = [functions[name] for name in callees_first(functions, calls)]
        for func in reversed([func for func in order if not is_declaration(func)]):
            module.body.append(func)
