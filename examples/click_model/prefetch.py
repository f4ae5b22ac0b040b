"""Make the next batches while the devices work."""

from __future__ import annotations

from collections.abc import Callable, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")

AHEAD = 2
"""Number of batches that are made in advance."""


def prefetch(make: Callable[[int], T], count: int, ahead: int = AHEAD) -> Generator[T, None, None]:
    """Yield `make(0)` to `make(count - 1)`, made in order by another thread.

    An error in `make` is raised here, in place of its result. A consumer that stops early waits only
    for the batch that is being made.
    """
    with ThreadPoolExecutor(1, thread_name_prefix="prefetch") as thread:
        waiting: list[Future[T]] = [
            thread.submit(make, number) for number in range(min(ahead, count))
        ]
        try:
            for number in range(count):
                result = waiting.pop(0).result()
                if number + ahead < count:
                    waiting.append(thread.submit(make, number + ahead))
                yield result
        finally:
            for each in waiting:
                each.cancel()
