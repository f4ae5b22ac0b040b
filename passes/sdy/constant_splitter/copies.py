"""Giving each use of a constant its own copy."""

from __future__ import annotations

from collections.abc import Iterable

from sdykit.mlir import ir
from sdykit.passes.sdy._call_graph import CALL
from sdykit.passes.sdy.constant_splitter.callees import Callees
from sdykit.passes.sdy.constant_splitter.graph import (
    ConstantGraph,
    Node,
    Use,
    in_program_order,
    sub_computation,
)


def split(graph: ConstantGraph, callees: Callees) -> None:
    """Copy the constants of a graph for each of their uses, and erase what is left over.

    Copies stand before the original in the order of the uses. The last use gets the
    original itself, which thus stands where its copy would.
    """
    _Split(callees).run(graph)


class _Split:
    """The state of one split."""

    def __init__(self, callees: Callees) -> None:
        self._callees = callees
        self._calls: list[tuple[Use, list[Node]]] = []
        # The operands of copies that are scalars and copies, too.
        self._copied_scalars: set[tuple[Node, Use, int]] = set()

    def run(self, graph: ConstantGraph) -> None:
        for use in graph.uses:
            self._plan(use)
        nodes = [*graph.constants, *graph.expansions.values()]
        _keep_operands(nodes)
        for node in nodes:
            if node.copies:
                self._copy(node)
        self._point_to_own_callees()
        for use in graph.uses:
            made = use.node.made[use]
            if made is not use.node.op:
                use.user.operands[use.number] = made.results[use.result]
        # Users first: an op in use must not go. An expansion stands before those that use
        # it, but for odd blocks, and thus outlives them, as it does in C++.
        _erase_unused(graph.expansions.values())
        _erase_unused(reversed(graph.constants))

    def _plan(self, use: Use) -> None:
        """Note what is copied for a use."""
        calls = []
        copied = sub_computation(use.node, use.result)
        for node, result in copied:
            node.copies.append((use, result))
            if node.op.name == CALL:
                calls.append(node)
            if len(node.parts) < len(node.operands):
                self._plan_scalars(node, use, copied)
        if calls:
            self._calls.append((use, calls))

    def _plan_scalars(self, node: Node, use: Use, copied: list[tuple[Node, int]]) -> None:
        """Keep the scalars that a copy uses, save those copied along with other results."""
        for number, operand, result in node.operands:
            if result not in operand.scalars:
                continue
            if operand.results > 1 and _is_before(operand, node, copied):
                self._copied_scalars.add((node, use, number))
            else:
                operand.is_kept = True

    def _copy(self, node: Node) -> None:
        copies = node.copies
        if len(copies) > 1:
            copies.sort(key=lambda copy: in_program_order(copy[0]))
        clones = copies if node.is_kept else copies[:-1]
        if clones:
            before = ir.InsertionPoint(node.op)
            for use, result in clones:
                clone = node.made[use] = node.op.clone(before)
                for its_result, group in node.groups or ():
                    if its_result == result:
                        group.clone(before).operands[0] = clone.results[result]
        if not node.is_kept:
            use, result = copies[-1]
            node.made[use] = node.op
            _gather_groups(node, result)
        if node.operands:
            self._connect(node)

    def _connect(self, node: Node) -> None:
        """Give the copies of a node the copies of its operands."""
        for number, operand, result in node.operands:
            is_scalar = result in operand.scalars
            for use, copy in node.made.items():
                if is_scalar and (node, use, number) not in self._copied_scalars:
                    continue
                made = operand.made[use]
                if made is not operand.op:
                    copy.operands[number] = made.results[result]

    def _point_to_own_callees(self) -> None:
        """Clone a function for each copy of a call: in the order of uses, operands first."""
        self._calls.sort(key=lambda item: in_program_order(item[0]))
        for use, calls in self._calls:
            for node in calls:
                node.made[use].attributes["callee"] = self._callees.clone(node.op)


def _is_before(operand: Node, node: Node, copied: list[tuple[Node, int]]) -> bool:
    return next(each for each, _ in copied if each in (operand, node)) is operand


def _keep_operands(nodes: list[Node]) -> None:
    """Keep what the originals that stay are made of."""
    kept = [node for node in nodes if node.is_kept]
    while kept:
        for _, operand, _ in kept.pop().operands:
            if not operand.is_kept:
                operand.is_kept = True
                kept.append(operand)


def _gather_groups(node: Node, result: int) -> None:
    """Put the sharding groups of one result behind the op, and erase the others."""
    last = node.op
    for its_result, group in node.groups or ():
        if its_result == result:
            group.move_after(last)
            last = group
        else:
            group.erase()


def _erase_unused(nodes: Iterable[Node]) -> None:
    """Erase the originals without uses."""
    for node in nodes:
        if node.copies or node.is_kept:
            continue
        for _, group in node.groups or ():
            group.erase()
        node.op.erase()
