"""jax-tpu-embedding's C++ preprocessor, and the comparison of this package's with it."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np
import numpy.typing as npt
import pytest

from sdykit.sparsecore.inputs import Ragged
from sdykit.sparsecore.preprocess.results import Preprocessed, StackStatistics
from sdykit.sparsecore.specs import System
from sdykit.sparsecore.stacking import Stack

native = pytest.importorskip(
    "jax_tpu_embedding.sparsecore.lib.core.pybind_input_preprocessing",
    reason="jax-tpu-embedding is not installed",
)

from jax_tpu_embedding.sparsecore.lib.nn import embedding_spec  # noqa: E402


@dataclasses.dataclass(frozen=True, eq=False)
class Expected:
    """The results of the library: buffers and statistics by stack."""

    row_pointers: Mapping[str, npt.NDArray[np.int32]]
    embedding_ids: Mapping[str, npt.NDArray[np.int32]]
    sample_ids: Mapping[str, npt.NDArray[np.int32]]
    gains: Mapping[str, npt.NDArray[np.float32]]
    num_minibatches: int
    statistics: Any


def library_specs(stacks: Sequence[Stack]) -> list[Any]:
    """Return the library's feature specs for stacks."""
    result: list[Any] = []
    for stack in stacks:
        whole = embedding_spec.StackedTableSpec(
            stack_name=stack.name,
            stack_vocab_size=stack.vocabulary_size,
            stack_embedding_dim=stack.embedding_dim,
            optimizer=embedding_spec.SGDOptimizerSpec(),
            combiner=stack.combiner,
            total_sample_count=stack.batch_size,
            max_ids_per_partition=stack.max_ids_per_partition,
            max_unique_ids_per_partition=stack.max_unique_ids_per_partition,
            suggested_coo_buffer_size_per_device=stack.buffer_size_per_device,
        )
        for feature in stack.features:
            table = feature.spec.table
            spec = embedding_spec.TableSpec(
                name=table.name,
                vocabulary_size=table.vocabulary_size,
                embedding_dim=table.embedding_dim,
                initializer=jax.nn.initializers.zeros,
                optimizer=whole.optimizer,
                combiner=table.combiner,
            )
            spec.stacked_table_spec = whole
            spec.setting_in_stack = embedding_spec.TableSettingInStack(
                stack_name=stack.name,
                padded_vocab_size=stack.vocabulary_size,
                padded_embedding_dim=stack.embedding_dim,
            )
            made = embedding_spec.FeatureSpec(
                name=feature.spec.name,
                table_spec=spec,
                input_shape=(feature.spec.batch_size, 1),
                output_shape=(feature.spec.batch_size, table.embedding_dim),
            )
            made.id_transformation = embedding_spec.FeatureIdTransformation(
                row_offset=feature.row_offset,
                col_offset=feature.col_offset,
                col_shift=feature.col_shift,
            )
            result.append(made)
    return result


def run_oracle(
    features: Mapping[str, Any],
    stacks: Sequence[Stack],
    system: System,
    weights: Mapping[str, Any] | None = None,
    **options: Any,
) -> Expected:
    """Run the library. It aborts the process if limits are exceeded and dropping is off."""
    specs = library_specs(stacks)
    ids = [_for_library(features[spec.name], None) for spec in specs]
    given = None
    if weights is not None:
        given = [_for_library(features[spec.name], weights[spec.name]) for spec in specs]
    # Without the plugin's wrapper, which is there if another test has started JAX.
    run = inspect.unwrap(native.preprocess_sparse_dense_matmul_input)
    found = run(
        ids,
        given,
        specs,
        system.num_devices,
        system.num_devices,
        num_sc_per_device=system.sparse_cores_per_device,
        **options,
    )
    return Expected(*found)


def _for_library(feature: Any, weights: npt.NDArray[np.float32] | None) -> npt.NDArray[Any]:
    values = feature.values if isinstance(feature, Ragged) else feature
    values = np.asarray(values if weights is None else weights)
    if not isinstance(feature, Ragged):
        return values
    if weights is None:
        values = values.astype(np.int32)  # The library reads int64 in such rows as int32.
    splits = np.asarray(feature.row_splits)
    rows = np.empty(len(splits) - 1, object)
    for row in range(len(rows)):
        rows[row] = values[splits[row] : splits[row + 1]]
    return rows


def assert_same(ours: Preprocessed, expected: Expected, stacks: Sequence[Stack], system: System):
    """Compare live row pointers, the entries between them with their pads, and statistics."""
    assert ours.num_minibatches == expected.num_minibatches
    for stack in stacks:
        statistics = ours.statistics[stack.name]
        _assert_same_statistics(statistics, expected.statistics, stack.name, system)
        found = ours.buffers[stack.name]
        pointers = expected.row_pointers[stack.name].reshape(system.num_devices, -1)
        assert found.row_pointers.shape == pointers.shape
        width = max(system.num_sparse_cores, 8)
        absolute = pointers.shape[1] > system.sparse_cores_per_device * width
        live = system.sparse_cores_per_device * ours.num_minibatches * width
        np.testing.assert_array_equal(found.row_pointers[:, :live], pointers[:, :live])
        for name in ("embedding_ids", "sample_ids", "gains"):
            theirs = getattr(expected, name)[stack.name].reshape(system.num_devices, -1)
            mine = getattr(found, name)
            assert mine.shape == theirs.shape
            for device in range(system.num_devices):
                ends = -(-pointers[device, :live].reshape(-1, width)[:, -1] // 8) * 8
                spans = live_spans(ends, theirs.shape[1], system, absolute)
                for begin, end in spans:
                    np.testing.assert_array_equal(
                        mine[device, begin:end].view(np.int32),
                        theirs[device, begin:end].view(np.int32),
                        f"{stack.name}, device {device}: {name}[{begin}:{end}]",
                    )


def live_spans(
    ends: npt.NDArray[np.int32], entries: int, system: System, absolute: bool
) -> list[tuple[int, int]]:
    """Return the parts of a device's buffers that have entries, from the ends of the segments."""
    if absolute:
        return [(0, int(ends[-1]))]
    room = entries // system.sparse_cores_per_device
    return [(core * room, core * room + int(end)) for core, end in enumerate(ends)]


def _assert_same_statistics(
    found: StackStatistics, expected: Any, name: str, system: System
) -> None:
    """Compare statistics; the library has the maximum over each device's SparseCores."""
    shape = (system.num_devices, system.sparse_cores_per_device, -1)
    ids = found.ids.reshape(shape).max(axis=1).reshape(-1)
    unique_ids = found.unique_ids.reshape(shape).max(axis=1).reshape(-1)
    np.testing.assert_array_equal(ids, expected.max_ids_per_partition[name])
    np.testing.assert_array_equal(unique_ids, expected.max_unique_ids_per_partition[name])
    np.testing.assert_array_equal(found.required_buffer_size, expected.required_buffer_sizes[name])
    assert found.dropped == expected.dropped_id_count[name]
