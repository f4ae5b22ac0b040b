"""Runs a kernel: memory for its arguments, an agent for each subcore, until all are at their ends."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.mosaic.counting import Counting
from sdykit.sparsecore.mosaic.kernel import Agent, Kernel
from sdykit.sparsecore.mosaic.reference.machine import Machine
from sdykit.sparsecore.mosaic.reference.memory import Array, Site
from sdykit.sparsecore.mosaic.reference.scheduler import Run, Scheduler, Task
from sdykit.sparsecore.mosaic.reference.sites import Sites
from sdykit.sparsecore.mosaic.reference.subcore import Subcore
from sdykit.sparsecore.mosaic.reference.translation import Translated, translate
from sdykit.sparsecore.mosaic.reports import NOBODY, Deadlock, Waiting, Waits
from sdykit.sparsecore.mosaic.scopes import Scopes
from sdykit.sparsecore.mosaic.spec import MosaicSpec

Counts = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]
"""The counters of a run, `[agents, counters]`, and the times of its scopes, `[agents, words]`."""


def run(kernel: Kernel, arrays: Sequence[Array], spec: MosaicSpec, device: int = 0) -> None:
    """Run a kernel on arrays, in place.

    Args:
        kernel: the kernel.
        arrays: an array for each argument in `Function.arrays`, row-major: the call's operands,
            then its results. A result that is aliased with an operand is the same object.
        spec: how the kernel is to run.
        device: the number of the device in its mesh.

    Raises:
        KernelError: the kernel did what it must not.
        SparseCoreError: an op cannot run on a SparseCore.
    """
    prepare(kernel, spec)(arrays, device)


def prepare(kernel: Kernel, spec: MosaicSpec) -> Callable[[Sequence[Array], int], Counts | None]:
    """Return what runs a kernel on arrays and a device, as `run` does; the kernel is read once.

    It returns what was counted, if the spec asks for it.
    """
    from sdykit.sparsecore._machine import is_interrupted

    sites = Sites(kernel)
    counting = Counting(kernel) if spec.counters else None
    scopes = Scopes(kernel) if spec.counters else None
    functions = translate(kernel, sites, counting, scopes)

    def run_on(arrays: Sequence[Array], device: int = 0) -> Counts | None:
        machine = Machine(kernel, spec, sites.names, device, sites.atomic, is_interrupted)
        if counting is not None and scopes is not None:
            machine.counters = np.zeros(counting.shape, np.int64)
            machine.scope_times = np.zeros(scopes.shape, np.int64)
        with np.errstate(all="ignore"):
            _Call(kernel, sites, functions, machine).run(arrays)
        return None if counting is None else (machine.counters, machine.scope_times)

    return run_on


@dataclass(frozen=True)
class _Call:
    kernel: Kernel
    sites: Sites
    functions: tuple[Translated, ...]
    machine: Machine

    def run(self, arrays: Sequence[Array]) -> None:
        self._pass_arrays(arrays)
        tasks = [
            Task(agent, self._start(each, agent))
            for each in self.functions
            for agent in each.function.agents
        ]
        scheduler = Scheduler(tasks, self.machine.spec.order, self._deadlock, self.machine.spins)
        try:
            scheduler.run()
        except SparseCoreError:
            raise
        except Exception as error:
            raise self._located(error) from error
        self.machine.end()

    def _pass_arrays(self, arrays: Sequence[Array]) -> None:
        arguments = self.kernel.functions[0].arrays
        if len(arrays) != len(arguments):
            raise SparseCoreError(
                f"kernel '{self.kernel.name}': found {len(arrays)} arrays; expected {len(arguments)}"
            )
        by_id: dict[int, int] = {}
        for position, array in enumerate(arrays):
            site = self.sites.of(arguments[position])
            is_new = by_id.setdefault(id(array), position) == position
            if is_new and position >= self.machine.spec.operands:
                self._make_result(site, array)
            first = self.sites.of(arguments[by_id[id(array)]])
            self.machine.pass_array(site, array, first)

    def _make_result(self, site: Site, array: Array) -> None:
        """Make a result what it is before the kernel runs."""
        if site.memref.is_semaphore:
            array.fill(0)
        else:
            self.machine.forget(array.view(site.memref.dtype))

    def _start(self, translated: Translated, agent: Agent) -> Run:
        me = Subcore(agent, self.machine)
        function = translated.function
        indices = (agent.core,) if agent.subcore is None else (agent.core, agent.subcore)
        memrefs = [me.memref(self.sites.of(each)) for each in (*function.arrays, *function.scratch)]
        return translated.run(me, *indices, *memrefs)

    def _deadlock(self, tasks: Sequence[Task]) -> None:
        self.machine.fail(Deadlock(waiting=tuple(map(self._waiting, tasks))))

    def _waiting(self, task: Task) -> Waiting:
        """Return the line of an agent in a deadlock."""
        agent = task.agent.number
        if task.waits_for is None:
            return Waiting(agent, NOBODY, Waits.NOTHING, 0, 0)
        if not task.waits_for.is_met:
            return task.waits_for.waiting(agent)
        return self.machine.spins.waiting(agent) or task.waits_for.waiting(agent)

    def _located(self, error: Exception) -> SparseCoreError:
        """Return an error of an op as one that names the user's line."""
        place = NOBODY
        for frame in traceback.extract_tb(error.__traceback__):
            for each in self.functions:
                if frame.filename == each.file and frame.lineno:
                    place = each.places[frame.lineno - 1]
        names = self.machine.names
        return SparseCoreError(f"kernel '{names.kernel}': {names.place(place)}: {error}")
