"""Names of operations and attributes, and the functions that starts call."""

from __future__ import annotations

from sdykit.core import FUNC
from sdykit.mlir import ir
from sdykit.passes.async_hlo._program import Role

START, UPDATE, DONE = "mhlo.async_start", "mhlo.async_update", "mhlo.async_done"
ROLES = {START: Role.START, UPDATE: Role.UPDATE, DONE: Role.DONE}

CALLED = "called_computation"
THREAD = "execution_thread"

OF_OPERATION = ("hlo.backend_config", "mhlo.frontend_attributes")
"""Attributes of a start that may be those of the operation that it wraps."""

GET_ELEMENT = ("mhlo.get_tuple_element", "stablehlo.get_tuple_element")
TUPLE = ("mhlo.tuple", "stablehlo.tuple")

IMPLIED, ROOT = "hlo.implied", "hlo.root"
"""Attributes with which `hlo-opt` marks implied operations on tuples, and a root without results."""

CUSTOM_CALLS = ("stablehlo.custom_call", "mhlo.custom_call")

_FIRST_CLASS = frozenset(
    f"{dialect}.{name}"
    for dialect in ("stablehlo", "mhlo")
    for name in ("all_gather", "all_reduce", "collective_permute", "copy", "recv", "send")
)
"""Operations that become HLO opcodes with `-start` and `-done` of their own."""

_EMPTY_BARRIER = "hlo.opt_barrier"
"""Attribute of a copy that stands for another opcode in HLO."""


_TERMINATORS = frozenset({"return", "yield", "condition"})


def is_terminator(op: ir.Operation) -> bool:
    """Return whether an operation is a terminator of the dialects that the passes know."""
    return op.name.rpartition(".")[2] in _TERMINATORS


def has_own_opcodes(op: ir.Operation) -> bool:
    """Return whether an operation has `-start` and `-done` opcodes of its own in HLO."""
    return op.name in _FIRST_CLASS and _EMPTY_BARRIER not in op.attributes


def thread_of(start: ir.Operation) -> str:
    """Return the thread of a chain."""
    return ir.StringAttr(start.attributes[THREAD]).value


def callee_name(start: ir.Operation) -> str:
    """Return the name of the function that a start calls."""
    return ir.FlatSymbolRefAttr(start.attributes[CALLED]).value


def start_of(op: ir.Operation) -> ir.Operation:
    """Return the start of an update or done; the verifier has checked that there is one."""
    while op.name != START:
        owner = op.operands[0].owner
        assert not isinstance(owner, ir.Block)
        op = owner.operation
    return op


def module_around(op: ir.Operation) -> ir.Operation:
    """Return the innermost module around an operation, which holds the functions it calls."""
    parent = op.parent
    while parent is not None and parent.operation.name != "builtin.module":
        parent = parent.operation.parent
    assert parent is not None
    return parent.operation


class Functions:
    """Finds functions by their names."""

    def __init__(self) -> None:
        self._by_module: dict[ir.Operation, dict[str, ir.Operation]] = {}

    def named(self, name: str, near: ir.Operation) -> ir.Operation | None:
        """Return the function of this name in the module around `near`; None if there is none."""
        module = module_around(near)
        if module not in self._by_module:
            self._by_module[module] = {
                ir.StringAttr(op.operation.attributes["sym_name"]).value: op.operation
                for op in module.regions[0].blocks[0].operations
                if op.operation.name == FUNC
            }
        return self._by_module[module].get(name)

    def called_by(self, start: ir.Operation) -> ir.Operation:
        """Return the function that a start calls; the verifier has checked that it exists."""
        found = self.named(callee_name(start), start)
        assert found is not None
        return found


def body_of(func: ir.Operation) -> list[ir.Operation]:
    """Return the operations of a function in order, the terminator last; none without a body."""
    return [op.operation for block in func.regions[0].blocks for op in block.operations]
