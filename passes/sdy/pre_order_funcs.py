"""`-sdy-pre-order-funcs`."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.core import ModulePass
from sdykit.mlir import ModuleOp
from sdykit.passes.sdy._call_graph import (
    CALL,
    MPMD_CALL,
    callees_first,
    calls_of,
    every_function_of,
    is_declaration,
)


@dataclass(frozen=True)
class PreOrderFuncsPass(ModulePass):
    """Move functions to the end of the module, callers before their callees.

    The order is the reverse of a depth-first walk over the calls that lists callees first,
    so that a pass that goes over the functions in order sees every caller of a function
    before the function. Other ops of the module keep their order and stand before all
    functions. Functions of nested modules move, too.

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
        calls = calls_of(functions, CALL, MPMD_CALL)
        for name in reversed(callees_first(functions, calls)):
            if not is_declaration(functions[name]):
                module.body.append(functions[name])
