"""`-sdy-propagate-to-func-results`."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.core import ModulePass, functions_of
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sdy._call_graph import is_declaration, main_function
from sdykit.passes.sdy._shardings import RES_ATTRS, SHARDING
from sdykit.passes.sdy._value_attrs import ValueAttrs
from sdykit.passes.sdy._value_shardings import ValueShardings


@dataclass(frozen=True)
class PropagateToFuncResultsPass(ModulePass):
    """Copy the shardings of the values that a function returns to its results.

    That is done for every function but `@main`, or the only one, whose results propagation has
    sharded. A result that is returned without a sharding loses its own.

    Before:

    ```mlir
    func.func private @foo(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
        -> tensor<8xf32> {
      return %arg0 : tensor<8xf32>
    }
    ```

    After:

    ```mlir
    func.func private @foo(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
        -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
      return %arg0 : tensor<8xf32>
    }
    ```
    """

    name = "sdy-propagate-to-func-results"

    def run(self, module: ModuleOp) -> None:
        main = main_function(module)
        for func in functions_of(module).values():
            if func != main and not is_declaration(func):
                _propagate(func)


def _propagate(func: ir.Operation) -> None:
    operations = func.regions[0].blocks[0].operations
    terminator = operations[len(operations) - 1].operation
    if terminator.name != "func.return":
        return  # There are several blocks: propagation did not look at what they return.
    shardings = ValueShardings()
    results = ValueAttrs(func, RES_ATTRS)
    results.remove(SHARDING)
    for number, value in enumerate(terminator.operands):
        sharding = shardings.get(value)
        if sharding is not None:
            results.set(number, SHARDING, sharding)
    results.flush()
