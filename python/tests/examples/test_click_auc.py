"""The area under the ROC curve, and prefetching, of the click model."""

from __future__ import annotations

import math
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples.click_model.metrics import auc
from examples.click_model.prefetch import prefetch


@settings(derandomize=True, deadline=None, max_examples=200)
@given(st.lists(st.tuples(st.integers(-3, 3), st.booleans()), max_size=30))
def test_auc_is_how_often_a_click_scores_higher(samples: list[tuple[int, bool]]) -> None:
    clicks = [score for score, label in samples if label]
    others = [score for score, label in samples if not label]
    found = auc([score for score, _ in samples], [float(label) for _, label in samples])
    if not clicks or not others:
        assert math.isnan(found)
        return
    wins = sum((click > other) + (click == other) / 2 for click in clicks for other in others)
    assert found == pytest.approx(wins / (len(clicks) * len(others)), abs=1e-12)


def test_auc_takes_any_scale() -> None:
    random = np.random.default_rng(0)
    labels = random.integers(0, 2, 1000).astype(np.float32)
    scores = random.standard_normal(1000).astype(np.float32) + labels
    assert 0.7 < auc(scores, labels) < 0.8
    assert auc(np.exp(scores), labels) == auc(scores, labels)
    assert auc(-scores, labels) == pytest.approx(1 - auc(scores, labels))


def test_auc_of_nan_is_nan() -> None:
    assert math.isnan(auc([0.1, float("nan"), 0.3], [0, 1, 1]))


@pytest.mark.parametrize("count", [0, 1, 2, 3, 10])
def test_prefetch_yields_all_results_in_order(count: int) -> None:
    assert list(prefetch(lambda number: number * number, count)) == [n * n for n in range(count)]


def test_prefetch_works_ahead_in_another_thread() -> None:
    made, third = [], threading.Event()

    def make(number: int) -> str:
        made.append(number)
        if number == 2:
            third.set()
        return threading.current_thread().name

    batches = prefetch(make, 10, ahead=2)
    assert next(batches).startswith("prefetch")
    # Nobody has asked for the third yet: it is made while the first is worked on.
    assert third.wait(timeout=30)
    batches.close()
    assert made[:3] == [0, 1, 2]
    assert len(made) <= 4


def test_prefetch_raises_when_the_failing_batch_is_consumed() -> None:
    def make(number: int) -> int:
        if number == 1:
            raise ValueError("batch 1 is bad")
        return number

    batches = prefetch(make, 5)
    assert next(batches) == 0
    with pytest.raises(ValueError, match=r"^batch 1 is bad$"):
        next(batches)
