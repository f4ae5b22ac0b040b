"""The limits of buffers reach the programs of updates."""

from __future__ import annotations

import dataclasses
import re

import jax
import numpy as np
import pytest

from sdykit.bridge.embedding import grad_update
from sdykit.sparsecore.optimizers import SGD, Custom
from support.embedding.embedding_cases import buffers_case

CUSTOM = Custom(0.1, update=lambda gradient, table, rate: (table - rate * gradient,))


@pytest.mark.parametrize("optimizer", [SGD(0.1), CUSTOM], ids=["sgd", "custom"])
def test_updates_have_the_limits_of_their_buffers(optimizer: SGD | Custom) -> None:
    case = buffers_case(1, limit=40)
    buffers = dataclasses.replace(case.ids, max_unique_ids_per_partition=30)
    gradients = np.ones((case.samples, case.flat.shape[1]), np.float32)

    def step(table: jax.Array) -> jax.Array:
        return grad_update(table, {}, buffers, None, gradients, optimizer=optimizer)[0]

    text = jax.jit(step).lower(case.flat).as_text()
    found = dict(re.findall(r"(max_\w*ids_per_partition)\\22:(\d+)", text))
    assert found == {"max_ids_per_partition": "40", "max_unique_ids_per_partition": "30"}
    expected = case.update({}, gradients, SGD(0.1), 0)["table"]
    assert np.array_equal(jax.jit(step)(case.flat), expected)
