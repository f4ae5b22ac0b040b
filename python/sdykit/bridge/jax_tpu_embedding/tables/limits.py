"""Limits of the library's tables, from the file that `xla_sparse_core_max_ids_file` names.

Tables get their limits when the library prepares feature specs. The limits in the specs determine
the size of the buffers of preprocessing, and are compiled into lookups and updates.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import jax

from sdykit.bridge.embedding.settings import current
from sdykit.bridge.jax_tpu_embedding.warn import warn_once
from sdykit.sparsecore.limits.setup import with_limits
from sdykit.sparsecore.specs import System, TableSpec
from sdykit.sparsecore.stacking import Stack, StackedTable

_ESTIMATE = (
    "xla_sparse_core_estimate_max_ids is true, but has no effect on jax-tpu-embedding, which makes "
    "its tables before it reads data; set xla_sparse_core_max_ids_file to a file of limits, which "
    "can be computed from a run's statistics"
)


def take_limits(module: Any) -> None:
    """Make the preparation of feature specs use the limits of the file that a flag names."""
    function = module.prepare_feature_specs_for_training
    if hasattr(function, "__wrapped__"):
        return

    @functools.wraps(function)
    def prepare_feature_specs_for_training(*arguments: Any, **options: Any) -> None:
        function(*arguments, **options)
        config = current().config
        if config.xla_sparse_core_estimate_max_ids:
            warn_once("estimated limits", _ESTIMATE)
        if config.xla_sparse_core_max_ids_file:
            given = inspect.signature(function).bind(*arguments, **options).arguments
            cores = given.get("num_sc_per_device") or current().sparse_cores
            system = System(int(given["global_device_count"]), cores)
            _replace_limits(jax.tree.leaves(given["feature_specs"]), system)

    module.prepare_feature_specs_for_training = prepare_feature_specs_for_training


def _replace_limits(features: Sequence[Any], system: System) -> None:
    """Replace the limits of the stacks of features, in place.

    Raises:
        SparseCoreError: the file is not a file of limits, or is for other tables or another system.
    """
    config = dataclasses.replace(current().config, xla_sparse_core_estimate_max_ids=False)
    _, stacks = with_limits(config, _stacks(features, system), system)
    by_name = {stack.name: stack for stack in stacks}
    for table in {id(each.table_spec): each.table_spec for each in features}.values():
        stacked = table.stacked_table_spec
        found = by_name[stacked.stack_name]
        table.stacked_table_spec = dataclasses.replace(
            stacked,
            max_ids_per_partition=found.max_ids_per_partition,
            max_unique_ids_per_partition=found.max_unique_ids_per_partition,
            suggested_coo_buffer_size_per_device=found.buffer_size_per_device,
        )


def _stacks(features: Sequence[Any], system: System) -> tuple[Stack, ...]:
    """Return the library's stacks, with what limits depend on."""
    tables: dict[str, dict[str, StackedTable]] = {}
    for feature in features:
        stack = tables.setdefault(feature.table_spec.stacked_table_spec.stack_name, {})
        stack[feature.table_spec.name] = _stacked(feature)
    specs = {each.table_spec.stacked_table_spec.stack_name: each for each in features}
    return tuple(_stack(specs[name].table_spec, tables[name], system) for name in tables)


def _stacked(feature: Any) -> StackedTable:
    spec, place = feature.table_spec, feature.id_transformation
    return StackedTable(
        TableSpec(spec.name, int(spec.vocabulary_size), int(spec.embedding_dim)),
        int(spec.setting_in_stack.padded_vocab_size),
        int(place.col_offset),
        int(place.col_shift),
    )


def _stack(table: Any, tables: Mapping[str, StackedTable], system: System) -> Stack:
    spec = table.stacked_table_spec
    return Stack(
        spec.stack_name,
        tuple(tables.values()),
        (),
        int(spec.stack_vocab_size),
        int(spec.stack_embedding_dim),
        int(spec.total_sample_count),
        system.num_sparse_cores,
        int(spec.max_ids_per_partition),
        int(spec.max_unique_ids_per_partition),
        spec.suggested_coo_buffer_size_per_device,
    )
