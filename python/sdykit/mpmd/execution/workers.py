"""Run the steps of a plan: a thread for each group of devices, and one for its transfers.

Each thread runs its steps in program order, and waits only for the steps whose results it needs: so
fragments of different meshes overlap, as they do where each mesh has a host of its own. A step waits
for earlier ones only, so that they never wait for each other.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from sdykit.mpmd.errors import ExecutionError
from sdykit.mpmd.execution.steps import Plan, Step
from sdykit.spmd.devices.client import XlaError

_ONE_RUN = threading.Lock()
"""Two runs on the same devices could wait for each other in collectives."""


@dataclass(frozen=True)
class Span:
    """When a step of a program ran."""

    step: int
    """The position of the op in the body of the function."""
    name: str
    """The fragment call by the name of its function, or `transfer`."""
    meshes: tuple[str, ...]
    """The mesh that it ran on; of a transfer, the meshes of operand and result."""
    start: float
    """Seconds from the start of the run to that of the step, when all its operands were there."""
    end: float
    """Seconds from the start of the run to the end of the step, when its results were there."""


class Workers:
    """The threads of a plan."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._shares: dict[str, list[int]] = {}
        for index, step in enumerate(plan.steps):
            self._shares.setdefault(step.worker, []).append(index)
        self._pool = ThreadPoolExecutor(max(1, len(self._shares)), "sdykit-mpmd")

    def run(self, arguments: Sequence[Any]) -> tuple[list[Any], list[Span]]:
        """Run the steps, and return the results of the program, and when each step ran.

        Args:
            arguments: arrays that are placed as the plan says.

        Raises:
            ExecutionError: XLA failed while it ran a fragment.
        """
        with _ONE_RUN:
            running = _Running(self._plan, arguments)
            futures = [self._pool.submit(running.work, share) for share in self._shares.values()]
            try:
                for future in futures:
                    future.result()
            finally:
                running.stop()
                for future in futures:
                    future.exception()  # Waits; the first error has been raised.
        return running.results(), running.spans()


class _Running:
    """A run: the values, and which steps are done."""

    def __init__(self, plan: Plan, arguments: Sequence[Any]) -> None:
        self._plan = plan
        self._values: list[Any] = [*arguments, *[None] * (plan.values - len(arguments))]
        self._uses = [0] * plan.values
        for number in [*plan.results, *(each for step in plan.steps for each in step.inputs)]:
            self._uses[number] += 1
        self._changed = threading.Condition()
        self._spans: list[Span | None] = [None] * len(plan.steps)
        self._is_stopped = False
        self._start = time.perf_counter()

    def work(self, share: Sequence[int]) -> None:
        """Run some of the steps in order, each when those that it waits for are done."""
        try:
            for index in share:
                step = self._plan.steps[index]
                if not self._wait(step):
                    return
                self._run(index, step)
        finally:
            if self._spans[share[-1]] is None:
                self.stop()

    def stop(self) -> None:
        """Let the threads end after their present step."""
        with self._changed:
            self._is_stopped = True
            self._changed.notify_all()

    def results(self) -> list[Any]:
        return [self._values[number] for number in self._plan.results]

    def spans(self) -> list[Span]:
        return [span for span in self._spans if span is not None]

    def _wait(self, step: Step) -> bool:
        """Wait for the steps before a step; return whether it can run."""
        with self._changed:
            self._changed.wait_for(
                lambda: self._is_stopped or all(self._spans[each] for each in step.after)
            )
            return not self._is_stopped

    def _run(self, index: int, step: Step) -> None:
        arrays = [self._values[number] for number in step.inputs]
        start = time.perf_counter() - self._start
        try:
            made = step.run(list(arrays))
        except XlaError as error:
            raise ExecutionError(
                f"{step.place}: error: XLA cannot run {step.name}: {error}"
            ) from None
        end = time.perf_counter() - self._start
        for number in step.consumed:
            self._values[number].delete()  # XLA deletes only what it could overwrite.
        with self._changed:
            for number, array in zip(step.outputs, made, strict=True):
                self._values[number] = array
            for number in step.inputs:
                self._uses[number] -= 1
                if not self._uses[number]:
                    self._values[number] = None
            self._spans[index] = Span(step.number, step.name, step.meshes, start, end)
            self._changed.notify_all()
