"""The loops: training on one batch after another, and ranking clicks that were not trained on."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from examples.click_model.data import ClickData, Floats
from examples.click_model.learner import Inputs, Learner, State
from examples.click_model.metrics import auc
from examples.click_model.options import Options
from sdykit.sparsecore import prefetch

RECENT = 16
"""Number of the last batches from which loss and AUC are computed during training."""

HELD_OUT = 16
"""Number of batches on which a trained model is evaluated."""


@dataclass(frozen=True)
class Progress:
    """The progress of training. Each batch is evaluated before the model learns from it."""

    steps: int
    seconds: float
    """Seconds since the step was compiled."""
    recent: tuple[tuple[Floats, Floats], ...]
    """The log odds and labels of the last batches."""

    @property
    def steps_per_second(self) -> float:
        return self.steps / self.seconds

    def scores(self) -> tuple[float, float]:
        """Return the mean loss and the AUC of the last batches."""
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
    """Return the trained model, after calling `watch` with the progress of each step.

    The given state is donated: use the trained one.
    """

    def prepare(number: int) -> tuple[Floats, Inputs]:
        clicks = data.batch("training", number, options.batch)
        return clicks.labels, learner.inputs(clicks)

    started = time.perf_counter()
    if options.pipelined and learner.embedding is not None:
        batches = prefetch(map(prepare, range(options.steps)))
        return _train_pipelined(learner, state, batches, watch)
    step = learner.compiled_step(state, prepare(0)[1])
    compiled = time.perf_counter()
    recent: deque[tuple[Floats, Floats]] = deque(maxlen=RECENT)
    progress = Progress(0, 0.0, ())
    for number, (labels, inputs) in enumerate(
        prefetch(map(prepare, range(options.steps))), start=1
    ):
        # One step at a time: with few cores, the collectives of several steps would wait for
        # threads that the others hold.
        state, log_odds = jax.block_until_ready(step(state, inputs))
        recent.append((np.asarray(log_odds), labels))
        progress = Progress(number, time.perf_counter() - compiled, tuple(recent))
        watch(progress)
    return Trained(state, compiled - started, progress)


def _train_pipelined(
    learner: Learner,
    state: State,
    batches: Iterator[tuple[Floats, Inputs]],
    watch: Callable[[Progress], None],
) -> Trained:
    """Return the model after training in a pipeline.

    Its programs are compiled on the way: the seconds of the progress include that.
    """
    waiting: deque[Floats] = deque()

    def fed() -> Iterator[tuple[Any, Any]]:
        for labels, inputs in batches:
            waiting.append(labels)
            yield inputs.ids, (inputs.numeric, inputs.labels)

    pipeline = learner.pipeline()
    started = compiled = time.perf_counter()
    last = pipeline.init(state.tables, (state.params, state.optimizer))
    recent: deque[tuple[Floats, Floats]] = deque(maxlen=RECENT)
    progress = Progress(0, 0.0, ())
    for number, (after, log_odds) in enumerate(pipeline.run(last, fed()), start=1):
        last = jax.block_until_ready(after)
        recent.append((np.asarray(log_odds), waiting.popleft()))
        compiled = time.perf_counter() if number == 1 else compiled
        progress = Progress(number, time.perf_counter() - started, tuple(recent))
        watch(progress)
    params, optimizer = last.carry
    return Trained(State(params, optimizer, last.variables), compiled - started, progress)


def held_out_auc(learner: Learner, state: State, data: ClickData, batch: int) -> float:
    """Return the AUC of a model on `HELD_OUT` batches of clicks that no model is trained on."""

    def prepare(number: int) -> tuple[Floats, Inputs]:
        clicks = data.batch("held out", number, batch)
        return clicks.labels, learner.inputs(clicks)

    predict = learner.compiled_predict(state, prepare(0)[1])
    ranked = [
        (np.asarray(predict(state, inputs)), labels)
        for labels, inputs in prefetch(map(prepare, range(HELD_OUT)))
    ]
    log_odds, labels = (np.concatenate(each) for each in zip(*ranked, strict=True))
    return auc(log_odds, labels)


def planted_auc(data: ClickData, batch: int) -> float:
    """Return the AUC on the same clicks of the odds that they were drawn with."""
    clicks = [data.batch("held out", number, batch) for number in range(HELD_OUT)]
    return auc(
        np.concatenate([each.log_odds for each in clicks]),
        np.concatenate([each.labels for each in clicks]),
    )
