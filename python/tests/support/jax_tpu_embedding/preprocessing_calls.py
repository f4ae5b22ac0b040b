"""Calls of the library's preprocessing, with the checks of the plugin, and what they counted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import pytest
from jax_tpu_embedding.sparsecore.lib.core import (
    pybind_input_preprocessing as library,  # pyright: ignore[reportAttributeAccessIssue]
)
from jax_tpu_embedding.sparsecore.lib.nn import embedding, embedding_spec
from jax_tpu_embedding.sparsecore.utils import utils

from sdykit.bridge.jax_tpu_embedding import preprocessing, warn
from sdykit.sparsecore import System
from sdykit.sparsecore.limits.statistics import StackTotals

CORES, SAMPLES, VALENCY, VOCABULARY = 4, 64, 4, 64
ONE = System(1, CORES)
PlainFunctions = dict[str, Callable[..., Any]]
"""The library's own functions, by name."""


def check_anew(monkeypatch: pytest.MonkeyPatch) -> PlainFunctions:
    """Add the checks for one test, whatever ran before it; return the functions without them."""
    monkeypatch.setattr(utils, "NUM_SC_PER_DEVICE_MAP", {"TPU v5p": CORES})
    monkeypatch.setattr(warn, "_warned", set())
    found = {name: getattr(library, name) for name in preprocessing._FIRST_ARGUMENTS}
    found = {name: getattr(each, "__wrapped__", each) for name, each in found.items()}
    for name, each in found.items():
        monkeypatch.setattr(library, name, each)
    preprocessing.register(library)
    return found


def make_feature(*, devices: int = 1, buffer: int | None = None, **limits: int) -> Any:
    spec: Any = embedding_spec.TableSpec  # With types that do not fit a dictionary.
    table = spec(
        vocabulary_size=VOCABULARY,
        embedding_dim=8,
        initializer=jax.nn.initializers.zeros,
        optimizer=embedding_spec.SGDOptimizerSpec(0.1),
        combiner="sum",
        name="table",
        suggested_coo_buffer_size_per_device=buffer,
        **limits,
    )
    feature = embedding_spec.FeatureSpec(
        name="feature",
        table_spec=table,
        input_shape=(SAMPLES, VALENCY),
        output_shape=(SAMPLES, 8),
    )
    embedding.prepare_feature_specs_for_training([feature], devices, CORES)
    return feature


def make_ids(seed: int = 0) -> np.ndarray:
    """Return ids of which some are frequent."""
    ids = np.random.default_rng(seed).zipf(1.2, (SAMPLES, VALENCY)) % VOCABULARY
    return ids.astype(np.int32)


def preprocess(ids: Any, feature: Any, *, devices: int = 1, **options: Any) -> Any:
    return embedding.preprocess_sparse_dense_matmul_input(
        [ids], None, [feature], devices, devices, num_sc_per_device=CORES, **options
    )


def totals(system: System = ONE) -> StackTotals:
    """Return the counts of the table so far."""
    found = preprocessing.statistics()
    if system not in found:
        nothing = np.zeros((1, 1), np.int64)
        return StackTotals(nothing, nothing, nothing, 0)
    return found[system].stacks["table"]


def entries_read(
    buffers: Any, devices: int, device: int, minibatches: int
) -> list[tuple[bytes, ...]]:
    """Return what a lookup reads on a device; the rest of the buffers is uninitialised."""
    pointers, *arrays = [each["table"].reshape(devices, -1)[device] for each in buffers]
    width = max(CORES * devices, 8)
    found, end = [], 0
    for segment in range(CORES * minibatches):
        # Positions are relative to the device with minibatches, to the SparseCore without.
        base = segment * (arrays[0].size // CORES) if pointers.size == CORES * width else 0
        end = 0 if base else end
        for last in pointers[segment * width :][: CORES * devices]:
            start = base + -(-end // 8) * 8
            end = int(last)
            found.append(tuple(each[start : base + end].tobytes() for each in arrays))
    return found
