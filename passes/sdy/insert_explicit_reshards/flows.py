"""Reshards where data flows from value to value: into and out of regions, calls, and functions."""

from __future__ import annotations

from collections.abc import Iterator

from sdykit.mlir import FuncOp, ir
from sdykit.passes.sdy._call_graph import argument_shardings, callee_name, result_shardings
from sdykit.passes.sdy._propagation.edges import OPERANDS, flows_from
from sdykit.passes.sdy._propagation.manual import boundary_of
from sdykit.passes.sdy._propagation.program import NO_NODE, Program
from sdykit.passes.sdy._propagation.projection import Dim
from sdykit.passes.sdy._propagation.shardings import Sharding
from sdykit.passes.sdy._value_shardings import ARGUMENTS_OWN_EDGES, MANUAL_COMPUTATION
from sdykit.passes.sdy.insert_explicit_reshards.tables import Tables
from sdykit.passes.sdy.insert_explicit_reshards.unreduced import Collectives, axes_without
from sdykit.passes.sdy.insert_explicit_reshards.values import Tensors, Values

TERMINATORS = frozenset(
    ("func.return", "stablehlo.return", "sdy.return", "mpmd.return", "mhlo.return")
)
_FUNCTION = 0
"""The function, among its own ops."""


class Flows:
    """Inserts them in a function."""

    def __init__(
        self, func: FuncOp, values: Values, collectives: Collectives, *, is_full: bool
    ) -> None:
        self._func = func.operation
        self._values = values
        self._shardings = values.shardings
        self._collectives = collectives
        self._is_full = is_full

    def convert(self, program: Program, tables: Tables, node: int) -> bool:
        """Convert what flows into the results and block arguments of an op.

        Returns:
            Whether the op has other operands now.
        """
        op, name = program.ops[node], program.names[node]
        bodies = program.bodies.get(node, ())
        is_changed = False
        for number, owner, is_argument in _owners(program, node):
            wanted = self._shardings.find(tables.of(owner))
            if name == MANUAL_COMPUTATION:
                boundary = boundary_of(op, number, self._shardings, is_argument=is_argument)
                if boundary is not None:
                    outer = boundary.outer
                    wanted = outer if is_argument else boundary.to_inner(outer)
            for origin in flows_from(name, len(bodies), is_argument=is_argument):
                user = node if origin == OPERANDS else _terminator(program, node, origin)
                if user == NO_NODE:
                    continue
                has = self._shardings.find(tables.of(program.operands[user][number]))
                is_new = self._convert(
                    program.ops[user], number, has, wanted, is_full=self._is_full
                )
                is_changed |= is_new and user == node
        return is_changed

    def convert_call(self, op: ir.Operation, tensors: Tensors) -> bool:
        """Convert the operands of a call to what the function has; return whether any was."""
        callee = self._values.functions.get(callee_name(op))
        if callee is None:
            return False
        given = [
            None if each is None else self._shardings.read(each)
            for each in argument_shardings(callee)
        ]
        mesh = self._values.mesh(given)
        is_changed = False
        for number, each in enumerate(given):
            wanted = each
            # As in C++: where an argument of the function has a sharding, the others are open.
            if each is None and mesh is not None:
                wanted = Sharding(mesh, (Dim(),) * tensors.types[number].rank)
            has = self._shardings.find(tensors.numbers[number])
            is_changed |= self._convert(op, number, has, wanted, is_full=True)
        return is_changed

    def convert_returned(self, program: Program, tables: Tables) -> None:
        """Convert what the function returns to the shardings of its results."""
        end = _terminator(program, _FUNCTION, 0)
        if end == NO_NODE or program.names[end] not in TERMINATORS:
            return
        for number, attribute in enumerate(result_shardings(self._func)):
            wanted = None if attribute is None else self._shardings.read(attribute)
            has = self._shardings.find(tables.of(program.operands[end][number]))
            op = program.ops[end]
            self._convert(op, number, has, wanted, is_full=self._is_full, at=op)

    def _convert(
        self,
        user: ir.Operation,
        number: int,
        has: Sharding | None,
        wanted: Sharding | None,
        *,
        is_full: bool,
        at: ir.Operation | None = None,
    ) -> bool:
        """Convert an operand to a wanted sharding, by new ops after its definition or before an op.

        Returns:
            Whether there is a new operand.
        """
        if has == wanted:
            return False
        value = user.operands[number]
        place = ir.InsertionPoint(at) if at is not None else _after(value)
        new = self._collectives.convert(value, has, wanted, place, is_full=is_full)
        if new == value:
            return False
        user.operands[number] = new
        return True

    def with_unreduced(self, op: ir.Operation) -> ir.Value | None:
        """Replace a reshard to more unreduced axes, and return what replaces it; None if it is not one."""
        has, wants = self._values.sharding(op.operands[0]), self._values.sharding(op.results[0])
        if has is None or wants is None or not axes_without(wants.unreduced, has.unreduced):
            return None
        place = ir.InsertionPoint(op)
        new = self._collectives.convert(op.operands[0], has, wants, place, is_full=False)
        op.results[0].replace_all_uses_with(new)
        op.erase()
        return new


def _owners(program: Program, node: int) -> Iterator[tuple[int, int, bool]]:
    """Yield the owners of an op's edges: the number of each, the value, and whether it is an argument."""
    for number, value in enumerate(program.results[node]):
        yield number, value, False
    if program.names[node] in ARGUMENTS_OWN_EDGES:
        for number, value in enumerate(program.bodies[node][0][0].arguments):
            yield number, value, True


def _terminator(program: Program, node: int, region: int) -> int:
    """Return the last op of the first block of a region; `NO_NODE` if it has none."""
    blocks = program.bodies[node][region]
    return blocks[0].end if blocks else NO_NODE


def _after(value: ir.Value) -> ir.InsertionPoint:
    if isinstance(value, ir.BlockArgument):
        return ir.InsertionPoint.at_block_begin(value.owner)
    return ir.InsertionPoint.after(ir.OpResult(value).owner.operation)
