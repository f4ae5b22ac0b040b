"""Jobs on a few threads: the native loops release the GIL."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

_DIGITS = (4, 2048)

_KEPT_BYTES = 1 << 24
"""The maximum size of the arrays of a thread that are kept for the next call."""


_MAX_THREADS = 16
"""The maximum number of threads unless more are asked for: they are started one after another, each in the
time of some 10,000 ids."""


def default_threads() -> int:
    """Return the number of processors that this process may use, but at most 16."""
    if hasattr(os, "sched_getaffinity"):  # Linux
        return min(len(os.sched_getaffinity(0)), _MAX_THREADS)
    return min(os.cpu_count() or 1, _MAX_THREADS)


class Scratch:
    """Arrays that one thread reuses from job to job; they grow as needed."""

    def __init__(self) -> None:
        self.counters = np.empty(_DIGITS, np.uint32)
        self._arrays: dict[str, npt.NDArray] = {}

    def array(self, name: str, size: int, dtype: type[np.generic]) -> npt.NDArray:
        """Return an array of at least `size` elements; one name has one array."""
        found = self._arrays.get(name)
        if found is None or found.size < size:
            found = self._arrays[name] = np.empty(size, dtype)
        return found

    @property
    def nbytes(self) -> int:
        """The size of all arrays."""
        return sum(each.nbytes for each in self._arrays.values())


_idle: list[Scratch] = []
"""What threads of former calls left: fresh memory costs a page fault for every 4 KiB."""


def _take_scratch() -> Scratch:
    try:
        return _idle.pop()
    except IndexError:
        return Scratch()


def _leave_scratch(scratch: Scratch) -> None:
    if scratch.nbytes <= _KEPT_BYTES and len(_idle) < _MAX_THREADS:
        _idle.append(scratch)


Job = Callable[[Scratch], None]
_Result = TypeVar("_Result")


def run_jobs(jobs: Sequence[Job], threads: int) -> None:
    """Run all jobs; the calling thread is one of the threads.

    Threads are started for the call: starting one is cheaper than keeping a pool alive, and a
    process may fork at any time. Where none can be started, the calling thread runs all jobs.

    Args:
        jobs: the jobs; each gets the scratch arrays of the thread that runs it.
        threads: the maximum number of threads.

    Raises:
        Exception: the exception of the first failing job, in the order of the jobs.
    """
    left = list(enumerate(jobs))[::-1]
    failures: dict[int, BaseException] = {}

    def work() -> None:
        scratch = _take_scratch()
        while not failures:
            try:
                number, job = left.pop()
            except IndexError:
                break
            try:
                job(scratch)
            except BaseException as error:  # Raised again below, in the caller's thread.
                failures[number] = error
        _leave_scratch(scratch)

    helpers = [
        threading.Thread(target=work, name="sdykit") for _ in range(min(threads, len(jobs)) - 1)
    ]
    started: list[threading.Thread] = []
    for helper in helpers:
        try:
            helper.start()
        except RuntimeError:  # The system has no more threads, or the interpreter is about to exit.
            break
        started.append(helper)
    work()
    for helper in started:
        helper.join()
    if failures:
        raise failures[min(failures)]


def uninterrupted(work: Callable[[], _Result]) -> _Result:
    """Return the result of work that Ctrl-C does not interrupt.

    The main thread runs it in a thread of its own, since Python interrupts the main thread only. A
    lock in Python, such as llvmlite's, may be held forever after an interrupt at the wrong moment,
    and other threads wait for it. After an interrupt the work continues, and its result is lost.

    Raises:
        Exception: the exception that the work raised.
    """
    if sys.is_finalizing() or threading.current_thread() is not threading.main_thread():
        return work()
    found: list[_Result] = []
    failures: list[BaseException] = []

    def run() -> None:
        try:
            found.append(work())
        except BaseException as error:  # Raised again below, in the caller's thread.
            failures.append(error)

    thread = threading.Thread(target=run, name="sdykit")
    try:
        thread.start()
    except RuntimeError:  # As above.
        return work()
    thread.join()
    if failures:
        raise failures[0]
    return found[0]
