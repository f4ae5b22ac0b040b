"""Copies of ops: without what only says how tensors are sharded, and with the functions that they name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sdykit.core import FUNC
from sdykit.core.constants import constant_named
from sdykit.mlir import ir

if TYPE_CHECKING:
    from sdykit.spmd.local.program import LocalProgram

CONSTANT = "sdy.constant"
_CALLED = ("decomposition", "called_computations")
_OF_DEVICES = ("channel_handle", "use_global_device_ids")
"""Attributes of collectives between the partitions of a program, which are its replicas here."""


def copy_of(
    op: ir.Operation,
    operands: Sequence[ir.Value],
    types: Sequence[ir.Type],
    attributes: dict[str, ir.Attribute] | None = None,
) -> list[ir.Value]:
    """Copy an op to the insertion point, with other operands, result types and attributes."""
    copy = op.clone()
    for number, operand in enumerate(operands):
        copy.operands[number] = operand
    for result, type_ in zip(copy.results, types, strict=True):
        result.set_type(type_)
    strip_all(copy)
    for name in _OF_DEVICES:
        if name in copy.attributes:
            del copy.attributes[name]
    for name, value in (attributes or {}).items():
        copy.attributes[name] = value
    return list(copy.results)


def copy_callees(program: LocalProgram, op: ir.Operation) -> None:
    """Copy the functions that a copied op names, with what they name, as they are."""
    for name in (*_CALLED, "callee"):
        called = op.attributes.get(name)
        for each in called if isinstance(called, ir.ArrayAttr) else [called]:
            if isinstance(each, ir.FlatSymbolRefAttr):
                _copy_function(program, each.value, op)


def _copy_function(program: LocalProgram, name: str, user: ir.Operation) -> None:
    if not program.takes(name, user, local=False):
        return
    func = program.function(name, user).clone(ip=ir.InsertionPoint(program.target.body))

    def visit(op: ir.Operation) -> ir.WalkResult:
        copy_callees(program, op)
        return ir.WalkResult.ADVANCE

    strip_all(func)
    func.walk(visit)


def strip(op: ir.Operation) -> None:
    """Remove shardings and other attributes that change no value."""
    of_function = op.name == FUNC
    for name in list(op.attributes):
        if of_function:
            if name not in ("sym_name", "sym_visibility", "function_type"):
                del op.attributes[name]
        elif "." in name and name != "mhlo.backend_config":
            del op.attributes[name]


def strip_all(root: ir.Operation) -> None:
    """Remove from an op, and from all ops in it, what only says how tensors are sharded."""
    found: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        strip(op)
        if op.name.startswith("sdy.") and op != root:
            found.append(op)
        return ir.WalkResult.ADVANCE

    root.walk(visit)
    for op in found:  # JAX puts constraints of scalars into the bodies of reductions.
        with ir.InsertionPoint(op):
            value = stablehlo_constant(op).result if op.name == CONSTANT else op.operands[0]
        op.results[0].replace_all_uses_with(value)
        op.erase()


def stablehlo_constant(op: ir.Operation) -> ir.Operation:
    """Make a constant of StableHLO for one of sdy, without its sharding."""
    made = constant_named("stablehlo.constant", op)
    strip(made)
    return made
