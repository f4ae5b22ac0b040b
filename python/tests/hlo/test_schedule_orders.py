"""The orders that `-async-schedule` chooses, for blocks given as dependency graphs."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sdykit.passes.async_hlo.schedule import schedule_graph
from sdykit.passes.async_hlo.schedule.bound import BoundError, limit_in_flight
from sdykit.passes.async_hlo.schedule.graph import Graph, Span
from support.amounts import examples
from support.hlo.scheduling import (
    Block,
    beside,
    blocks,
    idle_of,
    in_flight,
    is_legal,
    legal_orders,
    order_exists,
    time_of,
)

MANY = settings(derandomize=True, max_examples=examples(800), deadline=None)


@MANY
@given(blocks(), st.integers(1, 5))
def test_orders_are_legal_and_keep_to_the_bound(block: Block, bound: int) -> None:
    try:
        order = schedule_graph(block.graph, bound)
    except BoundError:
        assert block.graph.max_in_flight() > bound
        return
    assert is_legal(block.graph, order)
    assert in_flight(block.graph, order) <= bound


@MANY
@given(blocks(size=16, chains=6), st.integers(0, 2), st.data())
def test_no_chain_loses_overlap_and_no_block_takes_longer(
    block: Block, slack: int, data: st.DataObject
) -> None:
    graph = block.graph
    bound = graph.max_in_flight() + slack
    order = schedule_graph(graph, bound)
    before, after = beside(graph, range(len(graph))), beside(graph, order)
    assert all(before[span] <= after[span] for span in graph.spans)
    costs = data.draw(st.lists(st.integers(0, 20), min_size=len(graph), max_size=len(graph)))
    assert time_of(block, order, costs) <= time_of(block, range(len(graph)), costs)
    assert idle_of(block, order, costs) <= idle_of(block, range(len(graph)), costs)


@MANY
@given(blocks(), st.integers(1, 5))
def test_no_start_could_move_up_alone_and_no_done_down(block: Block, bound: int) -> None:
    graph = block.graph
    try:
        order = schedule_graph(graph, bound)
    except BoundError:
        return

    def fits(changed: Sequence[int]) -> bool:
        return is_legal(graph, changed) and in_flight(graph, changed) <= bound

    # A start gains nothing by passing other starts only, nor a done by passing other dones.
    for at, op in enumerate(order):
        rest = [*order[:at], *order[at + 1 :]]
        if op in graph.starts:
            places = [place for place in range(at) if not set(graph.starts) >= set(order[place:at])]
        elif op in graph.dones:
            places = [
                place
                for place in range(at + 1, len(order))
                if not set(graph.dones) >= set(order[at + 1 : place + 1])
            ]
        else:
            continue
        assert not any(fits([*rest[:place], op, *rest[place:]]) for place in places)


@settings(derandomize=True, max_examples=examples(300), deadline=None)
@given(blocks(size=7, chains=1))
def test_a_single_chain_overlaps_with_as_much_as_any_legal_order_allows(block: Block) -> None:
    assume(block.graph.spans)
    (span,) = block.graph.spans
    order = schedule_graph(block.graph, 1)
    best = max(len(beside(block.graph, each)[span]) for each in legal_orders(block.graph, 1))
    assert len(beside(block.graph, order)[span]) == best


@settings(derandomize=True, max_examples=examples(300), deadline=None)
@given(blocks(size=7, chains=3), st.integers(1, 3))
def test_no_legal_order_has_more_overlap_for_one_chain_and_no_less_for_others(
    block: Block, bound: int
) -> None:
    graph = block.graph
    assume(graph.max_in_flight() <= bound)
    mine = beside(graph, schedule_graph(graph, bound))
    for each in legal_orders(graph, bound):
        other = beside(graph, each)
        if all(mine[span] <= other[span] for span in graph.spans):
            assert mine == other


@MANY
@given(blocks(), st.integers(1, 3))
def test_a_block_within_the_bound_keeps_its_order_and_others_are_brought_to_it(
    block: Block, bound: int
) -> None:
    graph = block.graph
    assert graph.max_in_flight() == in_flight(graph, range(len(graph)))
    if graph.max_in_flight() <= bound:
        assert limit_in_flight(graph, bound) == list(range(len(graph)))
        return
    try:
        order = limit_in_flight(graph, bound)
    except BoundError:
        return
    assert is_legal(graph, order)
    assert in_flight(graph, order) <= bound


@MANY
@given(blocks(size=16, chains=6), st.integers(1, 3))
def test_any_bound_is_kept_if_dones_depend_on_their_starts_only(block: Block, bound: int) -> None:
    graph = block.graph
    own = {span.done: [span.start] for span in graph.spans}
    before = [own.get(op, graph.predecessors[op]) for op in range(len(graph))]
    free = Graph(before, graph.spans)
    order = schedule_graph(free, bound)
    assert is_legal(free, order)
    assert in_flight(free, order) <= bound


@settings(derandomize=True, max_examples=examples(300), deadline=None)
@given(blocks(size=16, chains=6), st.integers(1, 3), st.data())
def test_a_bound_is_kept_if_any_legal_order_keeps_it(
    block: Block, bound: int, data: st.DataObject
) -> None:
    # Dones that wait for chains which start later make it hard.
    spans = block.graph.spans
    before = [set(each) for each in block.graph.predecessors]
    for span in spans:
        earlier = [other.start for other in spans if other.start < span.done]
        before[span.done] |= data.draw(st.sets(st.sampled_from(earlier), max_size=3))
    graph = Graph([sorted(each) for each in before], spans)
    try:
        order = schedule_graph(graph, bound)
    except BoundError:
        assert not order_exists(graph, bound)
        return
    assert is_legal(graph, order)
    assert in_flight(graph, order) <= bound


def test_a_search_backtracks() -> None:
    # Only the starts 1 and 3 can be first. Starting with 0 is a dead end, in several ways.
    before = [[], [], [], [], [0, 2, 3], [1, 3], [0, 2, 5], [3, 5]]
    graph = Graph(before, [Span(n, (), 4 + n) for n in range(4)])
    assert limit_in_flight(graph, 2) == [1, 3, 5, 7, 0, 2, 4, 6]


def test_a_search_without_result_ends() -> None:
    # Each done waits for three of the chains: there are more orders than can be tried.
    chains = 60
    before: list[list[int]] = [[] for _ in range(chains)]
    before += [sorted({n, 7 * n % chains, (11 * n + 5) % chains}) for n in range(chains)]
    graph = Graph(before, [Span(n, (), chains + n) for n in range(chains)])
    with pytest.raises(BoundError):
        schedule_graph(graph, 4)


def test_a_start_waits_if_its_done_needs_another_chain() -> None:
    # The first done needs the second chain, which starts later.
    graph = Graph([[], [], [1], [0, 2]], [Span(0, (), 3), Span(1, (), 2)])
    assert schedule_graph(graph, 1) == [1, 2, 0, 3]


def test_chains_that_wait_for_each_other_are_all_in_flight() -> None:
    graph = Graph([[], [], [0, 1], [0, 1]], [Span(0, (), 2), Span(1, (), 3)])
    assert schedule_graph(graph, 2) == [0, 1, 2, 3]
    with pytest.raises(BoundError) as error:
        schedule_graph(graph, 1)
    assert error.value.start == 1


def test_work_that_a_start_depends_on_comes_first() -> None:
    # 0, 1: work; 2 needs 1 and 3 starts with it; 4: done; 5 uses that; 6: work.
    graph = Graph([[], [], [1], [2], [3], [4], []], [Span(3, (), 4)])
    assert schedule_graph(graph, 1) == [1, 2, 3, 0, 6, 4, 5]


def test_chains_end_before_others_start_when_the_bound_is_reached() -> None:
    pairs = [Span(2 * n, (), 2 * n + 1) for n in range(4)]
    graph = Graph([[] if n % 2 == 0 else [n - 1] for n in range(8)] + [[]], pairs)
    assert in_flight(graph, schedule_graph(graph, 4)) == 4
    assert in_flight(graph, schedule_graph(graph, 2)) == 2
    assert schedule_graph(graph, 1) == [0, 1, 2, 3, 4, 5, 6, 8, 7]
