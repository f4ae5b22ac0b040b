"""Limits of the library's tables, from the file that `xla_sparse_core_max_ids_file` names.

Tables get their limits when the library stacks them or prepares feature specs. The limits in the specs determine
the size of the buffers of preprocessing, and are compiled into lookups and updates.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import jax

from sdykit.bridge.jax_tpu_embedding.warn import warn_once
from sdykit.bridge.settings import current
from sdykit.sparsecore.config import SparsecoreConfig
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.limits.setup import with_limits
from sdykit.sparsecore.preprocess.table_limits import check_table_names
from sdykit.sparsecore.specs import System, TableSpec
from sdykit.sparsecore.stacking import Stack, StackedTable

_ESTIMATE = (
    "xla_sparse_core_estimate_max_ids is true, but has no effect on jax-tpu-embedding, which makes "
    "its tables before it reads data; set xla_sparse_core_max_ids_file to a file of limits, which "
    "can be computed from a run's statistics"
)
_OF_TABLES = (
    "max_ids_per_table and max_unique_ids_per_table bound the limits of partitions, but are not "
    "checked otherwise on jax-tpu-embedding, which counts the ids of stacks and partitions only"
)


def take_limits(module: Any) -> None:
    """Make the preparation of feature specs use the limits that flags ask for."""
    function = module.prepare_feature_specs_for_training
    if hasattr(function, "__wrapped__"):
        return

    @functools.wraps(function)
    def prepare_feature_specs_for_training(*arguments: Any, **options: Any) -> None:
        function(*arguments, **options)
        if current().config.xla_sparse_core_estimate_max_ids:
            warn_once("estimated limits", _ESTIMATE)
        given = inspect.signature(function).bind(*arguments, **options).arguments
        _set_limits(given["feature_specs"], given)

    module.prepare_feature_specs_for_training = prepare_feature_specs_for_training


def take_limits_of_stacks(module: Any) -> None:
    """Make the stacking of the last tables use the limits that flags ask for, too.

    A program all of whose tables are stacked need not prepare its feature specs.
    """
    function = module.stack_tables
    if hasattr(function, "__wrapped__"):
        return

    @functools.wraps(function)
    def stack_tables(*arguments: Any, **options: Any) -> None:
        function(*arguments, **options)
        given = inspect.signature(function).bind(*arguments, **options).arguments
        features = jax.tree.leaves(given["features"])
        if all(each.table_spec.is_stacked() for each in features):
            _set_limits(features, given)

    module.stack_tables = stack_tables


def _set_limits(features: Any, given: Mapping[str, Any]) -> None:
    """Set the limits of the stacks of features, in place.

    Args:
        features: the features, all stacked.
        given: the arguments of a function of the library that has prepared them.

    Raises:
        SparseCoreError: the file is not a file of limits, or is for other tables or another system.
    """
    config = dataclasses.replace(current().config, xla_sparse_core_estimate_max_ids=False)
    of_tables = config.max_ids_per_table or config.max_unique_ids_per_table
    if of_tables:
        warn_once("limits of tables", _OF_TABLES)
    if not of_tables and not config.xla_sparse_core_max_ids_file:
        return
    cores = given.get("num_sc_per_device") or current().sparse_cores
    system, specs = System(int(given["global_device_count"]), int(cores)), jax.tree.leaves(features)
    _, stacks = with_limits(config, _stacks(specs, system), system)
    _warn_of_unknown_tables(stacks, config)
    by_name = {stack.name: stack for stack in stacks}
    for table in {id(each.table_spec): each.table_spec for each in specs}.values():
        stacked = table.stacked_table_spec
        found = by_name[stacked.stack_name]
        table.stacked_table_spec = dataclasses.replace(
            stacked,
            max_ids_per_partition=found.max_ids_per_partition,
            max_unique_ids_per_partition=found.max_unique_ids_per_partition,
            suggested_coo_buffer_size_per_device=found.buffer_size_per_device,
        )


def _warn_of_unknown_tables(stacks: Sequence[Stack], config: SparsecoreConfig) -> None:
    """Warn of limits of tables that these features do not have: other features may have them."""
    try:
        check_table_names(stacks, config)
    except SparseCoreError as error:
        warn_once("limits of unknown tables", str(error))


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
