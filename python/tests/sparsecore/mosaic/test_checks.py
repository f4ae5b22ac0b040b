"""What the checks of the reference report, and what they do not."""

import gc
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np
import pytest

from sdykit.sparsecore.mosaic.reference.checks import DEVICE, Checks, Region, core
from sdykit.sparsecore.mosaic.reference.checks.shadow import Access
from sdykit.sparsecore.mosaic.reports import (
    NOBODY,
    Action,
    DependentIterations,
    Race,
    Report,
    UnderWay,
)

READ, WRITE, ADD = Action.READ, Action.WRITE, Action.ADD


class Failed(Exception):
    pass


def fail(report: Report) -> NoReturn:
    raise Failed(report)


def checks(agents: int = 2) -> Checks:
    return Checks(agents, "warn", fail)


def hbm(first: int, end: int, buffer: int = 0) -> Region:
    """Some bytes of an array."""
    return Region(buffer, DEVICE, first, (end - first,), (1,), 1)


def own(agent: int, first: int = 0, end: int = 64) -> Region:
    """Some bytes of an agent's memory."""
    return Region(5, agent, first, (end - first,), (1,), 1)


class Machine:
    """Starts transfers that copy between the agent's own memory and an array."""

    def __init__(self, agents: int = 2) -> None:
        self.checks = checks(agents)
        self.found = self.checks.found

    def load(self, agent: int, place: int, region: Region, semaphore: int | None = None) -> None:
        at = semaphore if semaphore is not None else 100 + agent
        target = own(agent, place * 64, place * 64 + 64)
        self.checks.enqueue(agent, place, at, 64, source=region, target=target)

    def store(self, agent: int, place: int, region: Region, **options: Any) -> None:
        source = own(agent, place * 64, place * 64 + 64)
        self.checks.enqueue(agent, place, 100 + agent, 64, source=source, target=region, **options)

    def add_word(self, agent: int, place: int) -> None:
        """Add to the first word of agent 0."""
        self.checks.fetch_and_add(agent, place, 9, own(0, 0, 4))

    def touch_word(self, agent: int, place: int, action: Action) -> None:
        self.checks.touch_word(agent, place, 9, own(0, 0, 4), action)

    def wait(self, agent: int, amount: int = 64) -> None:
        self.checks.wait(agent, 100 + agent, amount)


def race(agent: int, place: int, action: Action, other: tuple[int, int, Action]) -> Race:
    return Race(
        agent=agent,
        place=place,
        action=action,
        other=other[0],
        other_place=other[1],
        other_action=other[2],
        buffer=0,
    )


def test_a_write_and_a_read_without_order_are_a_race():
    machine = Machine()
    machine.store(0, 1, hbm(0, 64))
    machine.wait(0)
    machine.load(1, 2, hbm(60, 124))
    assert machine.found == [race(1, 2, READ, (0, 1, WRITE))]


def test_a_read_and_a_later_write_without_order_are_a_race():
    machine = Machine()
    machine.load(0, 1, hbm(0, 64))
    machine.wait(0)
    machine.store(1, 2, hbm(0, 64))
    assert machine.found == [race(1, 2, WRITE, (0, 1, READ))]


def test_a_barrier_orders():
    machine = Machine()
    machine.store(0, 1, hbm(0, 64))
    machine.wait(0)
    machine.checks.barrier([0, 1])
    machine.load(1, 2, hbm(0, 64))
    assert not machine.found


def test_a_barrier_orders_nothing_that_comes_after_it():
    machine = Machine()
    machine.checks.barrier([0, 1])
    machine.store(0, 1, hbm(0, 64))
    machine.wait(0)
    machine.load(1, 2, hbm(0, 64))
    assert machine.found == [race(1, 2, READ, (0, 1, WRITE))]


def test_signal_and_wait_order():
    machine = Machine(3)
    machine.store(0, 1, hbm(0, 64))
    machine.wait(0)
    machine.checks.signal(0, 7)
    machine.checks.wait(1, 7, 1)
    machine.load(1, 2, hbm(0, 64))
    assert not machine.found
    machine.load(2, 3, hbm(0, 64))
    assert machine.found == [race(2, 3, READ, (0, 1, WRITE))]


def test_knowledge_travels_through_a_third_agent():
    machine = Machine(3)
    machine.store(0, 1, hbm(0, 64))
    machine.wait(0)
    machine.checks.signal(0, 7)
    machine.checks.wait(1, 7, 1)
    machine.checks.signal(1, 8)
    machine.checks.wait(2, 8, 1)
    machine.load(2, 2, hbm(0, 64))
    assert not machine.found


def test_a_signal_before_the_wait_for_the_transfer_orders_nothing():
    machine = Machine()
    machine.store(0, 1, hbm(0, 64))
    machine.checks.signal(0, 7)
    machine.checks.wait(1, 7, 1)
    machine.load(1, 2, hbm(0, 64))
    assert machine.found == [
        UnderWay(
            agent=1,
            place=2,
            action=READ,
            transfer=1,
            other=0,
            other_place=1,
            other_action=WRITE,
            buffer=0,
        )
    ]


def test_fetch_and_add_orders():
    machine = Machine()
    machine.store(0, 1, hbm(0, 64))
    machine.wait(0)
    machine.add_word(0, 3)
    machine.add_word(1, 3)
    machine.load(1, 2, hbm(0, 64))
    assert not machine.found


def test_a_load_of_what_another_added_orders():
    machine = Machine()
    machine.store(1, 1, hbm(0, 64))
    machine.wait(1)
    machine.add_word(1, 2)
    machine.touch_word(0, 3, READ)
    machine.load(0, 4, hbm(0, 64))
    assert not machine.found


def test_a_store_to_a_word_and_an_addition_without_order_are_a_race():
    machine = Machine(3)
    machine.touch_word(0, 1, WRITE)
    machine.add_word(1, 2)
    machine.add_word(2, 3)
    expected = [race(1, 2, ADD, (0, 1, WRITE)), race(2, 3, ADD, (0, 1, WRITE))]
    assert machine.found == [replace(each, buffer=5) for each in expected]


def test_an_addition_of_who_has_stored_orders_no_other_addition_with_the_store():
    machine = Machine()
    machine.touch_word(0, 1, WRITE)
    machine.add_word(0, 2)
    machine.add_word(1, 3)
    assert machine.found == [replace(race(1, 3, ADD, (0, 1, WRITE)), buffer=5)]


def test_an_addition_and_a_store_to_the_word_without_order_are_a_race():
    machine = Machine()
    machine.add_word(1, 2)
    machine.touch_word(0, 1, WRITE)
    assert machine.found == [replace(race(0, 1, WRITE, (1, 2, ADD)), buffer=5)]


def test_a_store_before_a_barrier_and_one_after_a_load_are_no_races():
    machine = Machine()
    machine.touch_word(0, 1, WRITE)
    machine.checks.barrier([0, 1])
    machine.add_word(1, 2)
    machine.touch_word(0, 3, READ)
    machine.touch_word(0, 4, WRITE)
    assert not machine.found


def test_what_no_access_can_conflict_with_is_forgotten():
    machine = Machine()
    for step in range(20_000):
        machine.store(step % 2, 1, hbm(step % 4 * 64, step % 4 * 64 + 64))
        machine.wait(step % 2)
        machine.checks.barrier([0, 1])
    assert len([each for each in gc.get_objects() if type(each) is Access]) < 10_000
    assert not machine.found


def test_reads_are_no_race():
    machine = Machine()
    machine.load(0, 1, hbm(0, 64))
    machine.load(1, 1, hbm(0, 64))
    assert not machine.found


@pytest.mark.parametrize("width", [1, 2, 4, 16])
def test_writes_of_the_same_bytes_are_no_race(width: int):
    region = Region(0, DEVICE, 16, (64 // width,), (width,), width)
    for differs in (None, 0, 64 // width - 1):
        same = np.ones(64 // width, bool)
        if differs is not None:
            same[differs] = False
        machine = Machine()
        machine.store(0, 1, region, same=lambda same=same: same)
        machine.store(1, 1, region, same=lambda same=same: same)
        assert machine.found == ([] if differs is None else [race(1, 1, WRITE, (0, 1, WRITE))])


def two_write_the_same() -> Machine:
    """Agents 0 and 1 have written the same bytes, and agent 2 knows what 1 did."""
    machine = Machine(4)
    for agent in (0, 1):
        machine.store(agent, 1, hbm(0, 64), same=lambda: np.ones(64, bool))
        machine.wait(agent)
    machine.checks.barrier([1, 2])
    return machine


def test_who_knows_one_of_the_writers_of_the_same_bytes_may_read():
    machine = two_write_the_same()
    machine.load(2, 2, hbm(0, 64))
    machine.load(1, 2, hbm(0, 64))
    machine.load(0, 2, hbm(0, 64))
    assert not machine.found
    machine.load(3, 2, hbm(0, 64))
    assert machine.found == [race(3, 2, READ, (0, 1, WRITE))]


def test_who_wrote_the_same_bytes_itself_may_have_read_them_before():
    machine = Machine()
    for agent in (0, 1):
        machine.store(agent, 1, hbm(0, 64), same=lambda: np.ones(64, bool))
        machine.wait(agent)
        machine.load(agent, 2, hbm(0, 64))
        machine.wait(agent)
    assert not machine.found
    machine.store(1, 3, hbm(0, 64), same=lambda: np.zeros(64, bool))
    assert machine.found == [race(1, 3, WRITE, (0, 1, WRITE)), race(1, 3, WRITE, (0, 2, READ))]


def test_what_wrote_the_same_bytes_is_not_forgotten():
    machine = two_write_the_same()
    machine.store(2, 2, hbm(0, 64), same=lambda: np.zeros(64, bool))
    assert machine.found == [race(2, 2, WRITE, (0, 1, WRITE))]


def test_atomic_additions_are_no_race():
    machine = Machine(3)
    machine.store(0, 1, hbm(0, 64), action=ADD)
    machine.store(1, 1, hbm(0, 64), action=ADD)
    assert not machine.found
    machine.store(2, 2, hbm(0, 64))
    assert machine.found == [race(2, 2, WRITE, (0, 1, ADD))]


def test_an_addition_is_not_ordered_with_what_was_before_another_one():
    machine = Machine(3)
    machine.store(0, 1, hbm(0, 64))  # Zeros, to which all then add: the others too early.
    machine.wait(0)
    machine.store(0, 2, hbm(0, 64), action=ADD)
    machine.wait(0)
    machine.store(1, 2, hbm(0, 64), action=ADD)
    assert machine.found == [race(1, 2, ADD, (0, 1, WRITE))]


def test_an_addition_is_not_ordered_with_a_read_before_another_one():
    machine = Machine(2)
    machine.load(0, 1, hbm(0, 64))
    machine.wait(0)
    machine.store(0, 2, hbm(0, 64), action=ADD)
    machine.wait(0)
    machine.store(1, 2, hbm(0, 64), action=ADD)
    assert machine.found == [race(1, 2, ADD, (0, 1, READ))]


def test_bytes_that_were_added_to_are_not_those_that_were_written():
    machine = Machine(2)
    machine.store(0, 1, hbm(0, 64))
    machine.wait(0)
    machine.store(0, 2, hbm(0, 64), action=ADD)
    machine.wait(0)
    machine.load(0, 3, hbm(0, 64))
    machine.wait(0)
    machine.store(1, 4, hbm(0, 64), same=lambda: np.ones(64, bool))
    assert race(1, 4, WRITE, (0, 3, READ)) in machine.found


def test_columns_that_do_not_overlap_are_no_race():
    machine = Machine(4)
    for agent in range(4):
        column = Region(0, DEVICE, 3 * agent, (20, 3), (12, 1), 1)
        machine.store(agent, 1, column)
    assert not machine.found
    machine.load(0, 2, Region(0, DEVICE, 3, (20,), (12,), 1))
    assert machine.found == [race(0, 2, READ, (1, 1, WRITE))]


def test_memory_of_two_cores_is_not_the_same():
    machine = Machine()
    for agent in range(2):
        shared = Region(0, core(agent), 0, (64,), (1,), 1)
        machine.store(agent, 1, shared)
    assert not machine.found


def test_rows_of_an_indirect_transfer():
    machine = Machine()
    rows = Region(0, DEVICE, 0, (8,), (4,), 4, starts=np.array([0, 128, 128, 64]))
    machine.store(0, 1, rows)
    machine.load(1, 2, hbm(32, 64))
    machine.load(1, 3, hbm(160, 1000))
    assert not machine.found
    machine.load(1, 4, hbm(159, 160))
    assert machine.found == [race(1, 4, READ, (0, 1, WRITE))]


def test_a_pair_of_lines_is_reported_once():
    machine = Machine()
    for at in range(0, 640, 64):
        machine.store(0, 1, hbm(at, at + 64))
        machine.load(1, 2, hbm(at, at + 64))
        machine.wait(0)
        machine.wait(1)
    assert len(machine.found) == 1


def under_way(place: int, action: Action, other_place: int, other_action: Action) -> UnderWay:
    return UnderWay(
        agent=0,
        place=place,
        action=action,
        transfer=0,
        other=0,
        other_place=other_place,
        other_action=other_action,
        buffer=5,
    )


def test_loads_and_stores_of_what_a_transfer_writes():
    machine = Machine()
    machine.load(0, 1, hbm(0, 64))
    machine.checks.touch(0, 2, own(0, 0, 64), READ)
    assert not machine.found
    machine.checks.touch(0, 2, own(0, 127, 128), READ)
    assert machine.found == [under_way(2, READ, 1, WRITE)]
    machine.checks.touch(0, 3, own(0, 64, 65), WRITE)
    assert machine.found[1:] == [under_way(3, WRITE, 1, WRITE)]
    machine.wait(0)
    machine.checks.touch(0, 4, own(0, 64, 128), WRITE)
    assert len(machine.found) == 2


def test_loads_and_stores_of_what_a_transfer_reads():
    machine = Machine()
    machine.store(0, 1, hbm(0, 64))
    machine.checks.touch(0, 2, own(0, 64, 128), READ)
    assert not machine.found
    machine.checks.touch(0, 2, own(0, 64, 128), WRITE)
    assert machine.found == [under_way(2, WRITE, 1, READ)]


def test_waits_complete_transfers_in_order_as_far_as_the_bytes_go():
    machine = Machine()
    machine.load(0, 1, hbm(0, 64))
    machine.load(0, 2, hbm(0, 64))
    machine.wait(0, 32)
    assert machine.checks.unwaited(100) == 1
    machine.wait(0, 32)
    machine.checks.touch(0, 3, own(0, 64, 128), READ)
    assert not machine.found
    assert machine.checks.unwaited(100) == 2
    machine.checks.touch(0, 3, own(0, 128, 192), READ)
    assert machine.found == [under_way(3, READ, 2, WRITE)]
    machine.wait(0, 64)
    assert machine.checks.unwaited(100) == NOBODY


def test_transfers_into_the_same_memory():
    machine = Machine()
    machine.load(0, 1, hbm(0, 64))
    machine.load(0, 1, hbm(64, 128))
    expected = {"agent": 0, "place": 1, "action": WRITE, "transfer": 1, "buffer": 5}
    other = {"other": 0, "other_place": 1, "other_action": WRITE}
    assert machine.found == [UnderWay(**expected, **other)]


def test_a_transfer_within_an_agents_memory_that_overlaps_itself():
    machine = checks()
    machine.enqueue(0, 1, 100, 64, source=own(0, 0, 64), target=own(0, 64, 128))
    assert not machine.found
    machine.enqueue(0, 2, 100, 64, source=own(0, 200, 264), target=own(0, 232, 296))
    assert [(each.place, type(each)) for each in machine.found] == [(2, UnderWay)]


def test_offsets_of_a_transfer_are_read():
    machine = checks()
    offsets = Region(6, 0, 0, (8,), (4,), 4)
    machine.enqueue(0, 1, 100, 64, source=hbm(0, 64), target=own(0), offsets=offsets)
    machine.touch(0, 2, offsets, READ)
    assert not machine.found
    machine.touch(0, 3, offsets, WRITE)
    assert len(machine.found) == 1


def test_a_transfer_to_another_agent_is_done_when_that_has_waited():
    machine = checks()
    options = {"source_semaphore": 100, "source_amount": 64, "remote": True}
    machine.enqueue(0, 1, 101, 64, source=own(0), target=own(1), **options)
    machine.touch(1, 2, own(1), READ)
    assert [(each.agent, each.place) for each in machine.found] == [(1, 2)]
    machine.wait(1, 101, 64)
    machine.touch(1, 3, own(1), READ)
    assert len(machine.found) == 1
    machine.touch(0, 4, own(0), WRITE)
    assert len(machine.found) == 2
    machine.wait(0, 100, 64)
    machine.touch(0, 5, own(0), WRITE)
    assert len(machine.found) == 2


def dependent(place: int, action: Action, other_place: int, other_action: Action) -> Report:
    return DependentIterations(
        agent=0,
        place=place,
        action=action,
        iteration=1,
        other_place=other_place,
        other_action=other_action,
        other_iteration=0,
        buffer=5,
        loop=9,
    )


def two_iterations(*accesses: tuple[int, Action, int, int]) -> list[Report]:
    """Do accesses (iteration, action, first byte, one past the last) at the lines 0, 1, ..."""
    machine = checks()
    machine.loop_begin(0, 9)
    for iteration in range(2):
        machine.loop_next(0)
        for place, (when, action, first, end) in enumerate(accesses):
            if when == iteration:
                machine.touch(0, place, own(0, first, end), action)
    machine.loop_end(0)
    machine.touch(0, 8, own(0), WRITE)
    return machine.found


@pytest.mark.parametrize(
    "accesses",
    [
        [(0, READ, 0, 8), (1, READ, 0, 8)],
        [(0, WRITE, 0, 8), (1, WRITE, 8, 16)],
        [(0, WRITE, 0, 8), (0, READ, 0, 8)],
        [(0, ADD, 0, 8), (1, ADD, 0, 8)],
    ],
)
def test_independent_iterations(accesses: list[tuple[int, Action, int, int]]):
    assert not two_iterations(*accesses)


@pytest.mark.parametrize(
    ("first", "second"), [(READ, WRITE), (WRITE, READ), (WRITE, WRITE), (ADD, READ), (WRITE, ADD)]
)
def test_dependent_iterations(first: Action, second: Action):
    found = two_iterations((0, first, 0, 8), (1, second, 7, 9))
    assert found == [dependent(1, second, 0, first)]


def test_memory_made_in_an_iteration_is_its_own():
    machine = checks()
    machine.loop_begin(0, 9)
    for _ in range(2):
        machine.loop_next(0)
        machine.allocate(0, 5)
        machine.touch(0, 1, own(0), WRITE)
        machine.touch(0, 2, own(0), READ)
    assert not machine.found


def test_nested_loops():
    machine = checks()
    machine.loop_begin(0, 9)
    for _ in range(2):
        machine.loop_next(0)
        machine.loop_begin(0, 8)
        for at in range(2):
            machine.loop_next(0)
            machine.touch(0, 1, own(0, at, at + 1), WRITE)
        machine.loop_end(0)
    assert [(each.place, getattr(each, "loop", None)) for each in machine.found] == [(1, 9)]


def test_races_are_errors():
    machine = Checks(2, "error", fail)
    machine.enqueue(0, 1, 100, 64, source=own(0), target=hbm(0, 64))
    with pytest.raises(Failed) as raised:
        machine.touch(0, 2, own(0), WRITE)
    assert raised.value.args == (under_way(2, WRITE, 1, READ),)


def test_races_are_not_looked_for():
    machine = Checks(2, "off", fail)
    machine.enqueue(0, 1, 100, 64, source=own(0), target=hbm(0, 64))
    machine.touch(0, 2, own(0), WRITE)
    assert not machine.found
    assert machine.unwaited(100) == 1
