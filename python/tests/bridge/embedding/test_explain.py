"""Errors of lookups in JAX, and the arguments of `configure`, are explained as they are."""

from __future__ import annotations

import inspect
from typing import get_args

import jax
import numpy as np
import pytest

import sdykit.sparsecore as sc
from sdykit.bridge.errors import BridgeError
from sdykit.cli._configure_arguments import configure_arguments
from sdykit.sparsecore.explain import errors_in
from sdykit.sparsecore.tile.spec import Reading


def names_in(error: BaseException) -> list[str]:
    return [each.name for each in errors_in(str(error))]


def test_a_batch_of_another_layer() -> None:
    table = sc.TableSpec("users", 100, 8)
    own, other = (sc.Embedding([sc.FeatureSpec("user", table, size)]) for size in (16, 32))
    variables = own.init(jax.random.key(0), jax.nn.initializers.normal(0.1))
    batch = other.preprocess({"user": np.zeros((32, 1), np.int32)})
    with pytest.raises(BridgeError) as raised:
        own.lookup(variables, batch)
    assert names_in(raised.value) == ["batch-of-another-layer"]


def test_a_raw_id_out_of_the_vocabulary() -> None:
    with pytest.raises((jax.errors.JaxRuntimeError, ValueError)) as raised:
        sc.lookup(np.ones((7, 3), np.float32), np.full((4, 1), 7)).block_until_ready()
    assert names_in(raised.value) == ["raw-id-out-of-vocabulary"]


def test_the_arguments_of_configure_are_explained() -> None:
    found = configure_arguments()
    parameters = inspect.signature(sc.configure).parameters
    assert list(found) == [name for name in parameters if name != "settings"]
    for name, each in found.items():
        assert each.default == repr(parameters[name].default)
        assert each.effect[0] == each.effect[0].upper()
        assert each.effect.endswith(".")
    assert found["execute"].values == " or ".join(get_args(Reading))
