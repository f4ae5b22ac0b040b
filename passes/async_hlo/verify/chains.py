"""Rules of asynchronous chains in MLIR that the verifiers of `mhlo` do not check."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial

from sdykit.core import fail, ops_named
from sdykit.errors import PassFailure
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.async_hlo._mlir import names
from sdykit.passes.async_hlo._mlir.facts import facts_of
from sdykit.passes.async_hlo._mlir.program import MlirProgram
from sdykit.passes.async_hlo._mlir.wrapping import symbol_uses
from sdykit.passes.async_hlo._program import Role, next_phase
from sdykit.passes.async_hlo.verify.root import is_part, root_of


def check_chains(module: ModuleOp) -> None:
    """Check the chains of a module.

    Raises:
        PassFailure: there are errors, at most two for an operation, which have been emitted.
    """
    program = MlirProgram(module)
    phases = ops_named(module, *names.ROLES)
    functions, uses = names.Functions(), symbol_uses(module.operation) if phases else Counter()
    checks: list[Callable[[], None]] = []
    starts: dict[ir.Operation, ir.Operation] = {}
    for op in phases:
        # MLIR's verifier has seen that the operand is a start or update.
        start = op if op.name == names.START else starts[_definition(op.operands[0])]
        starts[op] = start
        checks.append(partial(_check_phase, program, op, start))
        if op.name == names.START:
            checks.append(partial(_check_callee, op, functions, uses))
    failures = [failure for check in checks if (failure := _failure(check)) is not None]
    if failures:
        raise failures[0]


def _failure(check: Callable[[], None]) -> PassFailure | None:
    try:
        check()
    except PassFailure as failure:
        return failure
    return None


def _definition(value: ir.Value) -> ir.Operation:
    assert not isinstance(value.owner, ir.Block)
    return value.owner.operation


def _check_phase(program: MlirProgram, op: ir.Operation, start: ir.Operation) -> None:
    if program.role(op) is not Role.DONE:
        next_phase(program, op)
    for name in (names.CALLED, names.THREAD):
        if name in op.attributes and op.attributes[name] != start.attributes[name]:
            found, expected = op.attributes[name], start.attributes[name]
            fail(op, f"expects {name} to be that of its start, {expected}, found {found}")


def _check_callee(start: ir.Operation, functions: names.Functions, uses: Counter[str]) -> None:
    name = names.callee_name(start)
    if uses[name] != 1:
        fail(start, f"requires @{name} to be called by it alone, found {uses[name]} uses")
    _check_body(start, functions.called_by(start))


def _check_body(start: ir.Operation, callee: ir.Operation) -> None:
    name = names.callee_name(start)
    blocks = len(callee.regions[0].blocks)
    if blocks != 1:
        fail(start, f"requires @{name} to have a body of one block, found {blocks}")
    *body, terminator = names.body_of(callee)
    root = root_of(body, list(terminator.operands))
    if root is not None and names.has_own_opcodes(root):
        fail(start, f"cannot wrap '{root.name}', which has opcodes of its own in HLO")
    if facts_of(start).attribute("_collectives_group") is not None:
        return
    others = [op for op in body if not is_part(op)]
    if len(others) > 1:
        fail(start, f"requires @{name} to hold one operation, found {len(others)}")
    if others and (root is None or root != others[0]):
        fail(start, f"requires @{name} to return the results of '{others[0].name}'")
