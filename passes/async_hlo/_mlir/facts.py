"""Properties of single MLIR operations that the passes depend on."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from sdykit.core import FUNC, ops_named
from sdykit.hlo.opcodes import opcode_of
from sdykit.mlir import ModuleOp, ir, stablehlo
from sdykit.passes.async_hlo._mlir import names
from sdykit.passes.async_hlo._program import Facts

_CONTROL_FLOW = frozenset(
    {
        "mhlo.case",
        "mhlo.if",
        "mhlo.while",
        "scf.for",
        "scf.if",
        "scf.while",
        "sdy.manual_computation",
        "sdy.named_computation",
        "stablehlo.case",
        "stablehlo.if",
        "stablehlo.while",
    }
)
"""Operations whose regions run as parts of the program."""

_FRONTEND = "mhlo.frontend_attributes"
_ALIASES = "output_operand_aliases"
_TOKENS = ("!stablehlo.token", "!mhlo.token")


def facts_of(op: ir.Operation) -> Facts:
    """Return the properties that an operation is chosen by: its name, its opcode in HLO, ..."""
    target = op.attributes.get("call_target_name") if op.name in names.CUSTOM_CALLS else None
    return Facts(
        (op.name, opcode_of(op.name)),
        lambda name: _attribute(op, name),
        lambda: _attribute_names(op),
        None if target is None else _text(target),
    )


def _attribute(op: ir.Operation, name: str) -> str | None:
    if name in op.attributes:
        return _text(op.attributes[name])
    frontend = op.attributes.get(_FRONTEND)
    if isinstance(frontend, ir.DictAttr) and name in frontend:
        return _text(frontend[name])
    return None


def _attribute_names(op: ir.Operation) -> list[str]:
    frontend = op.attributes.get(_FRONTEND)
    inner = [each.name for each in frontend] if isinstance(frontend, ir.DictAttr) else []
    return [*op.attributes, *inner]


def _text(attribute: ir.Attribute) -> str:
    return attribute.value if isinstance(attribute, ir.StringAttr) else str(attribute)


def runnable_ops(module: ModuleOp) -> Iterator[ir.Operation]:
    """Yield the operations that run as parts of the program, in program order.

    They are in functions and in the regions of control flow, not in reducers or the like,
    and not in functions that starts call.
    """
    wrapped = {
        (names.module_around(start), names.callee_name(start))
        for start in ops_named(module, names.START)
    }
    for func in ops_named(module, FUNC):
        name = ir.StringAttr(func.attributes["sym_name"]).value
        if not wrapped or (names.module_around(func), name) not in wrapped:
            yield from _run_by(func)


def _run_by(op: ir.Operation) -> Iterator[ir.Operation]:
    for region in op.regions:
        for block in region.blocks:
            for each in list(block.operations):
                inner = each.operation
                yield inner
                if inner.name in _CONTROL_FLOW:
                    yield from _run_by(inner)


def refusal(op: ir.Operation) -> str | None:
    """Return the reason why an operation cannot be wrapped; None if it can."""
    if names.has_own_opcodes(op):
        return f"{op.name.partition('.')[2]} has asynchronous opcodes of its own in HLO"
    if op.name in names.ROLES or names.is_terminator(op):
        return "it is not an operation that a thread could run"
    for value in (*op.operands, *op.results):
        if not _fits_bundle(value.type):
            return f"a bundle cannot hold the type {value.type}"
    if len(op.results) == 1 and isinstance(op.results[0].type, ir.TupleType):
        return "a bundle takes a tuple for several results; the operation has one"
    return None


def _fits_bundle(type_: ir.Type) -> bool:
    return isinstance(type_, ir.RankedTensorType | ir.TupleType) or str(type_) in _TOKENS


def overwritten(op: ir.Operation, functions: names.Functions) -> Collection[ir.Value]:
    """Return the operands that an operation, or what it wraps, declares its result an alias of."""
    if op.name in names.CUSTOM_CALLS:
        return [op.operands[number] for number in _aliased(op)]
    if op.name != names.START:
        return ()
    found = []
    for each in names.body_of(functions.called_by(op)):
        if each.name in names.CUSTOM_CALLS:
            values = [each.operands[number] for number in _aliased(each)]
            arguments = [value for value in values if isinstance(value, ir.BlockArgument)]
            found += [op.operands[argument.arg_number] for argument in arguments]
    return found


def _aliased(call: ir.Operation) -> list[int]:
    if _ALIASES not in call.attributes:
        return []
    aliases = map(stablehlo.OutputOperandAlias, ir.ArrayAttr(call.attributes[_ALIASES]))
    return [alias.operand_index for alias in aliases]
