"""Transfers under way: the checks of the reference report who touches their memory before a wait."""

from sdykit.sparsecore.mosaic.reference.checks import Region
from sdykit.sparsecore.mosaic.reports import (
    NOBODY,
    UnderWay,
)
from support.mosaic.checked import READ, WRITE, Machine, checks, hbm, own, under_way


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
