"""Data-flow edges: what flows into a value that a region op returns, or hands to its regions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from sdykit.passes.sdy._propagation.program import Program
from sdykit.passes.sdy._value_shardings import RESULTS_OWN_EDGES

_LOOPS: Final = ("stablehlo.while", "mpmd.for")
_CASE: Final = "stablehlo.case"


OPERANDS: Final = -1
"""The operands of an op, among its regions."""


def flows_from(name: str, regions: int, *, is_argument: bool) -> Sequence[int]:
    """Return where what flows into the owners of an op's edges comes from.

    Args:
        name: the name of the op.
        regions: how many regions it has.
        is_argument: whether the owner is a block argument.

    Returns:
        The regions that return it, and `OPERANDS`.
    """
    if is_argument or not regions:
        return (OPERANDS,)
    if name in _LOOPS:
        return OPERANDS, regions - 1
    return range(regions) if name == _CASE else (0,)


def sources_of(program: Program, owner: int) -> list[int]:
    """Return the values that flow into the owner of an edge."""
    node, number = program.owners[owner], program.number_in_owner(owner)
    regions = len(program.bodies.get(node, ()))
    found = flows_from(program.names[node], regions, is_argument=not program.is_result(owner))
    return [
        (program.operands[node] if each == OPERANDS else program.returned(node, each))[number]
        for each in found
    ]


def other_targets(program: Program, owner: int) -> Iterator[int]:
    """Yield the values of an edge that its owner stands for: arguments of the regions of a loop."""
    node = program.owners[owner]
    if program.is_result(owner) and program.names[node] in _LOOPS:
        number = program.number_in_owner(owner)
        for blocks in program.bodies[node]:
            yield blocks[0].arguments[number]


def edge_owner_of_use(program: Program, node: int, number: int) -> int | None:
    """Return the owner of the edge that operand `number` of an op is a source of, or None."""
    results = program.results[node]
    if program.names[node] in RESULTS_OWN_EDGES:
        return results[number] if number < len(results) else None
    return None
