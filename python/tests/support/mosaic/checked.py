"""Accesses and transfers of agents, given to the checks of the reference."""

from __future__ import annotations

from typing import Any, NoReturn

from sdykit.sparsecore.mosaic.reference.checks import DEVICE, Checks, Region
from sdykit.sparsecore.mosaic.reports import Action, Report, UnderWay

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
