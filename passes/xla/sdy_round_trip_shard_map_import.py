"""`-xla-sdy-round-trip-shard-map-import`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sdykit.core import ModulePass, fail, functions_of, ops_named
from sdykit.dialects import sdy
from sdykit.dialects.views import AttributeView
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.xla._frontend import names
from sdykit.passes.xla._frontend.attributes import Texts, frontend_attributes, target

_NO_SHARDINGS = sdy.TensorShardingPerValueAttr(())
_NO_AXES = sdy.ManualAxesAttr(())


@dataclass(frozen=True)
class SdyRoundTripShardMapImportPass(ModulePass):
    r"""Turn calls of the bodies of manual computations into `sdy.manual_computation` ops.

    A call of a function named `xla.sdy.manual_computation_body...` is replaced, together with the
    custom calls around it: `xla.sdy.GlobalToLocalShape` makes the local operands and holds the
    shardings of the global ones as text, `xla.sdy.LocalToGlobalShape` does that for the results;
    both hold the manual axes. Each call gets the body of the function, all but the last a copy, and
    the functions are erased. The new op has the location of the call.

    Custom calls with several results must not return a tuple: run `-xla-flatten-tuple` before.

    Before:

    ```mlir
    %0 = stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%arg0) {mhlo.frontend_attributes = {
        xla.sdy.in_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22x\22}]>]>",
        xla.sdy.manual_axes = "#sdy<manual_axes{\22x\22}>"}} : (tensor<8xf32>) -> tensor<4xf32>
    %1 = call @xla.sdy.manual_computation_body(%0) : (tensor<4xf32>) -> tensor<4xf32>
    %2 = stablehlo.custom_call @xla.sdy.LocalToGlobalShape(%1) {mhlo.frontend_attributes = {
        xla.sdy.manual_axes = "#sdy<manual_axes{\22x\22}>",
        xla.sdy.out_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22x\22}]>]>"}}
        : (tensor<4xf32>) -> tensor<8xf32>
    ```

    After:

    ```mlir
    %2 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>]
        out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<4xf32>) {
      %3 = stablehlo.abs %arg1 : tensor<4xf32>
      sdy.return %3 : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    ```
    """

    name = "xla-sdy-round-trip-shard-map-import"

    def run(self, module: ModuleOp) -> None:
        functions = functions_of(module)
        calls = [op for op in ops_named(module, "func.call") if names.MANUAL_BODY in _callee(op)]
        for call in calls:
            _check_body(call, functions)
        left = Counter(map(_callee, calls))
        texts = Texts()
        for call in _inner_first(calls):
            name = _callee(call)
            left[name] -= 1
            _import_call(call, functions[name], texts, is_last_call=left[name] == 0)
        for name in left:
            functions[name].erase()


def _callee(call: ir.Operation) -> str:
    return ir.FlatSymbolRefAttr(call.attributes["callee"]).value


def _function_around(op: ir.Operation) -> str:
    parent = op.parent
    while parent is not None and parent.operation.name != "func.func":
        parent = parent.operation.parent
    return ir.StringAttr(parent.operation.attributes["sym_name"]).value if parent else ""


def _check_body(call: ir.Operation, functions: dict[str, ir.Operation]) -> None:
    name = _callee(call)
    if name not in functions or len(functions[name].regions[0].blocks) != 1:
        fail(call, f"calls @{name}, which is not a function with a body of one block")


def _inner_first(calls: Sequence[ir.Operation]) -> list[ir.Operation]:
    """Sort calls so that a body is complete before it is copied: calls in it come first."""
    within: dict[str, list[ir.Operation]] = {}
    for call in calls:
        within.setdefault(_function_around(call), []).append(call)
    ordered: list[ir.Operation] = []
    done: set[str] = set()
    open_: set[str] = set()

    def visit(function: str) -> None:
        if function in done:
            return
        open_.add(function)
        for call in within.get(function, ()):
            if _callee(call) in open_:
                fail(call, f"calls @{_callee(call)} from within itself")
            visit(_callee(call))
            ordered.append(call)
        open_.remove(function)
        done.add(function)

    for function in within:
        visit(function)
    return ordered


def _import_call(
    call: ir.Operation, body: ir.Operation, texts: Texts, *, is_last_call: bool
) -> None:
    to_local = _to_local(call)
    to_global = _to_global(call)
    first = call if to_local is None else to_local
    last = call if to_global is None else to_global
    holder = to_global if to_local is None else to_local
    computation = sdy.ManualComputationOp(
        [result.type for result in last.results],
        list(first.operands),
        _read(texts, to_local, names.IN_SHARDINGS_TEXT, _NO_SHARDINGS),
        _read(texts, to_global, names.OUT_SHARDINGS_TEXT, _NO_SHARDINGS),
        _read(texts, holder, names.MANUAL_AXES_TEXT, _NO_AXES),
        loc=call.location,
        ip=ir.InsertionPoint(last),
    ).operation
    _move_body(body if is_last_call else body.clone(ip=False), computation)
    for old, new in zip(list(last.results), list(computation.results), strict=True):
        old.replace_all_uses_with(new)
    for op in (to_global, call, to_local):
        if op is not None:
            op.erase()


def _move_body(function: ir.Operation, computation: ir.Operation) -> None:
    block = function.regions[0].blocks[0]
    block.append_to(computation.regions[0])
    end = block.operations[len(block.operations) - 1].operation
    sdy.ReturnOp(list(end.operands), loc=end.location, ip=ir.InsertionPoint(end))
    end.erase()


def _to_local(call: ir.Operation) -> ir.Operation | None:
    """Return the custom call that makes the operands of a call local, None if it has no operands."""
    if not len(call.operands):
        return None
    for operand in call.operands:
        # Not all operands: XLA replaces one without elements by a constant.
        if isinstance(operand, ir.OpResult) and _target_of(operand) == names.GLOBAL_TO_LOCAL_TARGET:
            found = operand.owner.operation
            users = [use.owner for result in found.results for use in result.uses]
            if len(found.results) != len(call.operands) or any(user != call for user in users):
                fail(found, f"expected a result for each operand of the call of @{_callee(call)}")
            return found
    fail(call, f"expected operands made by {names.GLOBAL_TO_LOCAL_TARGET}")


def _to_global(call: ir.Operation) -> ir.Operation | None:
    """Return the custom call that makes the results of a call global, None if it has no results."""
    if not len(call.results):
        return None
    users = [use.owner.operation for result in call.results for use in result.uses]
    found = next((user for user in users if target(user) == names.LOCAL_TO_GLOBAL_TARGET), None)
    if found is None:
        fail(call, f"expected results used by {names.LOCAL_TO_GLOBAL_TARGET}")
    if list(found.operands) != list(call.results) or any(user != found for user in users):
        fail(found, f"expected the results of the call of @{_callee(call)}, used nowhere else")
    return found


def _target_of(result: ir.OpResult) -> str:
    return target(result.owner.operation)


def _read(texts: Texts, op: ir.Operation | None, name: str, default: AttributeView) -> ir.Attribute:
    """Return the attribute that a custom call holds as text; without a custom call, `default`."""
    if op is None:
        return default.to_attr()
    text = frontend_attributes(op).get(name)
    if text is None:
        fail(op, f"lacks the frontend attribute '{name}'")
    return texts.read(op, name, text, type(default))
