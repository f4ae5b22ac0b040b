"""Dependencies within a block: data, control, effects, threads and shared buffers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sdykit.passes.async_hlo._program import Chain, Op, Program, Role
from sdykit.passes.async_hlo.schedule.graph import Graph, Span


def graph_of(program: Program[Op], ops: Sequence[Op], chains: Sequence[Chain[Op]]) -> Graph:
    """Return the dependency graph of a block, whose `ops` are in a legal order.

    - An operation comes after what defines its operands, and its control predecessors.
    - Operations with effects keep their order. A chain whose wrapped operation has effects
      has them from its start to its done.
    - Chains on one thread start in their order, in which the thread runs them.
    - An operation that has to be last comes after all others.
    - An operation that may overwrite an operand does not pass other users of that operand.
    """
    at = {op: position for position, op in enumerate(ops)}
    spans = [
        Span(at[chain.start], tuple([at[op] for op in chain.updates]), at[chain.done])
        for chain in chains
    ]
    predecessors = _operands_and_control(program, ops, at)
    _add_effects(program, ops, predecessors)
    _add_threads(program, ops, spans, predecessors)
    _add_buffers(program, ops, spans, predecessors)
    if ops and program.stays_last(ops[-1]):
        predecessors[-1] = list(range(len(ops) - 1))
    return Graph([_sorted_unique(found) for found in predecessors], spans)


def _sorted_unique(found: list[int]) -> list[int]:
    return found if len(found) < 2 else sorted(set(found))


def _operands_and_control(
    program: Program[Op], ops: Sequence[Op], at: dict[Op, int]
) -> list[list[int]]:
    defined: dict[object, int] = {}
    predecessors: list[list[int]] = []
    for position, op in enumerate(ops):
        found = [defined[value] for value in program.operands(op) if value in defined]
        for each in program.control_predecessors(op):
            if each in at:
                found.append(at[each])
                if at[each] >= position:
                    program.fail(op, "waits for an operation that comes after it")
        predecessors.append(found)
        for value in program.results(op):
            defined[value] = position
    return predecessors


def _add_effects(program: Program[Op], ops: Sequence[Op], predecessors: list[list[int]]) -> None:
    last = None
    for position, op in enumerate(ops):
        if program.has_effect(op):
            if last is not None:
                predecessors[position].append(last)
            last = position


def _add_threads(
    program: Program[Op], ops: Sequence[Op], spans: Sequence[Span], predecessors: list[list[int]]
) -> None:
    last: dict[str, int] = {}
    for span in spans:
        thread = program.thread(ops[span.start])
        if thread in last:
            predecessors[span.start].append(last[thread])
        last[thread] = span.start


@dataclass(frozen=True)
class _Access:
    """The use of a value from one operation to another."""

    begin: int
    end: int
    writes: bool


def _add_buffers(
    program: Program[Op], ops: Sequence[Op], spans: Sequence[Span], predecessors: list[list[int]]
) -> None:
    overwritten: dict[int, set[object]] = {}
    for position, op in enumerate(ops):
        values = program.overwritten(op)
        if values:
            overwritten[position] = set(values)
    if not overwritten:
        return
    shared = set[object]().union(*overwritten.values())
    end = {span.start: span.done for span in spans}
    writers: dict[object, list[_Access]] = {}
    readers: dict[object, list[_Access]] = {}
    for position, op in enumerate(ops):
        for value in dict.fromkeys(program.operands(op)):
            if value not in shared or program.role(op) in (Role.UPDATE, Role.DONE):
                continue
            writes = value in overwritten.get(position, ())
            access = _Access(position, end.get(position, position), writes)
            earlier = writers.setdefault(value, [])
            predecessors[position] += [each.end for each in earlier if each.end < position]
            if not access.writes:
                readers.setdefault(value, []).append(access)
                continue
            # Accesses that ended before this write come before all later ones because of it.
            others = readers.get(value, [])
            predecessors[position] += [each.end for each in others if each.end < position]
            readers[value] = [each for each in others if each.end > position]
            writers[value] = [*(each for each in earlier if each.end > position), access]
