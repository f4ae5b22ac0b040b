"""Jobs on a few threads; kernels release the GIL."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

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


def run_jobs(jobs: Sequence[Job], threads: int) -> None:
    """Run all jobs; the calling thread is one of the threads.

    Threads are made for the call: one costs less than what a pool would keep alive, and a process
    may fork at any time.

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
        threading.Thread(target=work, name="sdykit-preprocess")
        for _ in range(min(threads, len(jobs)) - 1)
    ]
    for helper in helpers:
        helper.start()
    work()
    for helper in helpers:
        helper.join()
    if failures:
        raise failures[min(failures)]
