"""Jobs on a few threads; kernels release the GIL."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

_DIGITS = (4, 2048)


class Scratch:
    """Arrays that one thread uses again and again; they grow as needed."""

    def __init__(self) -> None:
        self.counters = np.empty(_DIGITS, np.uint32)
        self._arrays: dict[str, npt.NDArray] = {}

    def array(self, name: str, size: int, dtype: type[np.generic]) -> npt.NDArray:
        """Give an array of `size` or more elements; it is the same for the same name."""
        found = self._arrays.get(name)
        if found is None or found.size < size:
            found = self._arrays[name] = np.empty(size, dtype)
        return found


Job = Callable[[Scratch], None]
_Result = TypeVar("_Result")


def run_jobs(jobs: Sequence[Job], threads: int) -> None:
    """Run all jobs; the calling thread is one of the threads.

    Threads are made for the call: one costs less than what a pool would keep alive, and a process
    may fork at any time. Where none can be made, the calling thread does it all.

    Raises:
        Exception: what the first of the failing jobs raised, in the order of the jobs.
    """
    left = list(enumerate(jobs))[::-1]
    failures: dict[int, BaseException] = {}

    def work() -> None:
        scratch = Scratch()
        while not failures:
            try:
                number, job = left.pop()
            except IndexError:
                return
            try:
                job(scratch)
            except BaseException as error:  # Raised again below, in the caller's thread.
                failures[number] = error

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
    """Do work where Ctrl-C does not reach it: in a thread of its own, if this is the main one.

    A lock in Python, such as llvmlite's, may be held forever after an interrupt at the wrong moment,
    and other threads wait for it. After an interrupt the work goes on, and its result is lost.

    Raises:
        Exception: what the work raised.
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
