"""Items of an iterable, made ahead by another thread.

    with Prefetched(batches, ahead=2) as items:
        for batch in items: ...

`sdykit.sparsecore.prefetch` takes `ahead` from the settings: `maximum_parallel_iterations`.
"""

from __future__ import annotations

import contextvars
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator
from queue import SimpleQueue
from types import TracebackType
from typing import Any, Final, Generic, NamedTuple, Self, TypeVar

from sdykit.sparsecore import events
from sdykit.sparsecore.config.kinds import Integer
from sdykit.sparsecore.errors import SparseCoreError, shown

T = TypeVar("T")

AHEAD: Final = Integer(0, 1024)
"""The values of `ahead`, as those of `maximum_parallel_iterations`."""

WAIT: Final = "wait for input"
"""The name of the event that a consumer waits for an item, see `sdykit.sparsecore.events`."""


class Prefetched(Iterator[T], Generic[T]):
    """Iterates over a source whose next items another thread makes meanwhile, in order.

    At most `ahead` items are made, or being made, that the consumer has not taken yet. An error of the
    source is raised in place of its item, with its traceback, and ends the iteration.

    The thread ends with the source, with `close` (a `with` statement calls it), when the iterator is
    deleted, as after a `break`, and at the exit of Python. All of these wait for the item that is
    being made.

    Args:
        source: any iterable. `iter` is called at once, and the rest in the other thread, in a copy of
            the current context.
        ahead: the number of items; 0: there is no thread, and items are made when they are asked for.

    Raises:
        SparseCoreError: the source is not iterable, or the number cannot be used.
    """

    def __init__(self, source: Iterable[T], ahead: int) -> None:
        try:
            AHEAD.checked(ahead)
        except ValueError:
            raise SparseCoreError(
                f"prefetch: ahead is {shown(ahead)}; expected {AHEAD.expected()}"
            ) from None
        iterator = _iterator_of(source)
        self._take = (each for each in iterator).__next__  # It ends with the first error.
        self._stop: Callable[[], object] = _nothing
        if not ahead:
            return
        line = _Line(ahead)
        context = contextvars.copy_context()
        thread = threading.Thread(
            target=context.run, args=(_work, iterator, line), name="prefetch", daemon=True
        )
        thread.start()
        self._take = line.take
        # It runs at the exit of Python, too, and does not keep this object alive.
        self._stop = weakref.finalize(self, _end, line, thread)

    def __next__(self) -> T:
        """Return the next item; wait until it is made."""
        with events.span(WAIT):
            return self._take()

    def close(self) -> None:
        """End the iteration and the thread; items that were not taken are dropped."""
        self._stop()
        self._take = _no_more

    def __enter__(self) -> Self:
        """Return the iterator."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the iterator."""
        self.close()


class _Made(NamedTuple):
    """An item, or the error that ends the iteration."""

    item: Any
    error: BaseException | None


class _Line:
    """What the thread and the consumer share.

    Its queues can be used in finalizers: `SimpleQueue.put` is reentrant.
    """

    def __init__(self, ahead: int) -> None:
        self.permits: SimpleQueue[None] = SimpleQueue()
        """An entry for each item that may be made."""
        self.items: SimpleQueue[_Made] = SimpleQueue()
        self.is_stopped = False
        for _ in range(ahead):
            self.permits.put(None)

    def take(self) -> Any:
        """Return the next item.

        Raises:
            BaseException: the error that ends the iteration.
        """
        item, error = self.items.get()
        if error is None:
            self.permits.put(None)
            return item
        self.items.put(_Made(None, StopIteration()))  # For the next call.
        try:
            raise error
        finally:
            del error  # Its traceback refers to this frame.

    def stop(self) -> None:
        """Make the thread end after the item that is being made, and a waiting consumer after it."""
        self.is_stopped = True
        self.permits.put(None)


def _work(iterator: Iterator[Any], line: _Line) -> None:
    """Make items for as long as there are permits; end with the source, or when it is stopped."""
    while True:
        line.permits.get()
        if line.is_stopped:
            line.items.put(_Made(None, StopIteration()))
            return
        try:
            made = _Made(next(iterator), None)
        except BaseException as error:  # Raised again in the consumer's thread.
            line.items.put(_Made(None, error))
            return
        line.items.put(made)
        del made  # Only the consumer holds it while the next one is made.


def _end(line: _Line, thread: threading.Thread) -> None:
    """Stop the thread, and wait for it unless it is this one, which may collect garbage."""
    line.stop()
    if thread is not threading.current_thread():
        thread.join()


def _iterator_of(source: Iterable[T]) -> Iterator[T]:
    try:
        return iter(source)
    except TypeError as error:
        if hasattr(source, "__iter__"):
            raise  # An error of the source itself.
        raise SparseCoreError(
            f"prefetch: the source is {shown(source)}; expected an iterable, such as a generator"
        ) from error


def _nothing() -> None:
    """Do nothing: there is no thread."""


def _no_more() -> Any:
    raise StopIteration
