"""Hyperparameters and slots, compared with jax-tpu-embedding's optimizers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sdykit.sparsecore.optimizers import (
    F2A,
    FTRL,
    SGD,
    Adagrad,
    AdagradMomentum,
    Adam,
    LaProp,
    Optimizer,
)

library = pytest.importorskip(
    "jax_tpu_embedding.sparsecore.lib.nn.embedding_spec",
    reason="jax-tpu-embedding is not installed",
)

F32 = np.float32

LIBRARY: list[tuple[Optimizer, Any]] = [
    (SGD(0.1), library.SGDOptimizerSpec(0.1)),
    (Adagrad(0.1), library.AdagradOptimizerSpec(0.1)),
    (AdagradMomentum(0.1), library.AdagradMomentumOptimizerSpec(0.1)),
    (
        AdagradMomentum(0.1, 0.8, 0.9, 1e-5, 3.0, True),
        library.AdagradMomentumOptimizerSpec(0.1, 0.8, 0.9, 1e-5, 3.0, True),
    ),
    (Adam(0.1), library.AdamOptimizerSpec(0.1)),
    (Adam(0.1, 0.8, 0.9, 1e-5), library.AdamOptimizerSpec(0.1, 0.8, 0.9, 1e-5)),
    (FTRL(0.1), library.FTRLOptimizerSpec(0.1)),
    (FTRL(0.1, -0.7, 1, 2, 3), library.FTRLOptimizerSpec(0.1, -0.7, 1, 2, 3)),
    (LaProp(0.1), library.LaPropOptimizerSpec(0.1)),
    (LaProp(0.1, 0.8, 0.9, 1e-5), library.LaPropOptimizerSpec(0.1, 0.8, 0.9, 1e-5)),
    (F2A(0.1), library.F2AOptimizerSpec(0.1)),
    (
        F2A(0.1, 0.3, 0.1, 0.0, 1.0, 2.0, 5.0),
        library.F2AOptimizerSpec(0.1, 0.3, 0.1, 0.0, 1.0, 2.0, 5.0),
    ),
]


@pytest.mark.parametrize(("ours", "theirs"), LIBRARY, ids=str)
@pytest.mark.parametrize("step", [None, 0, 1, 10, 100_000])
def test_hyperparameters_equal_those_of_the_library(ours: Optimizer, theirs: Any, step: int | None):
    found = list(ours.hyperparameters(step).values())
    expected = [np.asarray(each) for each in theirs.get_hyperparameters(step)]
    assert [each.dtype for each in found] == [each.dtype for each in expected]
    # `1 - beta^t` cancels: an ulp of the library's power is up to 2^-24 / (1 - 0.999) of it.
    np.testing.assert_allclose(found, expected, rtol=1e-4)


@pytest.mark.parametrize(("ours", "theirs"), LIBRARY, ids=str)
def test_slots_equal_those_of_the_library(ours: Optimizer, theirs: Any):
    initializers = theirs.slot_variables_initializers()
    values = [np.asarray(make(None, (1,), F32)).item() for make in initializers]
    assert [F32(value) for value in ours.slots.values()] == values
    if hasattr(initializers, "_fields"):
        assert tuple(ours.slots) == initializers._fields
