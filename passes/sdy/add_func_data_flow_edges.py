"""`-sdy-add-func-data-flow-edges`."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.core import FUNC, ModulePass, ops_named
from sdykit.dialects import sdy
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sdy._call_graph import (
    CALL,
    argument_shardings,
    is_declaration,
    main_function,
)
from sdykit.passes.sdy._data_flow_edges import has_static_shape
from sdykit.passes.sdy._shardings import SHARDING
from sdykit.passes.sdy._value_shardings import ValueShardings


@dataclass(frozen=True)
class AddFuncDataFlowEdgesPass(ModulePass):
    """Insert a `sdy.func_data_flow_edge` for function arguments and results of calls.

    Every argument of a function other than `main` (or the only one), and every result of a
    `func.call`, gets an edge, which takes over all its uses and its sharding. Values without
    a static shape get none. Edges are inserted at the start of the body, or directly after the
    call, in the order of the values.

    Before:

    ```mlir
    func.func private @foo(%arg0: tensor<8xf32>
        {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
      return %arg0 : tensor<8xf32>
    }
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = call @foo(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```

    After:

    ```mlir
    func.func private @foo(%arg0: tensor<8xf32>
        {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
      %0 = sdy.func_data_flow_edge %arg0
          {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = call @foo(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
      %1 = sdy.func_data_flow_edge %0 : tensor<8xf32>
      return %1 : tensor<8xf32>
    }
    ```
    """

    name = "sdy-add-func-data-flow-edges"

    def run(self, module: ModuleOp) -> None:
        shardings = ValueShardings()
        main = main_function(module)
        for func in ops_named(module, FUNC):
            # Nothing calls main, so nothing flows into its arguments.
            if not (main and func == main) and not is_declaration(func):
                entry = func.regions[0].blocks[0]
                place = ir.InsertionPoint.at_block_begin(entry)
                for argument, sharding in zip(
                    list(entry.arguments), argument_shardings(func), strict=True
                ):
                    _insert_edge(argument, sharding, func.location, place)
        for call in ops_named(module, CALL):
            place = ir.InsertionPoint.after(call)
            for result in call.results:
                _insert_edge(result, shardings.get(result), call.location, place)


def _insert_edge(
    value: ir.Value,
    sharding: ir.Attribute | None,
    location: ir.Location,
    place: ir.InsertionPoint,
) -> None:
    if not has_static_shape(value.type):
        return
    edge = sdy.FuncDataFlowEdgeOp(value, loc=location, ip=place).operation
    if sharding is not None:
        single = (sdy.TensorShardingAttr.of(sharding),)
        edge.attributes[SHARDING] = sdy.TensorShardingPerValueAttr(single).to_attr()
    value.replace_all_uses_except(edge.results[0], edge)
