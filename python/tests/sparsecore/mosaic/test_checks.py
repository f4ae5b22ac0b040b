"""Races between agents that the checks of the reference report, and what is none."""

import gc
from dataclasses import replace

import numpy as np
import pytest

from sdykit.sparsecore.mosaic.reference.checks import DEVICE, Checks, Region, core
from sdykit.sparsecore.mosaic.reference.checks.shadow import Access
from sdykit.sparsecore.mosaic.reports import (
    Action,
    Race,
    UnderWay,
)
from support.mosaic.checked import (
    ADD,
    READ,
    WRITE,
    Failed,
    Machine,
    fail,
    hbm,
    own,
    under_way,
)


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
