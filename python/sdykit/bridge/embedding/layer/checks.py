"""Checks of the arguments of a layer and of its functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

import numpy as np
from jax.core import Tracer

from sdykit.bridge.embedding.buffers import DeviceBuffers, StackLayout
from sdykit.bridge.embedding.layer.stacks import check_names, describe_stack
from sdykit.bridge.embedding.layer.variables import Variables
from sdykit.bridge.errors import BridgeError
from sdykit.sparsecore.config import SparsecoreConfig
from sdykit.sparsecore.config.warn import warn
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.limits import Limits
from sdykit.sparsecore.memory.layers import check_stack_entries
from sdykit.sparsecore.preprocess import Minibatching
from sdykit.sparsecore.specs import MAX_IDS, FeatureSpec, System
from sdykit.sparsecore.stacking import Stack

Batch = dict[str, DeviceBuffers]
"""Stack -> its buffers: a pytree of arrays split over the devices by their first dimension."""


def check_types(features: object, config: object, limits: object) -> None:
    """Check the types of the arguments of a layer; their values are checked where they are used.

    Raises:
        BridgeError: one is of another type.
    """
    _check("features", features, Sequence)
    _check("config", config, SparsecoreConfig, type(None))
    _check("limits", limits, Limits, type(None))
    for number, feature in enumerate(features if isinstance(features, Sequence) else ()):
        _check(f"features[{number}]", feature, FeatureSpec)


def check_minibatching(minibatching: object) -> None:
    """Check that `minibatching` is one of the choices.

    Raises:
        BridgeError: it is not.
    """
    choices = get_args(Minibatching)
    if minibatching not in choices:
        raise BridgeError(
            f"Embedding: minibatching is {minibatching!r}; expected one of "
            f"{', '.join(map(repr, choices))}"
        )


def check_limits(
    stacks: Sequence[Stack], system: System, chip: str, minibatching: Minibatching
) -> None:
    """Check that a SparseCore can hold as many ids of a partition as the limits of stacks allow.

    It is done before a batch is preprocessed, whose buffers are as large as the limits.

    Raises:
        SparseCoreError: it cannot; the text names the tables, and limits that would fit.
    """
    for each in stacks:
        try:
            check_stack_entries(each, system, chip, has_minibatches=minibatching != "off")
        except SparseCoreError as error:
            raise SparseCoreError(f"Embedding: {describe_stack(each)}: {error}") from None


def warn_of_table_limits(stacks: Sequence[Stack]) -> None:
    """Warn of limits that tables have, where they are in a stack of several, which has its own."""
    for each in stacks:
        tables = [table.spec for table in each.tables]
        for field in ("max_ids_per_partition", "max_unique_ids_per_partition"):
            given = [table for table in tables if getattr(table, field) != MAX_IDS]
            if len(tables) == 1 or not given:
                continue
            warn(
                f"Embedding: table {given[0].name!r}: {field} is {getattr(given[0], field)}, and has no"
                f" effect: the stack of its {len(tables)} tables has {getattr(each, field)}. Expected"
                " limits of the stack, with limits=, xla_sparse_core_max_ids_file or"
                " xla_sparse_core_estimate_max_ids; or disable_table_stacking"
            )


def rates_of(where: str, stacks: Sequence[Stack], learning_rate: Any) -> list[Any]:
    """Return the learning rate of each stack, None for that of its optimizer.

    Raises:
        BridgeError: a table is unknown, or tables of one stack have different rates.
    """
    if not isinstance(learning_rate, Mapping):
        return [learning_rate] * len(stacks)
    names = {each.name: [table.spec.name for table in each.tables] for each in stacks}
    known = [name for tables in names.values() for name in tables]
    unknown = sorted({str(name) for name in learning_rate} - {*known, *names})
    if unknown:
        raise BridgeError(
            f"{where}: learning_rate names {unknown[0]!r}; expected tables among "
            f"{', '.join(map(repr, known))}"
        )
    rates: list[Any] = []
    for stack, (first, *others) in names.items():
        rates.append(learning_rate.get(stack, learning_rate.get(first)))
        for name in () if stack in learning_rate else others:
            if not _is_same(learning_rate.get(name), rates[-1]):
                raise BridgeError(
                    f"{where}: learning_rate differs for {first!r} and {name!r}, tables of one "
                    f"stack; expected a rate for the stack, {stack!r}, or tables that are not "
                    "stacked: with different optimizers, or with disable_table_stacking"
                )
    return rates


def _is_same(rate: Any, other: Any) -> bool:
    """Return whether two rates are the same, as far as that is known when they are traced."""
    if rate is None or other is None or isinstance(rate, Tracer) or isinstance(other, Tracer):
        return rate is other
    return bool(np.array_equal(rate, other))


def _check(name: str, value: object, *kinds: type) -> None:
    if not isinstance(value, kinds):
        expected = " or ".join(each.__name__ for each in kinds).replace("NoneType", "None")
        found = type(value).__name__
        raise BridgeError(f"Embedding: {name} is of type {found}; expected {expected}")


def check_parts(where: str, stacks: Sequence[Stack], variables: Variables, batch: Batch) -> None:
    """Check that each stack has its table and slots, and its buffers.

    Raises:
        BridgeError: variables or batch are not those of the stacks.
    """
    names = [each.name for each in stacks]
    check_names(where, "variables", variables, names)
    check_names(where, "stacks of the batch", batch, names)
    for name in names:
        held, buffers = variables[name], batch[name]
        if not isinstance(held, Mapping) or "table" not in held:
            raise BridgeError(
                f"{where}: variables[{name!r}] has no table; expected table and slots"
            )
        # Raw ids are rows of a table in its natural order, which a stack's is not.
        if not isinstance(buffers, DeviceBuffers):
            raise BridgeError(
                f"{where}: batch[{name!r}] is of type {type(buffers).__name__}; "
                "expected DeviceBuffers, which preprocess returns"
            )
    for each in stacks:
        _check_layout(where, each, batch[each.name])


def _check_layout(where: str, stack: Stack, buffers: DeviceBuffers) -> None:
    """Check that buffers were made for a stack; ids of another layer would be other rows.

    Raises:
        BridgeError: they were made for another stack.
    """
    if buffers.made_for is None:
        return
    difference = buffers.made_for.difference(StackLayout.of(stack))
    if difference is not None:
        raise BridgeError(
            f"{where}: batch[{stack.name!r}] was preprocessed for other features: {difference}. "
            "Preprocess it with this layer, or look it up with the layer that preprocessed it"
        )
