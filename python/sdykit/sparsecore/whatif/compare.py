"""Comparison of systems and settings, and searches for the best ones."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.whatif.choice import MAX_DEVICES, Choice
from sdykit.sparsecore.whatif.evaluate import Evaluator
from sdykit.sparsecore.whatif.model import Model
from sdykit.sparsecore.whatif.results import Comparison, Result

Progress = Callable[[int, int], None]
"""A function that is called with the number of choices that are done, and of all."""

LIMIT_FACTORS: Final = (1.5, 1.2, 1.0, 1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64)
"""The factors of limits that `best_limits` tries."""


def _no_progress(_done: int, _all: int) -> None:
    """Show nothing."""


def compare(
    model: Model, choices: Iterable[Choice], *, progress: Progress = _no_progress
) -> Comparison:
    """Return what each choice gives for a model.

    If the pool of the model has as many samples as a choice's batch, its ids are counted, as they would be
    sent and received there; otherwise they are estimated, and the result says so.

    Args:
        model: the model.
        choices: the systems and settings.
        progress: called after each.

    Raises:
        SparseCoreError: there are no choices, or none of them is possible: the text is the problem of the
            first one.
    """
    wanted = list(choices)
    if not wanted:
        raise SparseCoreError("whatif: there is nothing to compare; expected at least one choice")
    evaluate, found = Evaluator(model), list[Result]()
    for number, choice in enumerate(wanted):
        progress(number, len(wanted))
        found.append(evaluate(choice))
    progress(len(wanted), len(wanted))
    if all(each.times is None for each in found):
        raise SparseCoreError(found[0].problem)
    return Comparison(model.name, tuple(found), model.samples, model.pool.is_drawn)


def least_devices(
    model: Model, choices: Iterable[Choice], seconds: float, *, progress: Progress = _no_progress
) -> Comparison:
    """Return the least devices with which a step takes at most some time, for each choice.

    The numbers of devices are powers of two; of each choice all up to the first one that is fast enough are
    in the result, so that the last one of a choice is the answer if `fits` it.

    Args:
        model: the model.
        choices: the settings; their numbers of devices are where the search begins.
        seconds: the expected time of a step, at most.
        progress: called after each choice.

    Raises:
        SparseCoreError: the time is not positive, there are no choices, or none is possible.
    """
    wanted = list(choices)
    if not seconds > 0 or not wanted:
        raise SparseCoreError(
            f"whatif: a step of {seconds:g} s is asked of {len(wanted)} choices; expected more than 0 s, "
            "and at least one choice"
        )
    evaluate, found = Evaluator(model), list[Result]()
    for number, choice in enumerate(wanted):
        progress(number, len(wanted))
        found += _up_to(evaluate, choice, seconds)
    progress(len(wanted), len(wanted))
    if all(each.times is None for each in found):
        raise SparseCoreError(found[0].problem)
    return Comparison(model.name, tuple(found), model.samples, model.pool.is_drawn)


def _up_to(evaluate: Evaluator, choice: Choice, seconds: float) -> list[Result]:
    """Return results for more and more devices, up to the first ones that are fast enough."""
    found, devices = list[Result](), choice.devices
    while devices <= MAX_DEVICES:
        found.append(evaluate(dataclasses.replace(choice, devices=devices)))
        # A batch that cannot be split over as many SparseCores cannot be split over more.
        if found[-1].seconds <= seconds or found[-1].times is None:
            break
        devices *= 2
    return found


def answer_of(results: Sequence[Result], seconds: float) -> Result | None:
    """Return the result with the least chips whose step takes at most some time; None: there is none."""
    fast = [each for each in results if each.seconds <= seconds]
    return min(fast, key=lambda each: (each.choice.chips, each.seconds), default=None)


def best_limits(
    model: Model,
    choice: Choice,
    *,
    max_minibatches: int = 64,
    factors: Sequence[float] = LIMIT_FACTORS,
    progress: Progress = _no_progress,
) -> Comparison:
    """Return what limits give that drop no ids, the fastest first.

    Args:
        model: the model.
        choice: the system and settings; its limits are not used.
        max_minibatches: the maximum number of minibatches.
        factors: the factors of limits over what the batch needs, to try.
        progress: called after each.

    Raises:
        SparseCoreError: no limits drop no ids, need no more minibatches, and fit.
    """
    tried = compare(
        model,
        [dataclasses.replace(choice, limits=each) for each in factors],
        progress=progress,
    )
    fitting = [
        each
        for each in tried.results
        if each.can_run and not each.dropped and each.minibatches <= max_minibatches
    ]
    if not fitting:
        problem = next((each.problem for each in tried.results if each.problem), "")
        raise SparseCoreError(
            f"whatif: none of {len(factors)} limits drops no ids, needs at most {max_minibatches} "
            f"minibatches, and fits{': ' if problem else ''}{problem}"
        )
    fitting.sort(key=lambda each: (each.seconds, each.choice.limits))
    return dataclasses.replace(tried, results=tuple(fitting))
