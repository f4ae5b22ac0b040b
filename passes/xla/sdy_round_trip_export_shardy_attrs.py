"""`-xla-sdy-round-trip-export-shardy-attrs`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sdykit.core import FUNC, ModulePass, fail, mesh_ops, symbol_name
from sdykit.core.frontend import FRONTEND_ATTRIBUTES, MESHES
from sdykit.dialects import sdy
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.xla._frontend import names
from sdykit.passes.xla._frontend.attributes import (
    Attributes,
    as_texts,
    custom_call,
    entries,
    frontend_attributes,
    frontend_entries,
    set_frontend_attributes,
)

_TEXT_OF = {names.SHARDING: names.SHARDING_TEXT, names.RULE: names.RULE_TEXT}
_DIALECT = "sdy."


@dataclass(frozen=True)
class SdyRoundTripExportShardyAttrsPass(ModulePass):
    r"""Keep meshes, shardings and sharding rules as text in frontend attributes.

    `sdy.sharding` of ops and arguments becomes the text `xla.sdy.sharding`, `sdy.sharding_rule`
    `xla.sdy.sharding_rule`, and the meshes of the module become `xla.sdy.meshes`; the `sdy.mesh` ops
    are erased. A result of a function has no frontend attributes in HLO: the value that is returned
    is wrapped in a custom call `xla.sdy.FuncResultSharding`, which holds the sharding.

    It is an error if ops of sdy are left: those of propagation and of the import passes have no
    such form, others have to be exported before; see `-xla-sdy-round-trip-export-pipeline`. So is a
    sharding of the result of a function without a body.

    Before:

    ```mlir
    sdy.mesh @mesh = <["x"=2]>
    func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {...}
    ```

    After:

    ```mlir
    module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<[\22x\22=2]>}"}} {
      func.func @main(%arg0: tensor<8xf32> {
          mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{\22x\22}]>"}}) {...}
    }
    ```
    """

    name = "xla-sdy-round-trip-export-shardy-attrs"

    def run(self, module: ModuleOp) -> None:
        for op in list(module.body.operations):
            if op.operation.name == FUNC:
                _export_ops(op.operation)
                _export_arguments(op.operation)
                _export_results(op.operation)
        meshes = mesh_ops(module)
        if not meshes:
            return
        named = {symbol_name(op): op.attributes["mesh"] for op in meshes}
        frontend = frontend_attributes(module.operation)
        text = as_texts({MESHES: ir.DictAttr.get(named)})
        set_frontend_attributes(module.operation, frontend | text)
        for op in meshes:
            op.erase()


def _export_ops(function: ir.Operation) -> None:
    found: list[ir.Operation] = []
    left: list[ir.Operation] = []

    def collect(op: ir.Operation) -> ir.WalkResult:
        if names.SHARDING in op.attributes or names.RULE in op.attributes:
            found.append(op)
        if op.name.startswith(_DIALECT):
            left.append(op)
        return ir.WalkResult.ADVANCE

    function.walk(collect)
    if left:
        fail(
            left[0],
            "has no form in frontend attributes; a module is exported before propagation and its"
            " import passes, by -xla-sdy-round-trip-export-pipeline",
        )
    for op in found:
        own = {key: op.attributes[key] for key in _TEXT_OF if key in op.attributes}
        for key in own:
            del op.attributes[key]
        set_frontend_attributes(op, frontend_attributes(op) | _exported(own))


def _exported(own: Attributes) -> Attributes:
    return as_texts({_TEXT_OF[key]: value for key, value in own.items()})


def _export_arguments(function: ir.Operation) -> None:
    if "arg_attrs" not in function.attributes:
        return
    arguments = [entries(own) for own in ir.ArrayAttr(function.attributes["arg_attrs"])]
    for own in arguments:
        if names.SHARDING in own:
            text = _exported({names.SHARDING: own.pop(names.SHARDING)})
            frontend = frontend_entries(function, own.get(FRONTEND_ATTRIBUTES)) | text
            own[FRONTEND_ATTRIBUTES] = ir.DictAttr.get(frontend)
    function.attributes["arg_attrs"] = _dictionaries(arguments)


def _export_results(function: ir.Operation) -> None:
    if "res_attrs" not in function.attributes:
        return
    results = [entries(own) for own in ir.ArrayAttr(function.attributes["res_attrs"])]
    shardings = {
        n: own.pop(names.SHARDING) for n, own in enumerate(results) if names.SHARDING in own
    }
    if not shardings:
        return
    blocks = list(function.regions[0].blocks)
    if not blocks:
        fail(function, f"result #{min(shardings)} has a sharding, but the function has no body")
    for block in blocks:
        end = block.operations[len(block.operations) - 1].operation
        if end.name == "func.return":
            _export_returned(end, shardings)
    function.attributes["res_attrs"] = _dictionaries(results)


def _export_returned(end: ir.Operation, shardings: dict[int, ir.Attribute]) -> None:
    """Wrap returned values in custom calls that hold the shardings of the results."""
    for number, sharding in shardings.items():
        value = end.operands[number]
        per_value = sdy.TensorShardingPerValueAttr((sdy.TensorShardingAttr.of(sharding),))
        text = as_texts({names.SHARDING_TEXT: per_value.to_attr()})
        attributes = {FRONTEND_ATTRIBUTES: ir.DictAttr.get(text)}
        call = custom_call(
            names.RESULT_TARGET, [value], [value.type], attributes, end, has_side_effect=True
        )
        end.operands[number] = call.results[0]


def _dictionaries(attributes: Sequence[Attributes]) -> ir.ArrayAttr:
    return ir.ArrayAttr.get([ir.DictAttr.get(own) for own in attributes])
