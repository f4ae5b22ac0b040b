"""Prefetching: order, how far ahead, errors, and that no thread is left, however it ends."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import traceback
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdykit.sparsecore import events, prefetching
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.prefetching import Prefetched
from support.amounts import examples

SECONDS = 120.0
"""How long to wait for what must happen."""


def threads() -> list[threading.Thread]:
    return [each for each in threading.enumerate() if each.name == "prefetch"]


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Iterator[None]:
    yield
    gc.collect()
    assert threads() == []


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.001)


class Counting:
    """Makes numbers, and counts those that are made or being made."""

    def __init__(self, count: int) -> None:
        self.count, self.started = count, 0

    def __iter__(self) -> Iterator[int]:
        for number in range(self.count):
            self.started += 1
            yield number


class Dataset:
    """An iterable without `__iter__`, by the old protocol."""

    def __getitem__(self, at: int) -> int:
        if at == 4:
            raise IndexError
        return at * at


@settings(derandomize=True, deadline=None, max_examples=examples(50))
@given(st.lists(st.integers(), max_size=20), st.integers(0, 5))
def test_items_are_those_of_the_source_in_order(values: list[int], ahead: int) -> None:
    assert list(Prefetched(values, ahead)) == values
    assert list(Prefetched((each for each in values), ahead)) == values
    assert list(Prefetched(iter(values), ahead)) == values


def test_any_iterable_is_a_source() -> None:
    sources: list[tuple[Iterable[Any], list[Any]]] = [
        (range(3), [0, 1, 2]),
        ({"a": 1, "b": 2}, ["a", "b"]),
        (Dataset(), [0, 1, 4, 9]),  # type: ignore[list-item]
        (map(str, [1, 2]), ["1", "2"]),
        (Prefetched(range(4), 2), [0, 1, 2, 3]),
        ([None, StopIteration, ValueError("an item")], [None, StopIteration]),
    ]
    for source, expected in sources:
        assert list(Prefetched(source, 3))[: len(expected)] == expected


@pytest.mark.parametrize("ahead", [1, 2, 5])
def test_never_more_than_ahead_items_are_in_flight(ahead: int) -> None:
    source = Counting(40)
    items = Prefetched(source, ahead)
    for taken in range(1, 41):
        most = min(40, taken - 1 + ahead)
        wait_until(lambda most=most: source.started >= most)
        time.sleep(0.002)  # It could go on now, if it were not held back.
        assert source.started == most
        assert next(items) == taken - 1


def test_items_are_made_while_the_consumer_works() -> None:
    made = threading.Event()

    def source() -> Iterator[str]:
        yield threading.current_thread().name
        made.set()
        yield "second"

    items = Prefetched(source(), 1)
    assert next(items) == "prefetch"
    assert made.wait(SECONDS)  # Nobody has asked for the second.
    assert list(items) == ["second"]


def test_with_0_items_are_made_when_they_are_asked_for() -> None:
    source = Counting(3)
    items = Prefetched(source, 0)
    assert threads() == []
    assert source.started == 0
    assert next(items) == 0
    assert source.started == 1
    assert list(items) == [1, 2]


@pytest.mark.parametrize("ahead", [0, 1, 5])
def test_an_error_is_raised_in_place_of_its_item(ahead: int) -> None:
    def broken() -> Iterator[int]:
        yield from range(3)
        raise ValueError("batch 3 is bad")

    items = Prefetched(broken(), ahead)
    wait_until(lambda: ahead < 4 or not threads())  # The error is made before anything is taken.
    assert [next(items) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(ValueError, match=r"^batch 3 is bad$") as caught:
        next(items)
    assert traceback.extract_tb(caught.value.__traceback__)[-1].name == "broken"
    assert list(items) == []


@pytest.mark.parametrize("ahead", [0, 1, 5])
def test_an_error_is_the_end_also_of_a_source_that_could_go_on(ahead: int) -> None:
    def checked(number: int) -> int:
        if number == 1:
            raise ValueError("1 is bad")
        return number

    items = Prefetched(map(checked, range(5)), ahead)
    assert next(items) == 0
    with pytest.raises(ValueError, match="1 is bad"):
        next(items)
    assert list(items) == []


def test_an_exit_of_the_source_reaches_the_consumer() -> None:
    def leaving() -> Iterator[int]:
        raise SystemExit(3)
        yield

    with pytest.raises(SystemExit):
        next(Prefetched(leaving(), 1))


def test_a_consumer_that_stops_early_ends_the_thread_and_the_source() -> None:
    closed = threading.Event()

    def source() -> Iterator[int]:
        try:
            yield from range(100)
        finally:
            closed.set()

    for item in Prefetched(source(), 2):
        if item == 3:
            break
    assert threads() == []
    assert closed.is_set()


def test_an_error_of_the_consumer_ends_the_thread() -> None:
    def train() -> None:
        for item in Prefetched(Counting(100), 2):
            raise RuntimeError(f"step {item} failed")

    with pytest.raises(RuntimeError, match="step 0 failed"):
        train()
    assert threads() == []
    with Prefetched(Counting(100), 2) as items:
        assert next(items) == 0
    assert threads() == []
    assert list(items) == []


def test_garbage_in_a_cycle_ends_the_thread() -> None:
    cycle: dict[str, Any] = {"items": Prefetched(Counting(100), 2)}
    cycle["self"] = cycle
    assert len(threads()) == 1
    del cycle
    gc.collect()
    assert threads() == []


def test_garbage_that_its_own_thread_collects_ends_the_thread() -> None:
    """A finalizer may run in any thread: it does not wait for itself."""
    collected, kept = threading.Event(), threading.Event()

    def source() -> Iterator[int]:
        kept.wait(SECONDS)
        gc.collect()
        collected.set()
        yield 1
        yield 2

    gc.disable()
    try:
        cycle: dict[str, Any] = {"items": Prefetched(source(), 1)}
        cycle["self"] = cycle
        del cycle
        kept.set()
        assert collected.wait(SECONDS)
        wait_until(lambda: not threads())
    finally:
        gc.enable()


def test_close_drops_items_that_were_not_taken() -> None:
    class Item:
        pass

    held: list[weakref.ref[Item]] = []

    def source() -> Iterator[Item]:
        while True:
            item = Item()
            held.append(weakref.ref(item))
            yield item
            del item

    items = Prefetched(source(), 4)
    wait_until(lambda: len(held) == 4)
    items.close()
    items.close()
    assert list(items) == []
    gc.collect()
    assert [each() for each in held] == [None] * 4


def test_close_wakes_a_consumer_in_another_thread() -> None:
    release = threading.Event()

    def source() -> Iterator[int]:
        yield 1
        release.wait(SECONDS)

    items, found = Prefetched(source(), 1), list[int]()
    other = threading.Thread(target=lambda: found.extend(items))
    other.start()
    wait_until(lambda: found == [1] or not other.is_alive())
    closing = threading.Thread(target=items.close)
    closing.start()
    release.set()
    closing.join(SECONDS)
    other.join(SECONDS)
    assert not other.is_alive()
    assert found == [1]


def run(program: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
        **options,
    )


@pytest.mark.parametrize("end", ["pass", "raise ValueError('at the end')", "sys.exit(4)"])
def test_the_thread_ends_with_python(end: str) -> None:
    done = run(f"""
        import itertools, sys, time
        from sdykit.sparsecore.prefetching import Prefetched

        def slow():
            try:
                for number in itertools.count():
                    time.sleep(0.01)
                    yield number
            finally:
                print("source closed", flush=True)

        items = Prefetched(slow(), 3)  # Alive to the end.
        assert next(items) == 0
        {end}
    """)
    assert done.stdout == "source closed\n"
    assert done.returncode == {"p": 0, "r": 1, "s": 4}[end[0]]
    errors = [line for line in done.stderr.splitlines() if not line.startswith(" ")]
    expected = ["Traceback (most recent call last):", "ValueError: at the end"]
    assert errors == (expected if end.startswith("raise") else [])


@pytest.mark.skipif(os.name != "posix", reason="there is no SIGINT to send")
def test_an_interrupt_ends_a_wait_and_the_thread() -> None:
    program = """
        import threading
        from sdykit.sparsecore.prefetching import Prefetched

        release = threading.Event()

        def source():
            yield 1
            print("waiting", flush=True)
            release.wait(600)
            yield 2

        items = Prefetched(source(), 1)
        try:
            next(items), next(items)
        except KeyboardInterrupt:
            release.set()
            print("interrupted; still there:", next(items))
        items.close()
        print(threading.active_count(), "thread")
    """
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "waiting\n"
        time.sleep(0.2)  # For `next` to wait; if it does not yet, it is interrupted before.
        process.send_signal(signal.SIGINT)
        try:
            rest, _ = process.communicate(timeout=SECONDS)
        finally:
            process.kill()
        assert process.returncode == 0
    assert rest == "interrupted; still there: 2\n1 thread\n"


def test_waits_are_observed() -> None:
    waits: list[tuple[int, int]] = []

    def slow() -> Iterator[int]:
        time.sleep(0.05)
        yield 1

    class Waits:
        def span(self, name: str, start: int, end: int) -> None:
            assert name == prefetching.WAIT
            waits.append((start, end))

        def batch(self, batch: events.PreparedBatch) -> None:
            raise AssertionError(batch)

    with events.listening(Waits()):
        before = time.perf_counter_ns()
        assert list(Prefetched(slow(), 1)) == [1]
        after = time.perf_counter_ns()
    (start, end), (last, _) = waits  # The last wait finds the end.
    assert before <= start < end <= last <= after
    assert end - start > 30_000_000
    list(Prefetched(range(3), 1))
    assert len(waits) == 2


def test_what_cannot_be_prefetched() -> None:
    with pytest.raises(SparseCoreError) as caught:
        Prefetched(5, 1)  # type: ignore[arg-type]
    assert str(caught.value) == (
        "prefetch: the source is 5; expected an iterable, such as a generator"
    )
    for ahead in (-1, 1025, 1.5, True):
        with pytest.raises(SparseCoreError) as caught:
            Prefetched([], ahead)  # type: ignore[arg-type]
        assert str(caught.value) == (
            f"prefetch: ahead is {ahead!r}; expected an integer from 0 to 1024"
        )

    class Broken:
        def __iter__(self) -> Iterator[int]:
            raise TypeError("no data")

    with pytest.raises(TypeError, match="no data"):
        Prefetched(Broken(), 1)
