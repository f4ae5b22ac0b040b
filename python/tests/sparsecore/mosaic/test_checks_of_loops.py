"""Iterations of parallel loops that depend on each other: what the checks of the reference report."""

import pytest

from sdykit.sparsecore.mosaic.reports import (
    Action,
    DependentIterations,
    Report,
)
from support.mosaic.checked import ADD, READ, WRITE, checks, own


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
