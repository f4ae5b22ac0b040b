"""The threads that run a program: what they run at the same time, wait for, and do after errors."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from sdykit.mpmd import ExecutionError
from sdykit.mpmd.execution.steps import Plan, Step
from sdykit.mpmd.execution.workers import Workers
from sdykit.spmd.devices.client import XlaError

TIMEOUT = 60
"""Seconds, after which a test fails."""


class Array:
    """A value that can be deleted."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.is_deleted = False

    def delete(self) -> None:
        self.is_deleted = True


def step(number: int, worker: str, run: Callable[..., Any], **fields: Any) -> Step:
    values: dict[str, Any] = {"inputs": (), "consumed": (), "after": (), "outputs": (number,)}
    return Step(
        number=number,
        name=f"step {number}",
        place=f"a.mlir:{number}:1",
        meshes=(worker,),
        worker=worker,
        run=run,
        **{**values, **fields},
    )


def test_workers_run_at_the_same_time() -> None:
    """Each step ends only when the other one is running."""
    both = threading.Barrier(2, timeout=TIMEOUT)

    def run(_: list[Any]) -> list[Any]:
        both.wait()
        return [Array(7)]

    plan = Plan((), (step(0, "m1", run), step(1, "m2", run)), (0, 1), 2)
    results, spans = Workers(plan).run([])
    assert [result.number for result in results] == [7, 7]
    assert spans[0].start < spans[1].end
    assert spans[1].start < spans[0].end


def test_a_step_waits_for_those_before_it() -> None:
    may_end = threading.Event()
    order: list[str] = []

    def first(_: list[Any]) -> list[Any]:
        may_end.wait(TIMEOUT)
        order.append("first")
        return [Array(1)]

    def second(arrays: list[Any]) -> list[Any]:
        order.append("second")
        return [Array(arrays[0].number + 1)]

    steps = (
        step(0, "m1", first),
        step(1, "m2", second, inputs=(0,), after=(0,)),
        step(2, "m3", lambda _: (may_end.set(), [Array(9)])[1]),
    )
    results, spans = Workers(Plan((), steps, (1, 2), 3)).run([])
    assert order == ["first", "second"]
    assert [result.number for result in results] == [2, 9]
    assert [span.step for span in spans] == [0, 1, 2]


def test_consumed_values_are_deleted_and_unused_ones_forgotten() -> None:
    donated, kept = Array(1), Array(2)
    steps = (step(2, "m1", lambda arrays: [arrays[0]], inputs=(0, 1), consumed=(0,)),)
    results, _ = Workers(Plan((), steps, (1,), 3)).run([donated, kept])
    assert results == [kept]
    assert donated.is_deleted
    assert not kept.is_deleted


def test_an_error_names_the_step_and_stops_the_others() -> None:
    ran: list[int] = []

    def fails(_: list[Any]) -> list[Any]:
        raise XlaError("INTERNAL: no luck")

    def runs(_: list[Any]) -> list[Any]:
        ran.append(1)
        return [Array(0)]

    steps = (step(0, "m1", fails), step(1, "m1", runs), step(2, "m2", runs, after=(0,)))
    workers = Workers(Plan((), steps, (), 3))
    for _ in range(2):  # An error leaves the threads as they were.
        with pytest.raises(ExecutionError) as caught:
            workers.run([])
        assert str(caught.value) == "a.mlir:0:1: error: XLA cannot run step 0: INTERNAL: no luck"
    assert ran == []


def test_a_program_without_steps_returns_its_arguments() -> None:
    array = Array(3)
    assert Workers(Plan((), (), (0, 0), 1)).run([array]) == ([array, array], [])
