"""The checks of a run, as the events of a machine."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Literal, NoReturn

from sdykit.sparsecore.mosaic.reference.checks.clocks import Clocks
from sdykit.sparsecore.mosaic.reference.checks.loops import ParallelLoop
from sdykit.sparsecore.mosaic.reference.checks.regions import Region, overlap
from sdykit.sparsecore.mosaic.reference.checks.shadow import Access, Same, Shadow
from sdykit.sparsecore.mosaic.reference.checks.transfers import Side, Transfers
from sdykit.sparsecore.mosaic.reports import (
    NOBODY,
    Action,
    DependentIterations,
    Race,
    Report,
    UnderWay,
)


class Checks:
    """What a run of a kernel has done so far, and what is wrong with it.

    Agents are numbers from 0. So are places (source lines). Semaphores and words are any numbers
    that are different for different agents' ones.

    Args:
        agents: how many agents there are.
        races: whether a race is an error, is only remembered in `found`, or is not looked for.
        fail: raises the error of a report.
    """

    def __init__(
        self,
        agents: int,
        races: Literal["error", "warn", "off"],
        fail: Callable[[Report], NoReturn],
    ) -> None:
        self.found: list[Report] = []
        self._races = races
        self._fail = fail
        self._clocks = Clocks(agents)
        self._shadow = Shadow(self._is_before)
        self._transfers = Transfers()
        self._loops: dict[int, list[ParallelLoop]] = defaultdict(list)
        self._pairs: set[tuple[int, frozenset[int]]] = set()

    def enqueue(
        self,
        agent: int,
        place: int,
        semaphore: int,
        amount: int,
        *,
        source: Region,
        target: Region,
        action: Action = Action.WRITE,
        offsets: Region | None = None,
        same: Same | None = None,
        source_semaphore: int | None = None,
        source_amount: int = 0,
        remote: bool = False,
    ) -> None:
        """Start a transfer; to be called before its data are moved.

        Args:
            agent: who starts it.
            place: at which line.
            semaphore: what gets `amount` when it is done.
            amount: what a wait for all of it takes from the semaphore.
            source: what is read.
            target: what is written.
            action: whether it is written or added to.
            offsets: the offsets of an indirect transfer, which are read, too.
            same: returns which elements of `target` already hold what they get, bool, as many as
                `target` has; asked for only if two agents write the same bytes.
            source_semaphore: what gets `source_amount` when the source has been read, if not
                `semaphore`.
            source_amount: see there.
            remote: whether `semaphore` is another agent's.
        """
        reads = [(self._access(agent, place, Action.READ), source)]
        if offsets is not None:
            reads.append((self._access(agent, place, Action.READ), offsets))
        writes: list[Side] = [(self._access(agent, place, action), target)]
        if self._races != "off":
            for access, region in reads:
                self._add(access, region, None)
            self._add(*writes[0], same)
            self._compare(reads, *writes[0])
        if source_semaphore is None:
            self._transfers.start(semaphore, amount, place, [*reads, *writes])
        else:
            self._transfers.start(source_semaphore, source_amount, place, reads)
            self._transfers.start(semaphore, amount, place, writes)
        if remote:
            self._clocks.release(agent, semaphore)

    def touch(self, agent: int, place: int, region: Region, action: Action) -> None:
        """Load from an agent's own memory, store to it, or add to it."""
        if self._races == "off":
            return
        access = self._access(agent, place, action)
        for other in self._transfers.conflicts(action, region):
            self._report(_under_way(access, other, region, transfer=0))
        for loop in self._loops[agent]:
            for report in loop.touch(place, region, action):
                self._report(report)

    def watches(self, agent: int) -> bool:
        """Return whether anything that an agent does with its own memory can be wrong now."""
        return bool(self._loops[agent]) or self._transfers.are_private(agent)

    def signal(self, agent: int, semaphore: int) -> None:
        """Signal a semaphore, of the agent's or another's."""
        self._clocks.release(agent, semaphore)

    def add_earlier(self, semaphore: int, amount: int) -> None:
        """Add the count that an earlier call has passed: waits take it before that of this call's DMAs."""
        self._transfers.start(semaphore, amount, NOBODY, [])

    def wait(self, agent: int, semaphore: int, amount: int) -> None:
        """End a wait, for signals or for transfers, by which an amount was taken away."""
        self._clocks.acquire(agent, semaphore)
        for access in self._transfers.complete(semaphore, amount):
            access.end_agent = agent
            access.end = self._clocks.now(agent)

    def barrier(self, agents: list[int]) -> None:
        """End a barrier at which these agents have met."""
        self._clocks.join(agents)

    def fetch_and_add(self, agent: int, place: int, word: int, region: Region) -> None:
        """Add to a word atomically, of the agent's own memory or another's.

        Args:
            agent: who adds.
            place: at which line.
            word: the number of the word.
            region: its bytes.
        """
        # What this addition learns comes too late to order it with a store.
        self._add_word(agent, place, region, Action.ADD)
        self._clocks.acquire(agent, word)
        self._clocks.release(agent, word)

    def touch_word(self, agent: int, place: int, word: int, region: Region, action: Action) -> None:
        """Load or store a word of the agent's own memory to which others may add atomically.

        A load is no race: it learns what those know who have added before. A store is one with what
        others add, unless they are in order.
        """
        if action == Action.READ:
            self._clocks.acquire(agent, word)
        else:
            self._add_word(agent, place, region, action)

    def unwaited(self, semaphore: int) -> int:
        """Return the line of the first transfer under way on a semaphore, or `NOBODY`."""
        return self._transfers.unwaited(semaphore)

    def loop_begin(self, agent: int, place: int) -> None:
        """Begin a `parallel_loop`."""
        self._loops[agent].append(ParallelLoop(agent, place))

    def loop_next(self, agent: int) -> None:
        """Begin an iteration of the innermost `parallel_loop`."""
        self._loops[agent][-1].next()

    def loop_end(self, agent: int) -> None:
        """End the innermost `parallel_loop`."""
        self._loops[agent].pop()

    def allocate(self, agent: int, buffer: int) -> None:
        """Make a buffer in the agent's own memory: nobody has touched it."""
        for loop in self._loops[agent]:
            loop.forget((agent, buffer))

    def _add_word(self, agent: int, place: int, region: Region, action: Action) -> None:
        """Report what conflicts with an access to a word, which is done at once."""
        if self._races == "off":
            return
        access = self._access(agent, place, action)
        access.end_agent, access.end = agent, access.start
        self._add_shared(access, region, None)

    def _access(self, agent: int, place: int, action: Action) -> Access:
        return Access(agent, place, action, self._clocks.now(agent))

    def _is_before(self, left: Access, right: Access) -> bool:
        return left.end is not None and self._clocks.knows(right.agent, left.end_agent, left.end)

    def _add(self, access: Access, region: Region, same: Same | None) -> None:
        """Report what conflicts with a side of a transfer."""
        if region.is_private:
            for other in self._transfers.conflicts(access.action, region):
                self._report(_under_way(access, other, region, transfer=1))
            return
        self._add_shared(access, region, same)

    def _add_shared(self, access: Access, region: Region, same: Same | None) -> None:
        """The same for memory that others touch as well."""
        agent = access.agent
        for other in self._shadow.apply(access, region, same):
            if other.agent == agent or self._clocks.knows(agent, other.agent, other.start):
                self._report(_under_way(access, other, region, transfer=1))
            else:
                self._report(_race(access, other, region))

    def _compare(self, reads: list[Side], access: Access, target: Region) -> None:
        """Report that a transfer within an agent's own memory writes what it reads itself."""
        for other, region in reads:
            if target.is_private and overlap(region, target):
                self._report(_under_way(access, other, target, transfer=1))

    def _report(self, report: Race | UnderWay | DependentIterations) -> None:
        pair = (report.kind, frozenset((report.place, report.other_place)))
        if pair in self._pairs:
            return
        self._pairs.add(pair)
        if self._races == "error":
            self._fail(report)
        self.found.append(report)


def _under_way(access: Access, other: Access, region: Region, *, transfer: int) -> UnderWay:
    return UnderWay(
        agent=access.agent,
        place=access.place,
        action=access.action,
        transfer=transfer,
        other=other.agent,
        other_place=other.place,
        other_action=other.action,
        buffer=region.buffer,
    )


def _race(access: Access, other: Access, region: Region) -> Race:
    return Race(
        agent=access.agent,
        place=access.place,
        action=access.action,
        other=other.agent,
        other_place=other.place,
        other_action=other.action,
        buffer=region.buffer,
    )
