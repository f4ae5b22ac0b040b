"""Giving each use of a constant its own copy."""

from __future__ import annotations

from collections.abc import Iterable

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
        calls = _plan(use)
        if calls:
            with_calls.append((use, calls))
    nodes = [*graph.constants, *graph.expansions.values()]
    _keep_operands(nodes)
    names = _clone_callees(with_calls, callees)
    for node in nodes:
        if node.copies:
            _copy(node, names)
    for use in graph.uses:
        made = use.node.made[use]
        if made is not use.node.op:
            use.user.operands[use.number] = made.results[use.result]
    # Users first: an op in use must not go. An expansion stands before those that use it,
    # but for odd blocks, and thus outlives them, as it does in C++.
    _erase_unused(graph.expansions.values())
    _erase_unused(reversed(graph.constants))


def _plan(use: Use) -> list[Node]:
    """Note what is copied for a use; give the calls among it, operands first."""
    calls = []
    copied = sub_computation(use.node, use.result)
    for node, result in copied:
        node.copies.append((use, result))
        if node.op.name == CALL:
            calls.append(node)
        for number, operand, its_result in node.operands:
            if its_result in operand.scalars:
                _plan_scalar(node, number, operand, use, copied)
    return calls


def _plan_scalar(
    node: Node, number: int, operand: Node, use: Use, copied: list[tuple[Node, int]]
) -> None:
    """Keep a scalar that a copy uses, unless it has been copied along with another result."""
    if len(operand.scalars) < operand.results:
        for earlier, _ in copied:
            if earlier is operand:
                node.copied_scalars.add((use, number))
                return
            if earlier is node:
                break
    operand.is_kept = True


def _keep_operands(nodes: list[Node]) -> None:
    """Keep what the originals that stay are made of."""
    kept = [node for node in nodes if node.is_kept]
    while kept:
        for _, operand, _ in kept.pop().operands:
            if not operand.is_kept:
                operand.is_kept = True
                kept.append(operand)


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
            if result in operand.scalars and (use, number) not in node.copied_scalars:
                continue
            made = operand.made[use]
            if made is not operand.op:
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


def _erase_unused(nodes: Iterable[Node]) -> None:
    """Erase the originals without uses."""
    for node in nodes:
        if node.copies or node.is_kept:
            continue
        for _, group in node.groups:
            group.erase()
        node.op.erase()
