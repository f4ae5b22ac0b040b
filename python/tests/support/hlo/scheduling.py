"""Random blocks for the scheduler, and a model of the machine that runs them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hypothesis import strategies as st

from sdykit.passes.async_hlo.schedule.graph import Graph, Span


@dataclass(frozen=True)
class Block:
    """A dependency graph, with the thread of each chain."""

    graph: Graph
    threads: tuple[int, ...]


@st.composite
def blocks(draw: st.DrawFn, size: int = 12, chains: int = 4) -> Block:
    """Draw a block of at most `size` operations and `chains` chains, with random dependencies."""
    count = draw(st.integers(0, chains))
    others = draw(st.integers(0, size - 2 * count))
    kinds = draw(
        st.permutations([f"w{n}" for n in range(others)] + [n for n in range(count) for _ in "sd"])
    )
    spans: dict[int, list[int]] = {}
    for position, kind in enumerate(kinds):
        if isinstance(kind, int):
            spans.setdefault(kind, []).append(position)
    ordered = sorted(spans.values())
    starts = {ends[0] for ends in ordered}
    # As a rule only its own chain depends on a start; by control dependencies others may.
    before: list[set[int]] = []
    for position in range(len(kinds)):
        candidates = (
            st.sets(st.integers(0, position - 1), max_size=2) if position else st.just(set())
        )
        found = draw(candidates)
        if not draw(st.booleans()):
            found -= starts
        before.append(found)
    threads = tuple(draw(st.integers(0, 2)) for _ in ordered)
    last: dict[int, int] = {}
    for thread, (start, done) in zip(threads, ordered, strict=True):
        before[done].add(start)
        if thread in last:
            before[start].add(last[thread])
        last[thread] = start
    graph = Graph([sorted(each) for each in before], [Span(s, (), d) for s, d in ordered])
    return Block(graph, threads)


def is_legal(graph: Graph, order: Sequence[int]) -> bool:
    """Whether an order has every operation once, after all its predecessors."""
    at = {op: position for position, op in enumerate(order)}
    return sorted(order) == list(range(len(graph))) and all(
        at[before] < at[op] for op in order for before in graph.predecessors[op]
    )


def in_flight(graph: Graph, order: Sequence[int]) -> int:
    """Return the maximum number of chains in flight, counted operation by operation."""
    starts, dones = set(graph.starts), set(graph.dones)
    counts = itertools.accumulate((op in starts) - (op in dones) for op in order)
    return max(counts, default=0)


def legal_orders(graph: Graph, bound: int) -> Iterator[tuple[int, ...]]:
    """Yield all legal orders that keep to a bound."""
    for order in itertools.permutations(range(len(graph))):
        if is_legal(graph, order) and in_flight(graph, order) <= bound:
            yield order


def order_exists(graph: Graph, bound: int) -> bool:
    """Whether any legal order keeps to a bound; tries all sets of operations to run first."""
    starts, dones = set(graph.starts), set(graph.dones)
    seen, pending = {frozenset[int]()}, [frozenset[int]()]
    while pending:
        done = pending.pop()
        if len(done) == len(graph):
            return True
        count = len(done & starts) - len(done & dones)
        for op, before in enumerate(graph.predecessors):
            fits = op not in done and done.issuperset(before)
            after = done | {op}
            if fits and count + (op in starts) <= bound and after not in seen:
                seen.add(after)
                pending.append(after)
    return False


def beside(graph: Graph, order: Sequence[int]) -> dict[Span, set[int]]:
    """Return for each chain the operations that overlap with it, but for starts and dones."""
    phases = {*graph.starts, *graph.dones}
    at = {op: position for position, op in enumerate(order)}
    return {
        span: {op for op in order[at[span.start] : at[span.done]] if op not in phases}
        for span in graph.spans
    }


def time_of(block: Block, order: Sequence[int], costs: Sequence[int]) -> int:
    """Return the time that a block takes.

    The main thread runs the operations in the order; each other thread runs one chain at a
    time. The cost of a start is the time that its chain takes; dones cost nothing.
    """
    chain_of = {span.start: number for number, span in enumerate(block.graph.spans)}
    chain_done = {span.done: number for number, span in enumerate(block.graph.spans)}
    now, free, finished = 0, dict.fromkeys(block.threads, 0), dict[int, int]()
    for op in order:
        if op in chain_of:
            chain = chain_of[op]
            thread = block.threads[chain]
            free[thread] = max(now, free[thread]) + costs[op]
            finished[chain] = free[thread]
        elif op in chain_done:
            now = max(now, finished[chain_done[op]])
        else:
            now += costs[op]
    return now


def idle_of(block: Block, order: Sequence[int], costs: Sequence[int]) -> int:
    """Return how long the main thread waits at dones."""
    phases = {*block.graph.starts, *block.graph.dones}
    return time_of(block, order, costs) - sum(costs[op] for op in order if op not in phases)
