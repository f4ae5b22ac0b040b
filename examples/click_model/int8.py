"""Quantization after training: the same model with int8 tables, beside the one with float32 tables."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any, Final

import jax

from examples.click_model.data import ClickData
from examples.click_model.learner import Learner, State
from examples.click_model.training import held_out_auc

RUNS: Final = 21
"""How often each lookup is timed."""


@dataclass(frozen=True)
class Tables:
    """What tables of one dtype cost."""

    bytes: int
    """The size of the tables in HBM, without slots."""
    seconds: float
    """The median of the times of a lookup of one batch."""
    auc: float
    """Area under the ROC curve, on clicks that were held out."""


@dataclass(frozen=True)
class Comparison:
    """The same trained tables as float32 and as int8."""

    float32: Tables
    int8: Tables

    def text(self, batch: int) -> str:
        """Return the comparison as a line for each dtype."""
        lines = [
            f"{name:<8} tables: {each.bytes / 1e6:.1f} MB, held-out AUC {each.auc:.4f}, a lookup of "
            f"{batch:,} samples takes {each.seconds * 1e3:.2f} ms"
            for name, each in (("float32", self.float32), ("int8", self.int8))
        ]
        return "\n".join(lines)


def compare(learner: Learner, state: State, auc: float, data: ClickData, batch: int) -> Comparison:
    """Quantize trained tables, and compare them with the trained ones.

    Args:
        learner: the model, with an embedding.
        state: its state after training.
        auc: its AUC on the clicks that are held out.
        data: the source of the clicks.
        batch: samples in a batch.
    """
    embedding = learner.embedding
    assert embedding is not None
    layer, tables = embedding.quantized(state.tables)
    quantized = Learner(learner.mesh, learner.width, layer)
    of_int8 = held_out_auc(quantized, state._replace(tables=tables), data, batch)
    ids = learner.inputs(data.batch("held out", 0, batch)).ids
    calls = [
        (jax.jit(embedding.lookup), state.tables),
        (jax.jit(layer.lookup), tables),
    ]
    seconds = _medians([lambda run=run, held=held: run(held, ids) for run, held in calls])
    return Comparison(
        Tables(_bytes(state.tables), seconds[0], auc), Tables(_bytes(tables), seconds[1], of_int8)
    )


def _medians(calls: list[Callable[[], Any]]) -> list[float]:
    """Return the median seconds of each call; they take turns, so that all see the same machine."""
    for call in calls:
        jax.block_until_ready(call())  # compiles
    times: list[list[float]] = [[] for _ in calls]
    for _ in range(RUNS):
        for call, own in zip(calls, times, strict=True):
            started = time.perf_counter()
            jax.block_until_ready(call())
            own.append(time.perf_counter() - started)
    return [median(own) for own in times]


def _bytes(variables: Any) -> int:
    return sum(each["table"].nbytes for each in variables.values())
