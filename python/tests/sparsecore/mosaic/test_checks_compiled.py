"""The checks in C++ report what those of the reference do, for any events."""

from __future__ import annotations

import random
from typing import Any, NoReturn

import numpy as np
import pytest

from sdykit.sparsecore import _machine
from sdykit.sparsecore.mosaic.reference.checks import DEVICE, Checks, Region, core
from sdykit.sparsecore.mosaic.reports import Action, Race, Report, UnderWay
from support.mosaic.loop_events import conflicts_in_loop

AGENTS = 4
BUFFER_BYTES = 1 << 16
"""How far the buffers of the compiled checks are apart; pages of the shadow have 4096 bytes."""
SHARED = -1


def never(report: Report) -> NoReturn:
    raise AssertionError(report)


class Both:
    """Gives events to the reference and to the compiled checks, with the same memory."""

    def __init__(self, most: int = 1 << 14) -> None:
        self.reference = Checks(AGENTS, "warn", never)
        self.compiled = _machine.Checks(AGENTS, most)
        self.found: list[Report] = []

    def enqueue(
        self,
        head: tuple[int, int, int, int],
        *,
        source: Region,
        target: Region,
        **options: Any,
    ) -> None:
        agent, place, semaphore, amount = head
        same = options.pop("same")
        self.reference.enqueue(*head, source=source, target=target, same=lambda: same, **options)
        offsets = options.get("offsets")
        found = self.compiled.enqueue(
            agent,
            place,
            semaphore,
            amount,
            memory(source),
            memory(target),
            int(options["action"]),
            offsets and memory(offsets),
            np.repeat(same.reshape(-1), target.width).tobytes(),
            options.get("source_semaphore"),
            options.get("source_amount", 0),
            options["remote"],
        )
        self._compare(found)

    def touch(self, agent: int, place: int, region: Region, action: Action) -> None:
        self.reference.touch(agent, place, region, action)
        self._compare(self.compiled.touch(agent, place, memory(region), int(action)))

    def word(self, agent: int, place: int, region: Region, action: Action | None) -> None:
        """Touch a word; None: add to it atomically."""
        address = number(region) * BUFFER_BYTES + region.offset
        if action is None:
            self.reference.fetch_and_add(agent, place, address, region)
            self._compare(self.compiled.fetch_and_add(agent, place, address))
        else:
            self.reference.touch_word(agent, place, address, region, action)
            self._compare(self.compiled.touch_word(agent, place, address, int(action)))

    def both(self, name: str, *arguments: Any) -> None:
        getattr(self.reference, name)(*arguments)
        getattr(self.compiled, name)(*arguments)

    def _compare(self, found: list[tuple[int, ...]]) -> None:
        self.found += [report_of(each) for each in found]
        assert self.found == self.reference.found


def number(region: Region) -> int:
    """A number for each piece of memory: buffers, then copies of them."""
    return region.buffer * 16 + region.owner + 8


def memory(region: Region) -> tuple[Any, ...]:
    """What the compiled checks get: an address instead of a buffer."""
    owner = region.owner if region.is_private else SHARED
    first = number(region) * BUFFER_BYTES + region.offset
    starts = [0] if region.starts is None else region.starts.tolist()
    dimensions = list(zip(region.sizes, region.strides, strict=True))
    return owner, first, dimensions, region.width, starts


def report_of(found: tuple[int, ...]) -> Report:
    kind, agent, place, action, transfer, other, other_place, other_action, address = found
    fields = {
        "agent": agent,
        "place": place,
        "action": action,
        "other": other,
        "other_place": other_place,
        "other_action": other_action,
        "buffer": address // BUFFER_BYTES // 16,
    }
    return Race(**fields) if kind == Race.kind else UnderWay(**fields, transfer=transfer)


class Events:
    """Random events: few places in memory, so that they meet."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        # Some runs touch bytes, the others whole words only.
        self.widths = self.random.choice([(4,), (4, 8), (1, 2, 4)])
        self.base = self.random.choice([0, 4096 - 16, 4096 * 3 - 64])
        self.amounts: dict[int, list[int]] = {}

    def region(self, agent: int, private: bool) -> Region:
        width = self.random.choice(self.widths)
        rank = self.random.choice([0, 1, 1, 2])
        sizes = tuple(self.random.choice([0, 1, 2, 3, 5, 5]) for _ in range(rank))
        strides = tuple(self.random.choice([1, 2, 3, 16, -1]) * width for _ in range(rank))
        starts = None
        if self.random.random() < 0.2:
            count = self.random.randrange(4)
            starts = np.array([self.random.randrange(8) * width for _ in range(count)], np.int64)
        owners = [agent] if private else [DEVICE, DEVICE, core(agent // 2)]
        offset = self.base + 256 + self.random.randrange(16) * width
        owner = self.random.choice(owners)
        buffer = self.random.randrange(2)
        if self.random.random() < 0.05:  # Whole pages.
            sizes, strides, starts, offset = (3000,), (width,), None, width * 256
        return Region(buffer, owner, offset, sizes, strides, width, starts)

    def enqueue(self, both: Both) -> None:
        agent = self.random.randrange(AGENTS)
        is_load = self.random.random() < 0.5
        target_agent = agent
        remote = not is_load and self.random.random() < 0.2
        if remote:
            target_agent = self.random.randrange(AGENTS)
        source = self.region(agent, not is_load)
        target = self.region(target_agent, is_load or remote)
        count = int(np.prod(target.sizes)) * (1 if target.starts is None else len(target.starts))
        same = np.array([self.random.random() < 0.9 for _ in range(count)], bool)
        if self.random.random() < 0.7:
            same[:] = True
        semaphore, amount = target_agent * 2, self.random.randrange(1, 4)
        options: dict[str, Any] = {"same": same, "remote": remote}
        options["action"] = self.random.choice([Action.WRITE, Action.WRITE, Action.ADD])
        self.amounts.setdefault(semaphore, []).append(amount)
        if remote:
            options |= {"source_semaphore": agent * 2 + 1, "source_amount": 2}
            self.amounts.setdefault(agent * 2 + 1, []).append(2)
        elif self.random.random() < 0.2:
            options["offsets"] = self.region(agent, private=True)
        place = self.random.randrange(40)
        head = agent, place, semaphore, amount
        both.enqueue(head, source=source, target=target, **options)

    def wait(self, both: Both) -> None:
        semaphore = self.random.randrange(2 * AGENTS)
        amounts = self.amounts.get(semaphore, [])
        amount = amounts.pop() if amounts else 1
        both.both("wait", semaphore // 2, semaphore, amount)

    def touch(self, both: Both) -> None:
        agent = self.random.randrange(AGENTS)
        action = self.random.choice(list(Action))
        both.touch(agent, self.random.randrange(40), self.region(agent, private=True), action)

    def meet(self, both: Both) -> None:
        agent, other = self.random.sample(range(AGENTS), 2)
        kind = self.random.randrange(3)
        if kind == 0:
            both.both("barrier", self.random.sample(range(AGENTS), self.random.randrange(2, 5)))
        elif kind == 1:
            both.both("signal", agent, 100)
            both.both("wait", other, 100, 1)
        else:
            self.word(both, agent, other)

    def word(self, both: Both, agent: int, owner: int) -> None:
        """A few words of buffer 3 of two agents."""
        action = self.random.choice([None, None, Action.READ, Action.WRITE])
        owner = owner % 2 if action is None else agent
        region = Region(3, owner, 8 * self.random.randrange(2), (1,), (4,), 4)
        both.word(agent, self.random.randrange(40), region, action)

    def run(self, both: Both, count: int) -> None:
        for semaphore in self.random.sample(range(2 * AGENTS), self.random.randrange(3)):
            both.both("add_earlier", semaphore, self.random.randrange(1, 4))
        kinds = [self.enqueue, self.enqueue, self.wait, self.wait, self.touch, self.meet]
        for _ in range(count):
            self.random.choice(kinds)(both)


@pytest.mark.parametrize("first", range(0, 400, 100))
def test_same_conflicts_of_random_iterations(first: int) -> None:
    assert sum(map(conflicts_in_loop, range(first, first + 100))) > 300


@pytest.mark.parametrize("most", [0, 1 << 14])
@pytest.mark.parametrize("first", range(0, 300, 50))
def test_same_reports_for_random_events(first: int, most: int) -> None:
    """`most`: 0: what no access can conflict with is forgotten before each event."""
    kinds = []
    for seed in range(first, first + 50):
        both = Both(most)
        Events(seed).run(both, 60)
        kinds += [type(each) for each in both.found]
    assert kinds.count(Race) > 50
    assert kinds.count(UnderWay) > 50


def test_what_no_access_can_conflict_with_is_forgotten() -> None:
    checks = _machine.Checks(AGENTS, 1 << 10)
    for step in range(20_000):
        agent, place = step % AGENTS, step % 7
        rows = [(8, 4096), (16, 4)]
        source = (agent, 0, [(128, 4)], 4, [0])
        target = (SHARED, (1 << 20) + 64 * (step % 8), rows, 4, [0])
        checks.enqueue(
            agent, place, agent, 512, source, target, Action.WRITE, None, None, None, 0, False
        )
        checks.wait(agent, agent, 512)
        checks.barrier(list(range(AGENTS)))
    assert checks.access_count < 3 << 10
