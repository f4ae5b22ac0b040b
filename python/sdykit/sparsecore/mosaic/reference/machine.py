"""The machine of one call: its memory, its semaphores and barriers, and who has what."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.mosaic.kernel import Agent, Kernel
from sdykit.sparsecore.mosaic.reference.checks import DEVICE, Checks
from sdykit.sparsecore.mosaic.reference.memory import (
    Array,
    Buffer,
    Site,
    bytes_of,
    fill_uninitialized,
)
from sdykit.sparsecore.mosaic.reference.patience import Spins
from sdykit.sparsecore.mosaic.reference.semaphores import Semaphore
from sdykit.sparsecore.mosaic.reports import (
    End,
    KernelError,
    Names,
    Report,
    SemaphoreNotZero,
)
from sdykit.sparsecore.mosaic.scopes import WORDS, Words, begin, end
from sdykit.sparsecore.mosaic.spec import MosaicSpec


@dataclass(eq=False, slots=True)
class Barrier:
    """Where all vector subcores of a core meet.

    Attributes:
        members: the numbers of those that take part.
        arrived: how many have come since the last time.
        uses: how often all have met.
    """

    members: list[int]
    arrived: int = 0
    uses: int = 0


@dataclass(eq=False)
class Machine:
    """What all agents of a call share.

    Attributes:
        kernel: the kernel.
        spec: how it is to run.
        names: texts of numbers, for errors.
        device: the number of the device in its mesh.
        atomic: the numbers of the memory whose words are added to atomically.
        is_interrupted: returns whether the user has interrupted the run.
        counters: the counters of all agents, int64 `[agents, counters]`.
        scope_times: when scopes of all agents began and ended, int64 `[agents, words]`.
        spins: the loops that agents repeat until others change memory.
    """

    kernel: Kernel
    spec: MosaicSpec
    names: Names
    device: int
    atomic: frozenset[int] = frozenset()
    is_interrupted: Callable[[], bool] = bool
    counters: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 0), np.int64))
    scope_times: Words = field(default_factory=lambda: np.zeros((0, 0), np.int64))
    spins: Spins = field(default_factory=Spins)
    checks: Checks = field(init=False)
    _buffers: dict[tuple[int, int], Buffer] = field(default_factory=dict)
    _barriers: dict[tuple[int, int], Barrier] = field(default_factory=dict)
    _semaphores: list[Semaphore] = field(default_factory=list)
    _passed: dict[int, Array] = field(default_factory=dict)
    _first: dict[int, Site] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.checks = Checks(len(self.kernel.agents), self.spec.races, self.fail)
        self._agents = {
            (agent.core_type, agent.core, agent.subcore): agent for agent in self.kernel.agents
        }

    def fail(self, report: Report) -> NoReturn:
        """End the run with an error."""
        raise KernelError(report, self.names)

    def count(self, agent: int, counter: int, amount: int) -> None:
        """Add to a counter of an agent."""
        self.counters[agent, counter] += amount

    def scope(self, agent: int, first: int, *, begins: bool) -> None:
        """Note when a scope of an agent begins or ends, whose words are those from `first` on."""
        note = begin if begins else end
        note(self.scope_times[agent, first : first + WORDS], time.perf_counter_ns())

    def forget(self, array: Array) -> None:
        """Make memory what it is before it is written."""
        fill_uninitialized(array, self.spec.uninitialized)

    def undefined(self, shape: tuple[int, ...], dtype: npt.DTypeLike) -> Array:
        """Return a vector of undefined lanes."""
        lanes = np.empty(shape, dtype)
        self.forget(lanes)
        return lanes

    def pass_array(self, site: Site, array: Array, first: Site) -> None:
        """Pass an array of the call to the kernel.

        Args:
            site: the argument.
            array: the array; of semaphores, their counts at the start of the call.
            first: the first argument that has the same array.
        """
        if site.number != first.number:
            self._first[site.number] = first
        elif site.memref.is_semaphore:
            self._passed[site.number] = array
        else:
            bytes_ = bytes_of(array, site.memref.dtype)
            self._buffers[site.number, DEVICE] = Buffer(site, DEVICE, bytes_)

    def buffer(self, site: Site, owner: int) -> Buffer:
        """Return the memory of a site for an owner: always the same, poisoned at first."""
        site = self._first.get(site.number, site)
        known = self._buffers.get((site.number, owner))
        if known is None:
            known = self._buffers[site.number, owner] = self._allocated(site, owner)
        return known

    def _allocated(self, site: Site, owner: int) -> Buffer:
        count = int(np.prod([size or 0 for size in site.memref.shape], dtype=np.int64))
        if not site.memref.is_semaphore:
            array = self.undefined((count,), site.memref.dtype)
            return Buffer(site, owner, array.view(np.uint8))
        passed = self._passed.get(site.number)
        counts = np.zeros(count, int) if passed is None else passed.reshape(-1)
        made = [
            Semaphore(len(self._semaphores) + k, owner, site.place, site.number, int(counts[k]))
            for k in range(count)
        ]
        self._semaphores += made
        for each in made:
            if each.count:
                self.checks.add_earlier(each.number, each.count)
        return Buffer(site, owner, np.arange(count).view(np.uint8), made)

    def add(self, semaphore: Semaphore, amount: int) -> None:
        """Add to a semaphore; a negative amount is taken away."""
        semaphore.count += amount

    def check_zero(self, semaphores: Sequence[Semaphore], end: End) -> None:
        """End the run if one of the semaphores has counts left."""
        for each in semaphores:
            if each.count:
                started = self.checks.unwaited(each.number)
                report = SemaphoreNotZero(
                    agent=each.owner,
                    place=each.place,
                    end=end,
                    count=each.count,
                    started=started,
                    signalled=each.signalled,
                    memory=each.memory,
                )
                self.fail(report)

    def end(self) -> None:
        """End the call: all semaphores must be 0, but those that are passed to the next one.

        Of such a semaphore there is one in each subcore and one number in the array: the largest
        of their counts.
        """
        for (number, _), buffer in self._buffers.items():
            if number not in self._passed:
                self.check_zero(buffer.semaphores, End.KERNEL)
        for number, array in self._passed.items():
            of_all = [
                [each.count for each in buffer.semaphores]
                for (site, _), buffer in self._buffers.items()
                if site == number
            ]
            array.reshape(-1)[:] = np.max(of_all, axis=0)
        for report in self.checks.found:
            sys.stderr.write(f"{report.text(self.names)}\n")

    def barrier(self, agent: Agent, number: int) -> Barrier:
        """Return the barrier of an agent's core with a number."""
        key = (agent.core, number)
        if key not in self._barriers:
            members = [
                each.number
                for each in self.kernel.agents
                if each.core_type == "vector" and each.core == agent.core
            ]
            self._barriers[key] = Barrier(members)
        return self._barriers[key]

    def find(self, core_type: str, core: int, subcore: int | None) -> Agent | None:
        """Return an agent of the kernel, or None if there is no such."""
        return self._agents.get((core_type, core, subcore))
