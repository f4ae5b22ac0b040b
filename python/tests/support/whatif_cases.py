"""Models with random ids, for tests of whatif."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sdykit.sparsecore.inputs import FeatureInput, Ragged
from sdykit.sparsecore.optimizers import Adagrad
from sdykit.sparsecore.specs import FeatureSpec, TableSpec
from sdykit.sparsecore.whatif import Model, model_of


def draw(
    random: np.random.Generator, skew: float, vocabulary: int, count: int
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return ids of Zipf's law with an exponent; 0: uniform ones."""
    if not skew:
        return random.integers(0, vocabulary, count)
    return np.minimum(random.zipf(skew, count), 2**60) * 7919 % vocabulary


def make_features(
    batch: int, vocabularies: tuple[int, ...] = (50, 3000, 20000)
) -> list[FeatureSpec]:
    """Return features with a table each, of equal width."""
    tables = [
        TableSpec(f"table{number}", size, 16, Adagrad(0.1))
        for number, size in enumerate(vocabularies)
    ]
    return [FeatureSpec(f"feature{number}", each, batch) for number, each in enumerate(tables)]


def make_batch(
    features: list[FeatureSpec], seed: int = 0, max_ids: int = 4
) -> Mapping[str, FeatureInput]:
    """Return ids of each feature, 0 to `max_ids` in a sample; of the first one, always 1."""
    random, found = np.random.default_rng(seed), dict[str, FeatureInput]()
    for number, each in enumerate(features):
        lengths = random.integers(0, max_ids + 1, each.batch_size) if number else 1
        lengths = np.broadcast_to(lengths, each.batch_size)
        ids = draw(random, 1.2 if number % 2 else 0, each.table.vocabulary_size, lengths.sum())
        found[each.name] = Ragged(ids, np.concatenate([[0], np.cumsum(lengths)]))
    return found


def make_model(batch: int = 256, steps: int = 1) -> Model:
    """Return a model with some recorded batches."""
    features = make_features(batch)
    return model_of(features, [make_batch(features, seed) for seed in range(steps)])
