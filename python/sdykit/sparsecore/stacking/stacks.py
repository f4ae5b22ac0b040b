"""Stacks: tables one after another in one table, features one after another in one batch.

Every SparseCore holds one partition of every table: id `j` of a table is in partition
`(j + col_shift) % N`, at local row `j // N + col_offset // N`, where `N` is the number of
SparseCores of the system.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from sdykit.sparsecore.errors import SparseCoreError, shown
from sdykit.sparsecore.specs import (
    INT32_MAX,
    MAX_IDS,
    FeatureSpec,
    System,
    TableSpec,
    check_count,
)
from sdykit.sparsecore.stacking.stacked import Stack, StackedFeature, StackedTable

ROW_ALIGNMENT = 8
"""The numbers of rows in a partition and, by default, of floats in a row (32 bytes) are multiples
of it."""

_NAME_LENGTH = 50
_HASH_LENGTH = 12


def stack(
    features: Sequence[FeatureSpec],
    system: System,
    disable_table_stacking: bool = False,
    rotation: int | None = None,
    row_alignment: int = ROW_ALIGNMENT,
) -> tuple[Stack, ...]:
    """Put the features of a table, and the tables that can share a program, into stacks.

    Tables share a stack if their padded width, optimizer, combiner, dtype and quantization are
    equal; if the optimizer may reduce over a row, their own width must be equal too. Tables and
    features keep the order in which the features name them. A stack of one table has the table's
    limits, a stack of several has `MAX_IDS` for both: `dataclasses.replace` sets others.

    Args:
        features: all features that the program looks up.
        system: the devices.
        disable_table_stacking: whether every table has a stack of its own; features of one table
            still share a stack.
        rotation: the number of partitions by which a table is shifted against the one before it, so
            that the hot ids of different tables are in different partitions; `None`: the
            SparseCores of a device.
        row_alignment: the number of floats that a row is padded to a multiple of; with 1 there is
            no padding.

    Raises:
        SparseCoreError: the alignment is below 1, there are no features, two features or stacks
            have one name, a batch size is not a multiple of the number of SparseCores, or a stack
            has more than 2^31 - 1 rows or samples.
    """
    check_count("stack", "row_alignment", row_alignment)
    _check_features(features, system)
    groups: dict[tuple[int, *tuple[object, ...]], list[TableSpec]] = {}
    for table in dict.fromkeys(feature.table for feature in features):
        key = (
            _padded(table.embedding_dim, row_alignment),
            # An optimizer that reduces over a row must not see columns of padding.
            None if table.optimizer.is_element_wise else table.embedding_dim,
            table.optimizer,
            table.combiner,
            table.dtype,
            table.quantization,
            table.name if disable_table_stacking else None,
        )
        groups.setdefault(key, []).append(table)
    shift = system.sparse_cores_per_device if rotation is None else rotation
    made = tuple(
        _make_stack(tables, features, system, shift, width)
        for (width, *_), tables in groups.items()
    )
    check_stacks(made, system)
    return made


def _check_features(features: Sequence[FeatureSpec], system: System) -> None:
    if not features:
        raise SparseCoreError("stack: there are no features; expected at least one")
    tables: dict[str, TableSpec] = {}
    names: set[str] = set()
    for feature in features:
        if feature.name in names:
            raise SparseCoreError(f"feature {feature.name!r} is there twice; names are unique")
        names.add(feature.name)
        table = tables.setdefault(feature.table.name, feature.table)
        if table != feature.table:
            raise SparseCoreError(
                f"feature {feature.name!r}: table {table.name!r} differs from the one that an "
                f"earlier feature has; found {feature.table}, expected {table}"
            )
        if feature.batch_size % system.num_sparse_cores:
            raise SparseCoreError(
                f"feature {feature.name!r}: batch_size is {feature.batch_size}; "
                f"expected a multiple of the {system.num_sparse_cores} SparseCores"
            )


def _make_stack(
    tables: list[TableSpec],
    features: Sequence[FeatureSpec],
    system: System,
    rotation: int,
    width: int,
) -> Stack:
    cores = system.num_sparse_cores
    name = stack_name([table.name for table in tables])
    stacked: dict[str, StackedTable] = {}
    rows = 0
    for number, table in enumerate(tables):
        size = _padded(table.vocabulary_size, ROW_ALIGNMENT * cores)
        stacked[table.name] = StackedTable(table, size, rows, number * rotation % cores)
        rows += size
    samples = 0
    placed: list[StackedFeature] = []
    for feature in features:
        place = stacked.get(feature.table.name)
        if place is not None:
            placed.append(StackedFeature(feature, samples, place.col_offset, place.col_shift))
            samples += feature.batch_size
    for kind, number in (("rows", rows), ("samples", samples)):
        if number > INT32_MAX:
            raise SparseCoreError(
                f"stack {name!r} has {number} {kind}; expected at most {INT32_MAX}"
            )
    alone = len(tables) == 1
    return Stack(
        name=name,
        tables=tuple(stacked.values()),
        features=tuple(placed),
        vocabulary_size=rows,
        embedding_dim=width,
        batch_size=samples,
        num_sparse_cores=cores,
        max_ids_per_partition=tables[0].max_ids_per_partition if alone else MAX_IDS,
        max_unique_ids_per_partition=tables[0].max_unique_ids_per_partition if alone else MAX_IDS,
        buffer_size_per_device=tables[0].buffer_size_per_device if alone else None,
    )


def check_system(stack: Stack, system: System) -> None:
    """Check that a stack is made for as many SparseCores as a system has.

    Raises:
        SparseCoreError: it is made for another number of them.
    """
    if stack.num_sparse_cores != system.num_sparse_cores:
        raise SparseCoreError(
            f"stack {stack.name!r} is made for {stack.num_sparse_cores} SparseCores; "
            f"the system has {system.num_sparse_cores}"
        )


def check_stacks(stacks: Sequence[Stack], system: System) -> None:
    """Check that stacks are made for a system and have unique names, as their features have.

    Raises:
        SparseCoreError: an argument has a wrong type, a stack is made for another number of
            SparseCores, two stacks have one name, or two have a feature of the same name.
    """
    if not isinstance(system, System):
        raise SparseCoreError(f"system: it is {shown(system)}; expected a System")
    if not isinstance(stacks, Sequence):
        raise SparseCoreError(f"stacks: they are {shown(stacks)}; expected a sequence of Stack")
    for number, each in enumerate(stacks):
        if not isinstance(each, Stack):
            raise SparseCoreError(f"stacks[{number}] is {shown(each)}; expected a Stack")
    owners: dict[str, str] = {}
    for each in stacks:
        check_system(each, system)
        for feature in each.features:
            owner = owners.setdefault(feature.spec.name, each.name)
            if owner != each.name:
                raise SparseCoreError(
                    f"feature {feature.spec.name!r} is in the stacks {owner!r} and "
                    f"{each.name!r}; expected it in one"
                )
    names = [each.name for each in stacks]
    if len(set(names)) < len(names):
        name = next(each for each in names if names.count(each) > 1)
        tables = [
            ", ".join(t.spec.name for t in each.tables) for each in stacks if each.name == name
        ]
        raise SparseCoreError(
            f"stack {name!r} is there twice, of the tables {tables[0]} and of {tables[1]}; "
            "names are unique: rename a table"
        )


def stack_name(tables: Sequence[str]) -> str:
    """Return the name of a stack: the joined names of its tables; a long one is cut and hashed.

    The rule is that of jax-tpu-embedding, so that its checkpoints and limits find their stacks.
    """
    name = "_".join(tables)
    if len(name) <= _NAME_LENGTH:
        return name
    return f"{name[:_NAME_LENGTH]}...{hashlib.sha256(name.encode()).hexdigest()[:_HASH_LENGTH]}"


def _padded(number: int, multiple: int) -> int:
    return -(-number // multiple) * multiple
