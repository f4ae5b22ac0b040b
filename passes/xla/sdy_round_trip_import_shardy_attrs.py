"""`-xla-sdy-round-trip-import-shardy-attrs`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sdykit.core import FUNC, ModulePass, capture, fail
from sdykit.core.frontend import FRONTEND_ATTRIBUTES, MESHES, holds_meshes
from sdykit.dialects import sdy
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.xla._frontend import names
from sdykit.passes.xla._frontend.attributes import (
    Attributes,
    Texts,
    entries,
    frontend_attributes,
    frontend_entries,
    set_frontend_attributes,
    target,
    unescaped,
)

_XLA_SHARDING = "mhlo.sharding"
_CALLBACKS = frozenset(
    f"xla_{prefix}python_{device}_callback" for prefix in ("", "ffi_") for device in ("cpu", "gpu")
)
_KEEPING_SHARDINGS = _CALLBACKS | {names.SHARDING_TARGET}
"""The custom calls whose shardings are imported. On other ops they are dropped: XLA copies frontend
attributes to ops that it makes, where they may be wrong."""


@dataclass(frozen=True)
class SdyRoundTripImportShardyAttrsPass(ModulePass):
    r"""Turn text in frontend attributes into meshes, shardings and sharding rules of sdy.

    The meshes in `xla.sdy.meshes` of the module become `sdy.mesh` ops at its start. The texts
    `xla.sdy.sharding` and `xla.sdy.sharding_rule` become `sdy.sharding` and `sdy.sharding_rule`: the
    shardings of arguments of functions, `Sharding` custom calls, Python callbacks, sends and
    receives. Shardings of other ops are dropped, since XLA copies frontend attributes to ops that
    they do not describe. Rules are imported from all ops.

    The sharding of a custom call `xla.sdy.FuncResultSharding` becomes that of the results of the
    function that it is returned as, and the custom call is erased. If anything else uses it, an
    open `sdy.sharding_constraint` takes its place.

    `mhlo.sharding`, which repeats the sharding for readers that do not know sdy, is removed. A
    module without any of these frontend attributes stays as it is.

    Before:

    ```mlir
    module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<[\22x\22=2]>}"}} {
      func.func @main(%arg0: tensor<8xf32> {
          mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{\22x\22}]>"},
          mhlo.sharding = "{devices=[2]<=[2]}"}) {...}
    }
    ```

    After:

    ```mlir
    sdy.mesh @mesh = <["x"=2]>
    func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {...}
    ```
    """

    name = "xla-sdy-round-trip-import-shardy-attrs"

    def run(self, module: ModuleOp) -> None:
        functions = [op.operation for op in module.body.operations if op.operation.name == FUNC]
        described = [(function, _described_ops(function)) for function in functions]
        if not _is_exported(module.operation, described):
            return
        _import_meshes(module)
        texts = Texts()
        for function, ops in described:
            _import_arguments(function, texts)
            results: dict[int, ir.Attribute] = {}
            for op in ops:
                _import_op(op, texts, results)
            _import_results(function, results)


def _described_ops(function: ir.Operation) -> list[ir.Operation]:
    """Return the ops in a function that have frontend attributes or a sharding of XLA."""
    found: list[ir.Operation] = []

    def collect(op: ir.Operation) -> ir.WalkResult:
        attributes = op.attributes
        if FRONTEND_ATTRIBUTES in attributes or _XLA_SHARDING in attributes:
            found.append(op)
        return ir.WalkResult.ADVANCE

    for region in function.regions:
        for block in region:
            for op in block:
                op.operation.walk(collect, ir.WalkOrder.PRE_ORDER)
    return found


def _is_exported(
    module: ir.Operation, described: list[tuple[ir.Operation, list[ir.Operation]]]
) -> bool:
    """Return whether a module has meshes, shardings or rules of sdy as text."""
    if holds_meshes(module):
        return True
    ours = {names.SHARDING_TEXT, names.RULE_TEXT}
    return any(
        not ours.isdisjoint(attributes)
        for function, ops in described
        for attributes in (
            *(
                frontend_entries(function, own.get(FRONTEND_ATTRIBUTES))
                for own in _values(function, "arg_attrs")
            ),
            *map(frontend_attributes, ops),
        )
    )


def _values(function: ir.Operation, array: str) -> list[Attributes]:
    """Return the attributes of each argument or result; [] if none has any."""
    if array not in function.attributes:
        return []
    return [entries(own) for own in ir.ArrayAttr(function.attributes[array])]


def _set_values(function: ir.Operation, array: str, values: Sequence[Attributes]) -> None:
    function.attributes[array] = ir.ArrayAttr.get([ir.DictAttr.get(own) for own in values])


def _import_meshes(module: ModuleOp) -> None:
    attributes = frontend_attributes(module.operation)
    text = attributes.pop(MESHES, None)
    set_frontend_attributes(module.operation, attributes)
    if text is None:
        return
    symbols = ir.SymbolTable(module.operation)
    point = ir.InsertionPoint.at_block_begin(module.body)
    for name, mesh in _meshes(module, text).items():
        if name not in symbols:
            symbols.insert(sdy.MeshOp(name, mesh, loc=module.location, ip=point).operation)
        elif symbols[name].operation.attributes.get("mesh") != mesh:
            fail(symbols[name].operation, f"'{MESHES}' has another @{name}: {mesh}")


def _meshes(module: ModuleOp, text: ir.Attribute) -> dict[str, ir.Attribute]:
    found: object = None
    if isinstance(text, ir.StringAttr):
        with capture(module.context, lambda _: None):
            try:
                found = ir.Attribute.parse(unescaped(text.value), module.context)
            except ir.MLIRError:
                found = None
    if not isinstance(found, ir.DictAttr):
        fail(module.operation, f"'{MESHES}' must be the text of a dictionary, found {text}")
    for entry in found:
        try:
            sdy.MeshAttr.of(entry.attr)
        except TypeError:
            fail(module.operation, f"'{MESHES}': @{entry.name} is not a mesh: {entry.attr}")
    return entries(found)


def _import_arguments(function: ir.Operation, texts: Texts) -> None:
    arguments = _values(function, "arg_attrs")
    for number, own in enumerate(arguments):
        own.pop(_XLA_SHARDING, None)
        frontend = frontend_entries(function, own.pop(FRONTEND_ATTRIBUTES, None))
        text = frontend.pop(names.SHARDING_TEXT, None)
        if text is not None:
            where = f" of argument #{number}"
            own[names.SHARDING] = texts.read(
                function, names.SHARDING_TEXT, text, sdy.TensorShardingAttr, where
            )
        if frontend:
            own[FRONTEND_ATTRIBUTES] = ir.DictAttr.get(frontend)
    if arguments:
        _set_values(function, "arg_attrs", arguments)


def _import_results(function: ir.Operation, shardings: dict[int, ir.Attribute]) -> None:
    """Set the shardings of results by number, and remove `mhlo.sharding` from results."""
    results = _values(function, "res_attrs")
    if not results and shardings:
        type_ = ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value)
        results = [{} for _ in type_.results]
    for own in results:
        own.pop(_XLA_SHARDING, None)
    for number, sharding in shardings.items():
        results[number][names.SHARDING] = sharding
    if results:
        _set_values(function, "res_attrs", results)


def _import_op(op: ir.Operation, texts: Texts, results: dict[int, ir.Attribute]) -> None:
    """Import the attributes of an op; shardings of the function's results go to `results`."""
    if _XLA_SHARDING in op.attributes:
        del op.attributes[_XLA_SHARDING]
    frontend = frontend_attributes(op)
    sharding, rule = frontend.pop(names.SHARDING_TEXT, None), frontend.pop(names.RULE_TEXT, None)
    called = target(op)
    if sharding is not None and called == names.RESULT_TARGET:
        read = texts.read(op, names.SHARDING_TEXT, sharding, sdy.TensorShardingPerValueAttr)
        _import_result(op, sdy.TensorShardingPerValueAttr.of(read), results)
        return
    if sharding is not None and _keeps_sharding(op, called):
        op.attributes[names.SHARDING] = texts.read(
            op, names.SHARDING_TEXT, sharding, sdy.TensorShardingPerValueAttr
        )
    if rule is not None:
        op.attributes[names.RULE] = texts.read(op, names.RULE_TEXT, rule, sdy.OpShardingRuleAttr)
    set_frontend_attributes(op, frontend)


def _keeps_sharding(op: ir.Operation, called: str) -> bool:
    return called in _KEEPING_SHARDINGS or op.name in ("stablehlo.send", "stablehlo.recv")


def _import_result(
    call: ir.Operation,
    shardings: sdy.TensorShardingPerValueAttr,
    results: dict[int, ir.Attribute],
) -> None:
    """Move the sharding of a `FuncResultSharding` to the results that it is returned as."""
    if len(call.operands) != 1 or len(call.results) != 1 or len(shardings.shardings) != 1:
        fail(call, f"{names.RESULT_TARGET} needs one operand, one result and one sharding")
    sharding = shardings.shardings[0]
    attribute = sharding.to_attr()
    value, is_used = call.operands[0], False
    for use in call.results[0].uses:
        if use.owner.operation.name == "func.return":
            results[use.operand_number] = attribute
        else:
            is_used = True
    if is_used:
        value = sdy.ShardingConstraintOp(
            value, _opened(sharding).to_attr(), loc=call.location, ip=ir.InsertionPoint(call)
        ).result
    call.results[0].replace_all_uses_with(value)
    call.erase()


def _opened(sharding: sdy.TensorShardingAttr) -> sdy.TensorShardingAttr:
    dimensions = (replace(dimension, is_closed=False) for dimension in sharding.dim_shardings)
    return replace(sharding, dim_shardings=tuple(dimensions))
