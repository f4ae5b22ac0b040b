"""Any number of minibatches, forced, has the results of one."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import jax
import numpy as np
import pytest

import sdykit.sparsecore as sc
from sdykit.sparsecore.config import SparsecoreConfig
from sdykit.sparsecore.inputs import Ragged
from sdykit.sparsecore.optimizers import Adam
from sdykit.sparsecore.preprocess import Layout, Minibatching, preprocess
from sdykit.sparsecore.specs import System
from sdykit.sparsecore.stacking import stack

SYSTEM = System(1, 4)
VOCABULARY, BATCH, DIM = 300, 64, 8
TABLE = sc.TableSpec("t", VOCABULARY, DIM, max_ids_per_partition=1000)
ADAM = Adam(0.1)
CONFIG = SparsecoreConfig(max_ids_per_chip_per_sample=1000)


def forced(number: int) -> Callable[[int], int]:
    """Agree that minibatches are needed, then on their number: each bit adds one."""
    answers = iter([1, (1 << number - 1) - 1])
    return lambda bits: bits | next(answers)


def batch() -> tuple[Ragged, np.ndarray]:
    """Return samples of 0 to 39 ids with duplicates; products of gains and small integers are exact."""
    rng = np.random.default_rng(5)
    splits = np.concatenate([[0], np.cumsum(rng.integers(0, 40, BATCH))])
    ids = rng.integers(0, VOCABULARY, splits[-1]) // rng.integers(1, 9, splits[-1])
    return Ragged(ids, splits), rng.choice(np.array([0.5, 1, 2], np.float32), splits[-1])


@cache
def results(number: int | None, minibatching: Minibatching, layout: Layout) -> list[np.ndarray]:
    """Return activations, table and slots, with a number of minibatches; None: without any.

    All sums are exact, so that their order does not matter.
    """
    stacks = stack([sc.FeatureSpec("f", TABLE, BATCH)], SYSTEM)
    ids, gains = batch()
    made = preprocess(
        {"f": ids},
        stacks,
        SYSTEM,
        weights={"f": gains},
        config=CONFIG,
        layout=layout,
        minibatching="off" if number is None else minibatching,
        agree=None if number is None else forced(number),
    )
    assert made.num_minibatches == (number or 1)
    count = None if number is None else made.num_minibatches
    buffers = sc.DeviceBuffers.from_stack(
        made.buffers["t"], stacks[0], SYSTEM, num_minibatches=count
    )
    rng = np.random.default_rng(6)
    shape = (stacks[0].vocabulary_size, DIM)
    table = rng.integers(-8, 9, shape).astype(np.float32)
    slots = {name: rng.uniform(0.1, 2, shape).astype(np.float32) for name in ADAM.slots}
    gradients = rng.integers(-8, 9, (BATCH, DIM)).astype(np.float32)
    activations = sc.lookup(table, buffers)
    updated = sc.grad_update(table, slots, buffers, None, gradients, optimizer=ADAM, step=3)
    touched = np.any(np.asarray(updated[0]) != table, axis=1)
    assert 0 < touched.sum() < VOCABULARY
    return [np.asarray(each) for each in jax.tree.leaves((activations, updated))]


@pytest.mark.parametrize("number", [2, 7, 64])
@pytest.mark.parametrize("minibatching", ["vocabulary", "sample"])
@pytest.mark.parametrize("layout", ["sdykit", "jax_tpu_embedding"])
def test_the_number_of_minibatches_changes_no_bit(
    number: int, minibatching: Minibatching, layout: Layout
) -> None:
    expected = results(None, "off", layout)
    for found, array in zip(results(number, minibatching, layout), expected, strict=True):
        assert np.array_equal(found.view(np.int32), array.view(np.int32))
