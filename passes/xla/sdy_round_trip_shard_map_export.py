"""`-xla-sdy-round-trip-shard-map-export`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sdykit.core import FUNC, ModulePass, ops_named
from sdykit.core.frontend import FRONTEND_ATTRIBUTES
from sdykit.dialects import sdy
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.xla._frontend import names
from sdykit.passes.xla._frontend.attributes import Attributes, as_texts, custom_call


@dataclass(frozen=True)
class SdyRoundTripShardMapExportPass(ModulePass):
    r"""Turn each `sdy.manual_computation` into a call of a function that holds its body.

    The functions are named `xla.sdy.manual_computation_body`, with a number if the name is taken,
    and are appended to the module, inner ones before outer ones. The calls are marked as not to be
    inlined. The custom call `xla.sdy.GlobalToLocalShape` before a call makes the operands local,
    `xla.sdy.LocalToGlobalShape` after it makes the results global; they hold the shardings and
    manual axes as text. A call without operands, or without results, needs no such custom call.

    Before:

    ```mlir
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>]
        out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<4xf32>) {
      %1 = stablehlo.abs %arg1 : tensor<4xf32>
      sdy.return %1 : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    ```

    After:

    ```mlir
    %0 = stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%arg0) {has_side_effect = true,
        mhlo.frontend_attributes = {
          xla.sdy.in_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22x\22}]>]>",
          xla.sdy.manual_axes = "#sdy<manual_axes{\22x\22}>"}} : (tensor<8xf32>) -> tensor<4xf32>
    %1 = call @xla.sdy.manual_computation_body(%0)
        {mhlo.frontend_attributes = {inlineable = "false"}} : (tensor<4xf32>) -> tensor<4xf32>
    %2 = stablehlo.custom_call @xla.sdy.LocalToGlobalShape(%1) ...
    ```
    """

    name = "xla-sdy-round-trip-shard-map-export"

    def run(self, module: ModuleOp) -> None:
        computations = ops_named(module, sdy.ManualComputationOp.OPERATION_NAME)
        symbols = ir.SymbolTable(module.operation)
        for op in computations:
            function, type_ = _function(op, module)
            _export(op, symbols.insert(function).value, type_)


def _function(op: ir.Operation, module: ModuleOp) -> tuple[ir.Operation, ir.FunctionType]:
    """Move the body of a manual computation to a new function at the end of the module."""
    block = op.regions[0].blocks[0]
    end = block.operations[len(block.operations) - 1].operation
    inputs = [argument.type for argument in block.arguments]
    type_ = ir.FunctionType.get(inputs, [value.type for value in end.operands])
    func = ir.Operation.create(
        FUNC,
        attributes={
            "sym_name": ir.StringAttr.get(names.MANUAL_BODY),
            "function_type": ir.TypeAttr.get(type_),
        },
        regions=1,
        loc=op.location,
        ip=ir.InsertionPoint(module.body),
    )
    block.append_to(func.regions[0])
    ir.Operation.create(
        "func.return", operands=list(end.operands), loc=end.location, ip=ir.InsertionPoint(end)
    )
    end.erase()
    return func, type_


def _export(op: ir.Operation, callee: str, type_: ir.FunctionType) -> None:
    """Replace a manual computation, whose body has been moved, by a call of a function."""
    axes = {names.MANUAL_AXES_TEXT: op.attributes["manual_axes"]}
    operands: list[ir.Value] = list(op.operands)
    if operands:
        text = axes | {names.IN_SHARDINGS_TEXT: op.attributes["in_shardings"]}
        operands = _shape_call(op, names.GLOBAL_TO_LOCAL_TARGET, operands, type_.inputs, text)
    call = ir.Operation.create(
        "func.call",
        results=type_.results,
        operands=operands,
        attributes={
            "callee": ir.FlatSymbolRefAttr.get(callee),
            FRONTEND_ATTRIBUTES: ir.DictAttr.get({"inlineable": ir.StringAttr.get("false")}),
        },
        loc=op.location,
        ip=ir.InsertionPoint(op),
    )
    results: list[ir.Value] = list(call.results)
    if results:
        text = axes | {names.OUT_SHARDINGS_TEXT: op.attributes["out_shardings"]}
        types = [result.type for result in op.results]
        results = _shape_call(op, names.LOCAL_TO_GLOBAL_TARGET, results, types, text)
    for old, new in zip(list(op.results), results, strict=True):
        old.replace_all_uses_with(new)
    op.erase()


def _shape_call(
    op: ir.Operation,
    name: str,
    operands: Sequence[ir.Value],
    types: Sequence[ir.Type],
    text: Attributes,
) -> list[ir.Value]:
    """Insert a custom call that changes shapes from global to local or back; return its results."""
    attributes = {FRONTEND_ATTRIBUTES: ir.DictAttr.get(as_texts(text))}
    call = custom_call(name, operands, types, attributes, op, has_side_effect=True)
    return list(call.results)
