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
    before = _data_and_control(program, ops, at)
    _keep_effects(program, ops, before)
    _keep_threads(program, ops, spans, before)
    _keep_buffers(program, ops, spans, before)
    if ops and program.stays_last(ops[-1]):
        before[-1] = list(range(len(ops) - 1))
    return Graph([_sorted_once(found) for found in before], spans)


def _sorted_once(found: list[int]) -> list[int]:
    return found if len(found) < 2 else sorted(set(found))


def _data_and_control(
    program: Program[Op], ops: Sequence[Op], at: dict[Op, int]
) -> list[list[int]]:
    defined: dict[object, int] = {}
    before: list[list[int]] = []
    for position, op in enumerate(ops):
        found = [defined[value] for value in program.operands(op) if value in defined]
        for each in program.control_predecessors(op):
            if each in at:
                found.append(at[each])
                if at[each] >= position:
                    program.fail(op, "waits for an operation that comes after it")
        before.append(found)
        for value in program.results(op):
            defined[value] = position
    return before


def _keep_effects(program: Program[Op], ops: Sequence[Op], before: list[list[int]]) -> None:
    last = None
    for position, op in enumerate(ops):
        if program.has_effect(op):
            if last is not None:
                before[position].append(last)
            last = position


def _keep_threads(
    program: Program[Op], ops: Sequence[Op], spans: Sequence[Span], before: list[list[int]]
) -> None:
    last: dict[str, int] = {}
    for span in spans:
        thread = program.thread(ops[span.start])
        if thread in last:
            before[span.start].append(last[thread])
        last[thread] = span.start


@dataclass(frozen=True)
class _Access:
    """The use of a value from one operation to another."""

    begin: int
    end: int
    writes: bool


def _keep_buffers(
    program: Program[Op], ops: Sequence[Op], spans: Sequence[Span], before: list[list[int]]
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
            before[position] += [each.end for each in earlier if each.end < position]
            if not access.writes:
                readers.setdefault(value, []).append(access)
                continue
            # What ended before this write is before all later uses through it.
            others = readers.get(value, [])
            before[position] += [each.end for each in others if each.end < position]
            readers[value] = [each for each in others if each.end > position]
            writers[value] = [*(each for each in earlier if each.end > position), access]
