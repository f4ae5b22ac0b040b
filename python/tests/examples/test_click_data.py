"""The synthetic clicks of the click model."""

from __future__ import annotations

import numpy as np
import pytest

from examples.click_model.data import LARGEST, NUMERIC, SMALLEST, ClickData, vocabularies
from examples.click_model.metrics import auc

DATA = ClickData(vocabularies(26), seed=3)
SAMPLES = 20_000


def test_batches_have_their_shapes_and_ids_are_in_their_vocabularies() -> None:
    clicks = DATA.batch("training", 0, SAMPLES)
    assert clicks.numeric.shape == (SAMPLES, NUMERIC)
    assert clicks.ids.shape == (SAMPLES, 26)
    assert (clicks.numeric.dtype, clicks.ids.dtype) == (np.float32, np.int32)
    assert clicks.ids.min() == 0
    assert (clicks.ids < np.array(DATA.vocabularies)).all()
    assert set(np.unique(clicks.labels)) == {0.0, 1.0}


def test_equal_seeds_produce_equal_batches_in_any_order() -> None:
    again = ClickData(vocabularies(26), seed=3)
    again.batch("held out", 7, 10)
    for number in (5, 0):
        one, two = (data.batch("training", number, 100) for data in (DATA, again))
        for field in ("numeric", "ids", "labels", "log_odds"):
            assert np.array_equal(getattr(one, field), getattr(two, field))


@pytest.mark.parametrize(
    ("seed", "split", "number"), [(4, "training", 0), (3, "held out", 0), (3, "training", 1)]
)
def test_other_seeds_splits_and_numbers_produce_other_batches(
    seed: int, split: str, number: int
) -> None:
    one = DATA.batch("training", 0, 100)
    other = ClickData(DATA.vocabularies, seed).batch(split, number, 100)
    assert not np.array_equal(one.numeric, other.numeric)
    assert not np.array_equal(one.ids, other.ids)


def test_splits_share_the_signal() -> None:
    """What an id means is the same for clicks that are held out, and another with another seed."""
    data = ClickData((4,), seed=0)

    def effects(data: ClickData, split: str) -> np.ndarray:
        clicks = data.batch(split, 0, 50_000)
        return np.array([clicks.log_odds[clicks.ids[:, 0] == row].mean() for row in range(4)])

    training = effects(data, "training")
    assert np.ptp(training) > 0.3
    assert np.allclose(training, effects(data, "held out"), atol=0.1)
    assert not np.allclose(training, effects(ClickData((4,), seed=1), "training"), atol=0.1)


def test_labels_are_drawn_with_the_planted_odds() -> None:
    clicks = DATA.batch("training", 0, 100_000)
    planted = 1 / (1 + np.exp(-clicks.log_odds))
    for low in (0.1, 0.3, 0.5, 0.7):
        inside = (planted > low) & (planted < low + 0.1)
        assert clicks.labels[inside].mean() == pytest.approx(planted[inside].mean(), abs=0.02)


def test_few_ids_are_frequent() -> None:
    clicks = DATA.batch("training", 0, SAMPLES)
    counts = np.sort(np.bincount(clicks.ids[:, -1], minlength=DATA.vocabularies[-1]))[::-1]
    assert counts[0] > 0.04 * SAMPLES
    assert counts[:100].sum() > 0.4 * SAMPLES
    # Of 60,000 rows most are met seldom or never.
    assert (counts[1000:] <= 10).all()
    # The second is met about half as often, the fourth a quarter: Zipf's law.
    assert counts[1] / counts[0] == pytest.approx(0.55, abs=0.15)
    assert counts[3] / counts[0] == pytest.approx(0.3, abs=0.15)


def test_every_row_can_be_met() -> None:
    for rows in (1, 2, 3, 10, 64, 97):
        ids = ClickData((rows,)).batch("training", 0, SAMPLES).ids
        assert set(ids[:, 0]) == set(range(rows))


def test_ids_tell_more_than_numbers() -> None:
    """What a linear model of all numeric features, squares and products knows is less."""
    train, test = (DATA.batch(split, 0, SAMPLES) for split in ("training", "held out"))

    def terms(numeric: np.ndarray) -> np.ndarray:
        products = numeric[:, :, None] * numeric[:, None, :]
        rows, columns = np.triu_indices(NUMERIC)
        ones = np.ones((len(numeric), 1), np.float32)
        return np.concatenate([ones, numeric, products[:, rows, columns]], axis=1)

    fitted, *_ = np.linalg.lstsq(terms(train.numeric), train.labels, rcond=None)
    dense = auc(terms(test.numeric) @ fitted, test.labels)
    assert 0.6 < dense < 0.7
    assert auc(test.log_odds, test.labels) > dense + 0.1


def test_pairs_of_ids_tell_more_than_their_sum() -> None:
    """In some pair of tables the effect of one id depends on the other."""
    data = ClickData((3, 3), seed=0)
    clicks = data.batch("training", 0, 200_000)
    means = np.zeros((3, 3))
    for first in range(3):
        for second in range(3):
            here = (clicks.ids[:, 0] == first) & (clicks.ids[:, 1] == second)
            means[first, second] = clicks.log_odds[here].mean()
    additive = means.mean(0)[None] + means.mean(1)[:, None] - means.mean()
    assert np.abs(means - additive).max() > 0.2


def test_vocabularies_differ() -> None:
    sizes = vocabularies(26)
    assert (sizes[0], sizes[-1]) == (SMALLEST, LARGEST)
    assert len(set(sizes)) == 26
    assert list(sizes) == sorted(sizes)
    assert vocabularies(1) == (SMALLEST,)
