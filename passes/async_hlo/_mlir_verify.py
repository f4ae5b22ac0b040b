"""Rules of asynchronous chains in MLIR that the verifier of `mhlo` leaves out."""

from __future__ import annotations

from collections.abc import Sequence

from sdykit.core import fail, ops_named
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.async_hlo import _mlir_names as names
from sdykit.passes.async_hlo._mlir import MlirProgram
from sdykit.passes.async_hlo._mlir_facts import facts_of
from sdykit.passes.async_hlo._mlir_wrapping import symbol_uses
from sdykit.passes.async_hlo._program import Role, next_phase

_GET_ELEMENT = ("mhlo.get_tuple_element", "stablehlo.get_tuple_element")


def phases_of(module: ModuleOp) -> list[ir.Operation]:
    """List starts, updates and dones in program order."""
    return ops_named(module, *names.ROLES)


def check_phase(program: MlirProgram, op: ir.Operation) -> None:
    """Check a start, update or done by itself."""
    role = program.role(op)
    if role is not Role.START:
        _check_operand(program, op)
    if role is not Role.DONE:
        next_phase(program, op)


def _check_operand(program: MlirProgram, op: ir.Operation) -> None:
    owner = op.operands[0].owner
    if isinstance(owner, ir.Block) or program.role(owner.operation) not in (
        Role.START,
        Role.UPDATE,
    ):
        fail(op, "expects operand to be async_start or async_update")
    start = names.start_of(op)
    for name in (names.CALLED, names.THREAD):
        if name in op.attributes and op.attributes[name] != start.attributes[name]:
            found, expected = op.attributes[name], start.attributes[name]
            fail(op, f"expects {name} to be that of its start, {expected}, found {found}")


def check_callees(module: ModuleOp, phases: Sequence[ir.Operation]) -> None:
    """Check the functions that starts call."""
    starts = [op for op in phases if op.name == names.START]
    if not starts:
        return
    functions, uses = names.Functions(), symbol_uses(module.operation)
    for start in starts:
        name = names.callee_name(start)
        if uses[name] != 1:
            fail(start, f"requires @{name} to be called by it alone, found {uses[name]} uses")
        _check_body(start, functions.called_by(start))


def _check_body(start: ir.Operation, callee: ir.Operation) -> None:
    name = names.callee_name(start)
    if len(callee.regions[0].blocks) != 1:
        fail(start, f"requires @{name} to have a body of one block")
    *body, terminator = names.body_of(callee)
    if not body:
        fail(start, f"requires an operation in @{name}, found none")
    *others, root = body
    is_group = facts_of(start).attribute("_collectives_group") is not None
    if not is_group and any(op.name not in _GET_ELEMENT for op in others):
        fail(start, f"requires @{name} to hold one operation, found {len(body)}")
    if not is_group and list(terminator.operands) != list(root.results):
        fail(start, f"requires @{name} to return the results of '{root.name}'")
    if root.name in names.FIRST_CLASS:
        fail(start, f"cannot wrap '{root.name}', which has opcodes of its own in HLO")
