"""Copying constants for each of their uses, with clones of the functions that they call."""

from __future__ import annotations

from functools import cmp_to_key

from sdykit.core import fail, functions_of, ops_named
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sdy._call_graph import CALL, ORIGINAL_FUNC_NAME, callee_name
from sdykit.passes.sdy.constant_splitter.constants import Constant, Constants, Result, Use
from sdykit.passes.sdy.constant_splitter.ops import SHARDING_GROUP
from sdykit.passes.sdy.constant_splitter.order import precedes


class Callees:
    """Clones functions, so that each copy of a call has its own."""

    def __init__(self, module: ModuleOp) -> None:
        self._body = module.body
        self._functions = functions_of(module)
        # One for all clones: the numbers in new names go up from clone to clone.
        self._symbols = ir.SymbolTable(module.operation)

    def clone_for(self, call: ir.Operation) -> None:
        """Clone the function that is called, and those that it calls, and call the clone instead.

        A clone is appended to the module, after the clones of the functions that it calls.
        """
        clones: list[tuple[ir.Operation, str, ir.Operation]] = []
        stack: list[tuple[ir.Operation, tuple[str, ...]]] = [(call, ())]
        while stack:
            call, callers = stack.pop()
            name = callee_name(call)
            if name in callers:
                fail(call, f"calls @{name} recursively: its clones would need clones without end")
            clone = self._functions[name].clone(ip=False)
            clones.append((call, name, clone))
            stack += [(inner, (*callers, name)) for inner in ops_named(clone, CALL)]
        for call, name, clone in reversed(clones):
            call.attributes["callee"] = ir.FlatSymbolRefAttr.get(self._append(clone, name))

    def _append(self, clone: ir.Operation, name: str) -> str:
        if ORIGINAL_FUNC_NAME not in clone.attributes:
            clone.attributes[ORIGINAL_FUNC_NAME] = ir.StringAttr.get(name)
        # Appended first: `insert` alone leaves the clone to Python, which would free it.
        self._body.append(clone)
        self._symbols.insert(clone)
        new_name = ir.StringAttr(clone.attributes["sym_name"]).value
        self._functions[new_name] = clone
        return new_name


def split(constants: Constants, callees: Callees) -> None:
    """Copy the constants of a scope for each of their uses, and erase those without uses."""
    # Most constants have one use: these uses need not be put in order.
    uses = [use for use in constants.uses if not _is_only_use(use)]
    uses.sort(key=lambda use: use.number)
    uses.sort(key=cmp_to_key(lambda use, other: -precedes(use.user, other.user)))
    for use in uses:
        if not _is_only_use(use):
            _copy(use, callees)
    # As C++ does it: an expansion outlives those that expand it further.
    for constant in (*constants.expansions, *reversed(constants.found)):
        _erase_unused(constant)


def _is_only_use(use: Use) -> bool:
    """Return whether nothing else uses a constant and what it is made of: it needs no copy."""
    result = use.result
    if result.uses > 1 or result.constant.needs_copies:
        return False
    # Most are made of nothing: these are all that is copied.
    is_only = not result.constant.operands or all(
        each.uses == 1 and not each.constant.needs_copies for each in _copied_for(result)
    )
    result.constant.is_used |= is_only
    return is_only


def _copy(use: Use, callees: Callees) -> None:
    """Copy the constants of a use; a copy is inserted before its original, after earlier copies."""
    copies: dict[Constant, ir.Operation] = {}
    for result in _copied_for(use.result):
        constant = result.constant
        copy = copies[constant] = _clone(constant.op, result)
        for number, operand in enumerate(constant.operands):
            if operand.constant in copies:
                copy.operands[number] = copies[operand.constant].results[operand.number]
        if copy.name == CALL:
            callees.clone_for(copy)
    use.result.uses -= 1
    use.user.operands[use.number] = copies[use.result.constant].results[use.result.number]


def _clone(op: ir.Operation, result: Result) -> ir.Operation:
    """Clone an op before itself, with the sharding groups of one of its results."""
    before = ir.InsertionPoint(op)
    clone = op.clone(before)
    for group in result.groups:
        group.clone(before).operands[0] = clone.results[result.number]
    return clone


def _copied_for(result: Result) -> list[Result]:
    """List what is copied for a use of a result: the constants that it is made of, but for scalars.

    Operands come first. Of each constant, the list holds the result that is met first.
    """
    if not result.constant.operands:
        return [result]
    copied: list[Result] = []
    met = {result.constant}
    stack = [(result, iter(result.constant.operands))]
    while stack:
        current, operands = stack[-1]
        for operand in operands:
            if not operand.shape.is_scalar and operand.constant not in met:
                met.add(operand.constant)
                stack.append((operand, iter(operand.constant.operands)))
                break
        else:
            copied.append(current)
            stack.pop()
    return copied


def _erase_unused(constant: Constant) -> None:
    """Erase a constant, and its sharding groups, if nothing else uses it."""
    op = constant.op
    groups: list[ir.Operation] = []
    if not constant.is_used:
        users = [use.owner.operation for result in op.results for use in result.uses]
        groups = [user for user in users if user.name == SHARDING_GROUP]
        constant.is_used = len(groups) < len(users)
    if constant.is_used:
        for operand in constant.operands:
            operand.constant.is_used = True
        return
    for group in groups:
        group.erase()
    op.erase()
