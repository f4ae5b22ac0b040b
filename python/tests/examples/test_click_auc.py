"""The area under the ROC curve of the click model."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples.click_model.metrics import auc
from support.amounts import examples


@settings(derandomize=True, deadline=None, max_examples=examples(200))
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
