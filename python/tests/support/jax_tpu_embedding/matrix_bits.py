"""The reference's results for the library's buffers: the bits that the chip must produce."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import jax
import numpy as np
from jax_tpu_embedding.sparsecore.lib.nn import embedding
from jax_tpu_embedding.sparsecore.lib.nn import embedding_spec as specs

from sdykit.sparsecore import reference
from sdykit.sparsecore.quantization import Quantization
from sdykit.sparsecore.specs import System
from support.jax_tpu_embedding.matrix_axes import Case
from support.jax_tpu_embedding.matrix_features import Training, Tree

Stacks = dict[str, np.ndarray]


def stacked(case: Case, features: Tree, leaves: Tree) -> Stacks:
    """Stack gradients of features, `[samples, dim]`, as the chip takes them."""
    found: dict[str, list[tuple[int, np.ndarray]]] = {}
    for spec, leaf in zip(jax.tree.leaves(features), jax.tree.leaves(leaves), strict=True):
        stack = spec.table_spec.stacked_table_spec
        wider = ((0, 0), (0, 0), (0, stack.stack_embedding_dim - leaf.shape[1]))
        of_cores = np.pad(leaf.reshape(case.devices * case.cores, -1, leaf.shape[1]), wider)
        found.setdefault(stack.stack_name, []).append((spec.id_transformation.row_offset, of_cores))
    return {name: _joined(sorted(parts, key=lambda one: one[0])) for name, parts in found.items()}


def _joined(parts: list[tuple[int, np.ndarray]]) -> np.ndarray:
    """Put each SparseCore's rows of all features together."""
    of_cores = np.concatenate([part for _, part in parts], axis=1)
    return of_cores.reshape(-1, of_cores.shape[2])


def unstacked(case: Case, features: Tree, stacks: Mapping[str, np.ndarray]) -> Tree:
    """Return the activations of each feature."""
    cores = case.devices * case.cores

    def of(spec: specs.FeatureSpec) -> np.ndarray:
        stack = stacks[spec.table_spec.stacked_table_spec.stack_name]
        start = spec.id_transformation.row_offset // cores
        samples, dim = spec.output_shape[0] // cores, spec.output_shape[1]
        of_cores = stack.reshape(cores, -1, stack.shape[-1])
        return of_cores[:, start : start + samples, :dim].reshape(-1, dim)

    return jax.tree.map(of, features)


def expected_bits(
    training: Training, variables: dict[str, tuple[np.ndarray, ...]]
) -> tuple[list[Stacks], dict[str, tuple[np.ndarray, ...]]]:
    """Return the stacked activations of each step, and tables and slots after the last one."""
    case, features = training.case, training.features
    inputs = [batch.inputs for batch in training.batches]
    gradients = [stacked(case, features, gradient) for gradient in training.gradients]
    low, high = case.limits
    rule = dataclasses.replace(training.optimizer.reference, min_value=low, max_value=high)
    system = System(case.devices, case.cores)
    activations: list[Stacks] = [{} for _ in inputs]
    after = {}
    for name, stack in embedding.get_stacked_table_specs(features).items():
        table, *slots = (
            array.reshape(case.devices, -1, array.shape[-1]) for array in variables[name]
        )
        held = dict(zip(rule.slots, slots, strict=True))
        for step, batch in enumerate(inputs):
            entries = _entries(case, batch, stack, system)
            found = reference.lookup(table, entries, _quantization(stack))
            activations[step][name] = found.reshape(-1, found.shape[-1])
            table, held = reference.update(
                table,
                held,
                entries,
                gradients[step][name].reshape(found.shape),
                optimizer=rule,
                hyperparameters=training.optimizer.hyperparameters(step),
            )
        after[name] = tuple(
            array.reshape(variables[name][0].shape) for array in (table, *held.values())
        )
    return activations, after


def _entries(
    case: Case, batch: embedding.PreprocessedInput, stack: specs.StackedTableSpec, system: System
) -> reference.Entries:
    """Read the library's buffers of a stack."""
    fields: tuple[Any, ...] = batch.sparse_dense_matmul_input
    count = None if case.minibatches == "off" else int(batch.num_minibatches.flat[0])
    return reference.entries_from_packed(
        *(np.asarray(field[stack.stack_name]).reshape(case.devices, -1) for field in fields),
        samples_per_core=stack.total_sample_count // system.num_sparse_cores,
        system=system,
        num_minibatches=count,
    )


def _quantization(stack: specs.StackedTableSpec) -> Quantization | None:
    config = stack.quantization_config
    return None if config is None else Quantization(*config.as_tuple())
