"""The loops: training on one batch after another, and ranking clicks that were not trained on."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import jax
import numpy as np

from examples.click_model.data import ClickData, Floats
from examples.click_model.learner import Inputs, Learner, State
from examples.click_model.metrics import auc
from examples.click_model.options import Options
from examples.click_model.prefetch import prefetched

RECENT = 16
"""Batches that loss and AUC are of while a model is trained."""

HELD_OUT = 16
"""Batches that a trained model is judged by."""


@dataclass(frozen=True)
class Progress:
    """How far training is. Each batch was judged before it was learnt from."""

    steps: int
    seconds: float
    """Since the step was compiled."""
    recent: tuple[tuple[Floats, Floats], ...]
    """Log odds and labels of the last batches."""

    @property
    def steps_per_second(self) -> float:
        return self.steps / self.seconds

    def scores(self) -> tuple[float, float]:
        """Give the mean loss and the AUC of the last batches."""
        log_odds, labels = (np.concatenate(each) for each in zip(*self.recent, strict=True))
        return float(np.mean(np.logaddexp(0, log_odds) - labels * log_odds)), auc(log_odds, labels)


@dataclass(frozen=True)
class Trained:
    """A model after training."""

    state: State
    compile_seconds: float
    progress: Progress


def train(
    learner: Learner,
    state: State,
    data: ClickData,
    options: Options,
    watch: Callable[[Progress], None],
) -> Trained:
    """Train, and tell `watch` after each step. The state is used up: take the trained one."""

    def prepare(number: int) -> tuple[Floats, Inputs]:
        clicks = data.batch("training", number, options.batch)
        return clicks.labels, learner.inputs(clicks)

    started = time.perf_counter()
    step = learner.compiled_step(state, prepare(0)[1])
    compiled = time.perf_counter()
    recent: deque[tuple[Floats, Floats]] = deque(maxlen=RECENT)
    progress = Progress(0, 0.0, ())
    for number, (labels, inputs) in enumerate(prefetched(prepare, options.steps), start=1):
        # One step at a time: where cores are few, the collectives of several wait for threads
        # that the others hold.
        state, log_odds = jax.block_until_ready(step(state, inputs))
        recent.append((np.asarray(log_odds), labels))
        progress = Progress(number, time.perf_counter() - compiled, tuple(recent))
        watch(progress)
    return Trained(state, compiled - started, progress)


def held_out_auc(learner: Learner, state: State, data: ClickData, batch: int) -> float:
    """Rank `HELD_OUT` batches of clicks that no model is trained on."""

    def prepare(number: int) -> tuple[Floats, Inputs]:
        clicks = data.batch("held out", number, batch)
        return clicks.labels, learner.inputs(clicks)

    predict = learner.compiled_predict(state, prepare(0)[1])
    ranked = [
        (np.asarray(predict(state, inputs)), labels)
        for labels, inputs in prefetched(prepare, HELD_OUT)
    ]
    log_odds, labels = (np.concatenate(each) for each in zip(*ranked, strict=True))
    return auc(log_odds, labels)


def planted_auc(data: ClickData, batch: int) -> float:
    """Rank the same clicks by the odds that they were drawn with."""
    clicks = [data.batch("held out", number, batch) for number in range(HELD_OUT)]
    return auc(
        np.concatenate([each.log_odds for each in clicks]),
        np.concatenate([each.labels for each in clicks]),
    )
