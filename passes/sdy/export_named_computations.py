"""`-sdy-export-named-computations`."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.core import FUNC, ModulePass, ops_named
from sdykit.dialects import sdy
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sdy._call_graph import CALL, ORIGINAL_FUNC_NAME
from sdykit.passes.sdy._data_flow_edges import edge_shardings
from sdykit.passes.sdy._shardings import IN_SHARDINGS, OUT_SHARDINGS, SHARDING
from sdykit.passes.sdy._value_shardings import attributes_of, data_flow_edge

_RETURN = "func.return"
_THREAD = "execution_thread"
_OWN = frozenset({"name", IN_SHARDINGS, OUT_SHARDINGS, _THREAD})
"""The attributes of a named computation that its call does not get."""


@dataclass(frozen=True)
class ExportNamedComputationsPass(ModulePass):
    """Turn every `sdy.named_computation` into a function and a call of it.

    It is the reverse of `-sdy-import-func-calls`. The function is private, at the end of the
    module, and has the name of the computation, with a number if it is taken; it remembers the name
    as `sdy.original_func_name`. Its arguments take the shardings of the data-flow edges of the
    block arguments, its call those of the results; edges without one are fully open, and without
    any it is what the computation has. The edges are erased.

    Before:

    ```mlir
    %0 = sdy.named_computation<"foo">(%arg0) in_shardings=[<@mesh, [{"x"}]>]
        (%arg1: tensor<8xf32>) {
      %1 = stablehlo.abs %arg1 : tensor<8xf32>
      sdy.return %1 : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    ```

    After:

    ```mlir
    %0 = call @foo(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    ...
    func.func private @foo(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
        -> tensor<8xf32> attributes {sdy.original_func_name = "foo"} {
      %0 = stablehlo.abs %arg0 : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
    """

    name = "sdy-export-named-computations"

    def run(self, module: ModuleOp) -> None:
        symbols = ir.SymbolTable(module.operation)
        for computation in ops_named(module, sdy.NamedComputationOp.OPERATION_NAME):
            _export(computation, module, symbols)


def _export(computation: ir.Operation, module: ModuleOp, symbols: ir.SymbolTable) -> None:
    """Replace a computation, whose body has none any more, by a call."""
    arguments = _sunk_shardings(computation, IN_SHARDINGS)
    results = _sunk_shardings(computation, OUT_SHARDINGS)
    func = _function(computation, arguments)
    # Appended first: `insert` alone leaves the function to Python, which would free it.
    module.body.append(func)
    symbols.insert(func)
    attributes = {key: each for key, each in attributes_of(computation).items() if key not in _OWN}
    attributes["callee"] = ir.FlatSymbolRefAttr.get(
        ir.StringAttr(func.attributes["sym_name"]).value
    )
    if results is not None:
        attributes[SHARDING] = results.to_attr()
    call = ir.Operation.create(
        CALL,
        results=[result.type for result in computation.results],
        operands=list(computation.operands),
        attributes=attributes,
        loc=computation.location,
        ip=ir.InsertionPoint(computation),
    )
    for old, new in zip(list(computation.results), list(call.results), strict=True):
        old.replace_all_uses_with(new)
    computation.erase()


def _sunk_shardings(computation: ir.Operation, key: str) -> sdy.TensorShardingPerValueAttr | None:
    """Return the shardings of the arguments or results of a computation, and erase their edges."""
    owners = list(
        computation.regions[0].blocks[0].arguments if key == IN_SHARDINGS else computation.results
    )
    edges = [data_flow_edge(owner) for owner in owners]
    shardings = edge_shardings(owners, edges)
    for owner, edge in zip(owners, edges, strict=True):
        if edge is not None:
            edge.result.replace_all_uses_with(owner)
            edge.erase()
    if shardings is not None:
        return sdy.TensorShardingPerValueAttr(tuple(shardings))
    attribute = computation.attributes.get(key)
    return None if attribute is None else sdy.TensorShardingPerValueAttr.of(attribute)


def _function(
    computation: ir.Operation, arguments: sdy.TensorShardingPerValueAttr | None
) -> ir.Operation:
    """Return a function with the body of a computation."""
    block = computation.regions[0].blocks[0]
    name = computation.attributes["name"]
    function_type = ir.FunctionType.get(
        [argument.type for argument in block.arguments],
        [result.type for result in computation.results],
    )
    attributes: dict[str, ir.Attribute] = {
        "sym_name": name,
        "sym_visibility": ir.StringAttr.get("private"),
        "function_type": ir.TypeAttr.get(function_type),
        ORIGINAL_FUNC_NAME: name,
    }
    if _THREAD in computation.attributes:
        attributes[_THREAD] = computation.attributes[_THREAD]
    if arguments is not None:
        dictionaries = [
            ir.DictAttr.get({SHARDING: sharding.to_attr()}) for sharding in arguments.shardings
        ]
        attributes["arg_attrs"] = ir.ArrayAttr.get(dictionaries)
    func = ir.Operation.create(FUNC, attributes=attributes, loc=computation.location, regions=1)
    block.append_to(func.regions[0])
    terminator = block.operations[len(block.operations) - 1].operation
    ir.Operation.create(
        _RETURN,
        operands=list(terminator.operands),
        loc=terminator.location,
        ip=ir.InsertionPoint(terminator),
    )
    terminator.erase()
    return func
