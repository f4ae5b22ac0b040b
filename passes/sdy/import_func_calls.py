"""`-sdy-import-func-calls`."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from sdykit.core import ModulePass, fail, functions_of, meshes_of, ops_named, warn
from sdykit.dialects import sdy
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sdy._call_graph import (
    argument_shardings,
    callee_name,
    callees_first,
    calls_of,
    original_name,
)
from sdykit.passes.sdy._data_flow_edges import EdgeInserter
from sdykit.passes.sdy._shardings import SHARDING, common_mesh
from sdykit.passes.sdy._value_shardings import fully_open, rank

_CALL_ATTRIBUTES = frozenset({"arg_attrs", "callee", "no_inline", "res_attrs", SHARDING})
"""The attributes of a call that are not copied to the named computation."""


@dataclass(frozen=True)
class ImportFuncCallsPass(ModulePass):
    """Replace every `func.call` by a `sdy.named_computation` that holds the callee's body.

    Propagation then goes through calls as if they were inlined. The computation has the name of the
    function, or of the function that this was cloned from. It takes the shardings of the function's
    arguments and, for the results, the sharding of the call; arguments without a sharding are open
    if another has one. Called functions are erased. The body of a function with several calls is
    copied for each, with a warning at the second call of the first such function: run
    `-sdy-flatten-call-graph` before, for copies with names of their own.

    Before:

    ```mlir
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = call @foo(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    func.func private @foo(%arg0: tensor<8xf32>
        {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
      %0 = stablehlo.abs %arg0 : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```

    After, with `add-data-flow-edges-on-named-computations=false`:

    ```mlir
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = sdy.named_computation<"foo">(%arg0) in_shardings=[<@mesh, [{"x"}]>]
          (%arg1: tensor<8xf32>) {
        %1 = stablehlo.abs %arg1 : tensor<8xf32>
        sdy.return %1 : tensor<8xf32>
      } : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```

    Recursive calls and calls of functions without a body, or with more than one block, are
    errors.
    """

    name = "sdy-import-func-calls"

    add_data_flow_edges_on_named_computations: bool = True
    """Insert a `sdy.data_flow_edge` for each argument and result of every named computation."""

    def run(self, module: ModuleOp) -> None:
        functions = functions_of(module)
        calls = calls_of(functions)
        order = callees_first(functions, calls)
        _check_no_recursion(order, calls)
        ordered = [call for name in order for call in calls[name]]
        _warn_of_copies(ordered)
        left = Counter(map(callee_name, ordered))
        called = list(left)
        meshes = meshes_of(module)
        for call in ordered:
            name = callee_name(call)
            blocks = len(functions[name].regions[0].blocks)
            if blocks != 1:
                found = f"has {blocks} blocks, expected 1" if blocks else "has no body"
                fail(call, f"can't import the call: @{name} {found}")
            left[name] -= 1
            _inline(call, functions[name], meshes, is_last_call=left[name] == 0)
        for name in called:
            functions[name].erase()
        if self.add_data_flow_edges_on_named_computations:
            edges = EdgeInserter()
            for computation in ops_named(module, sdy.NamedComputationOp.OPERATION_NAME):
                edges.insert_for(computation)


def _check_no_recursion(order: list[str], calls: dict[str, list[ir.Operation]]) -> None:
    """Fail at a call of a function that is not before its caller in a callees-first order."""
    position = {name: index for index, name in enumerate(order)}
    for name in order:
        for call in calls[name]:
            callee = callee_name(call)
            # A declaration may be anywhere in the order: it calls nothing.
            if position[callee] >= position[name] and calls[callee]:
                fail(call, f"calls @{callee} from @{name}: recursive calls are not supported")


def _warn_of_copies(calls: list[ir.Operation]) -> None:
    seen: set[str] = set()
    for call in calls:
        name = callee_name(call)
        if name in seen:
            # Once is enough: a program that was not flattened may have thousands of such calls.
            warn(
                call.location,
                f"function @{name} has multiple call ops, we need to clone the function body"
                " for each call",
                once="several calls of a function",
            )
            return
        seen.add(name)


def _inline(
    call: ir.Operation,
    func: ir.Operation,
    meshes: dict[str, sdy.MeshAttr],
    *,
    is_last_call: bool,
) -> None:
    """Replace a call by a named computation; the last call of a function gets its own body."""
    computation = sdy.NamedComputationOp(
        [result.type for result in call.results],
        original_name(func),
        list(call.operands),
        in_shardings=_in_shardings(func, meshes),
        out_shardings=call.attributes.get(SHARDING),
        loc=call.location,
        ip=ir.InsertionPoint(call),
    ).operation
    for attribute in list(call.attributes):
        if attribute not in _CALL_ATTRIBUTES:
            computation.attributes[attribute] = call.attributes[attribute]
    source = func if is_last_call else func.clone(ip=False)
    block = source.regions[0].blocks[0]
    block.append_to(computation.regions[0])
    terminator = block.operations[len(block.operations) - 1].operation
    sdy.ReturnOp(
        list(terminator.operands), loc=terminator.location, ip=ir.InsertionPoint(terminator)
    )
    terminator.erase()
    for old, new in zip(list(call.results), list(computation.results), strict=True):
        old.replace_all_uses_with(new)
    call.erase()


def _in_shardings(func: ir.Operation, meshes: dict[str, sdy.MeshAttr]) -> ir.Attribute | None:
    """Return the shardings of a function's arguments, or None if none of them is on a mesh."""
    given = [attr and sdy.TensorShardingAttr.of(attr) for attr in argument_shardings(func)]
    mesh = common_mesh([sharding for sharding in given if sharding], meshes)
    if mesh is None:
        return None
    types = [argument.type for argument in func.regions[0].blocks[0].arguments]
    shardings = (
        sharding or fully_open(mesh, rank(value_type))
        for sharding, value_type in zip(given, types, strict=True)
    )
    return sdy.TensorShardingPerValueAttr(tuple(shardings)).to_attr()
