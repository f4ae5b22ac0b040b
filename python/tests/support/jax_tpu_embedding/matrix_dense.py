"""A training of the matrix, compared with the dense model."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from support.jax_tpu_embedding import matrix_model as model
from support.jax_tpu_embedding.matrix_features import Batch, Training, Tree

Tables = dict[str, tuple[np.ndarray, ...]]
"""`[vocabulary, dim]`: the table and its slots, by the table's name."""


def check_dense(training: Training, found: list[Tree], start: Tables, last: Tables) -> None:
    """Compare the activations of each step, and what the tables are at the end."""
    tables = start
    for step, batch in enumerate(training.batches):
        _check_activations(training, batch, found[step], tables, f"step {step}")
        tables = _after_step(training, step, tables)
    for name, arrays in last.items():
        for number, (one, other) in enumerate(zip(arrays, tables[name], strict=True)):
            _close(f"table {name}, variable {number}", one, other)
        assert any(np.any(a != b) for a, b in zip(arrays, start[name], strict=True)), name


def _check_activations(
    training: Training, batch: Batch, found: Tree, tables: Tables, where: str
) -> None:
    specs = jax.tree.leaves(training.features)
    for spec, activations in zip(specs, jax.tree.leaves(found), strict=True):
        used = tables[spec.table_spec.name][0]
        config = spec.table_spec.stacked_table_spec.quantization_config
        if config is not None:
            used = model.quantized(used, *config.as_tuple())
        matrix = batch.samples[spec.name].matrix(len(used), training.case.combiner)
        _close(f"{where}, activations of {spec.name}", activations, matrix @ used)


def _after_step(training: Training, step: int, tables: Tables) -> Tables:
    """Return each table after the features' gradients went through the optimizer and the bounds."""
    case, batch = training.case, training.batches[step]
    sums: dict[str, Any] = dict.fromkeys(tables, 0.0)
    named: dict[str, Any] = dict.fromkeys(tables, False)
    leaves = zip(
        jax.tree.leaves(training.features), jax.tree.leaves(training.gradients[step]), strict=True
    )
    for spec, gradient in leaves:
        name, samples = spec.table_spec.name, batch.samples[spec.name]
        matrix = samples.matrix(spec.table_spec.vocabulary_size, case.combiner)
        sums[name] += matrix.T @ gradient
        named[name] |= samples.touched(spec.table_spec.vocabulary_size)
    values = training.optimizer.hyperparameters(step)
    low, high = (np.nan if bound is None else bound for bound in case.limits)
    after = {}
    for name, arrays in tables.items():
        table, *slots = model.updated(case.optimizer, arrays, sums[name], named[name], values)
        clipped = np.fmin(np.fmax(table, low), high)
        after[name] = (np.where(named[name][:, None], clipped, table), *slots)
    return after


def _close(what: str, found: np.ndarray, expected: np.ndarray) -> None:
    np.testing.assert_allclose(found, expected, rtol=2e-5, atol=2e-5, err_msg=what)
