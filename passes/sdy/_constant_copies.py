"""Giving each use of a constant its own copy."""

from __future__ import annotations

from sdykit.mlir import ir
from sdykit.passes.sdy._call_graph import CALL
from sdykit.passes.sdy._constant_calls import Callees
from sdykit.passes.sdy._constant_graph import (
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
    with_calls: list[tuple[Use, list[Node]]] = []
    for use in graph.uses:
        calls = []
        for node, result in _copied_for(use):
            node.copies.append((use, result))
            if node.op.name == CALL:
                calls.append(node)
        if calls:
            with_calls.append((use, calls))
    _keep_operands(graph.nodes)
    names = _clone_callees(with_calls, callees)
    for node in graph.nodes:
        if node.copies:
            _copy(node, names)
    for use in graph.uses:
        made = use.node.made[use]
        if made is not use.node.op:
            use.user.operands[use.number] = made.results[use.result]
    _erase_unused(graph.nodes)


def _copied_for(use: Use) -> list[tuple[Node, int]]:
    if not use.node.operands:
        return [(use.node, use.result)]
    return sub_computation(use.node, use.result)


def _keep_operands(nodes: list[Node]) -> None:
    """Keep what the ops that stay, and scalars what the copies, are made of."""
    for node in reversed(nodes):
        for _, operand, result in node.operands:
            if node.is_kept or (node.copies and result in operand.scalars):
                operand.is_kept = True


def _clone_callees(
    with_calls: list[tuple[Use, list[Node]]], callees: Callees
) -> dict[tuple[Node, Use], ir.Attribute]:
    """Clone a callee for each copy of a call: in the order of the uses, operands first."""
    with_calls.sort(key=lambda item: in_program_order(item[0]))
    return {(node, use): callees.clone(node.op) for use, calls in with_calls for node in calls}


def _copy(node: Node, names: dict[tuple[Node, Use], ir.Attribute]) -> None:
    copies = node.copies
    if len(copies) > 1:
        copies.sort(key=lambda copy: in_program_order(copy[0]))
    clones = copies if node.is_kept else copies[:-1]
    before = ir.InsertionPoint(node.op) if clones else None
    for use, result in clones:
        clone = node.made[use] = node.op.clone(before)
        for its_result, group in node.groups:
            if its_result == result:
                group.clone(before).operands[0] = clone.results[result]
    if not node.is_kept:
        use, result = copies[-1]
        node.made[use] = node.op
        _gather_groups(node, result)
    for use, copy in node.made.items():
        for number, operand, result in node.operands:
            made = operand.made.get(use)
            if made is not None and made is not operand.op:
                copy.operands[number] = made.results[result]
        if (node, use) in names:
            copy.attributes["callee"] = names[node, use]


def _gather_groups(node: Node, result: int) -> None:
    """Put the sharding groups of one result behind the op, and erase the others."""
    last = node.op
    for its_result, group in node.groups:
        if its_result == result:
            group.move_after(last)
            last = group
        else:
            group.erase()


def _erase_unused(nodes: list[Node]) -> None:
    """Erase the originals without uses; users first, since an op in use must not go."""
    for node in reversed(nodes):
        if node.copies or node.is_kept:
            continue
        for _, group in node.groups:
            group.erase()
        node.op.erase()
