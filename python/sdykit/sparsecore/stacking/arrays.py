"""Tables and activations in the layout of a stack, and back.

`stack_tables` and `unstack_tables` are exact inverses of each other, as are `stack_activations` and
`unstack_activations`.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.specs import System
from sdykit.sparsecore.stacking.stacked import Stack
from sdykit.sparsecore.stacking.stacks import check_system

Array = npt.NDArray[np.generic]


def stack_tables(
    stack: Stack,
    system: System,
    tables: Mapping[str, npt.ArrayLike],
    pad_value: float = 0.0,
    *,
    row_slot: bool = False,
) -> Array:
    """Combine tables, or slot variables of their shapes, into the array that the devices hold.

    Args:
        stack: the stack of the tables.
        system: the devices.
        tables: arrays `[vocabulary_size, embedding_dim]` by the name of the table.
        pad_value: the value of rows and columns that no table has.
        row_slot: whether the arrays are slot variables with one number for each row,
            `[vocabulary_size, 1]`.

    Returns:
        `[N, vocabulary_size / N, embedding_dim]`: partition, row in it, element (one, if
        `row_slot`). Sharded over the devices by its first dimension, each device has the
        partitions of its SparseCores.

    Raises:
        SparseCoreError: a table is missing or unknown, or has another shape or dtype.
    """
    check_system(stack, system)
    arrays = _arrays(f"stack {stack.name!r}", "table", tables, [t.spec.name for t in stack.tables])
    cores = system.num_sparse_cores
    dtype = next(iter(arrays.values())).dtype
    width = 1 if row_slot else stack.embedding_dim
    result = np.full((cores, stack.vocabulary_size // cores, width), pad_value, dtype)
    for table in stack.tables:
        spec, array = table.spec, arrays[table.spec.name]
        own = 1 if row_slot else spec.embedding_dim
        _check(f"table {spec.name!r}", array, (spec.vocabulary_size, own), dtype)
        padded = np.full((table.vocabulary_size, width), pad_value, dtype)
        padded[: spec.vocabulary_size, :own] = array
        parts = padded.reshape(-1, cores, width).swapaxes(0, 1)
        first = table.col_offset // cores
        result[:, first : first + parts.shape[1]] = np.roll(parts, table.col_shift, axis=0)
    return result


def unstack_tables(
    stack: Stack, system: System, stacked: npt.ArrayLike, *, row_slot: bool = False
) -> dict[str, Array]:
    """Return the tables, or slot variables, of a stacked array by name: undo `stack_tables`.

    Raises:
        SparseCoreError: the array has another shape than `stack_tables` returns.
    """
    check_system(stack, system)
    array, cores = np.asarray(stacked), system.num_sparse_cores
    rows = stack.vocabulary_size // cores
    width = 1 if row_slot else stack.embedding_dim
    _check(f"stack {stack.name!r}", array, (cores, rows, width), array.dtype)
    result: dict[str, Array] = {}
    for table in stack.tables:
        spec, first = table.spec, table.col_offset // cores
        parts = array[:, first : first + table.vocabulary_size // cores]
        whole = np.roll(parts, -table.col_shift, axis=0).swapaxes(0, 1)
        own = 1 if row_slot else spec.embedding_dim
        whole = whole.reshape(table.vocabulary_size, width)
        result[spec.name] = whole[: spec.vocabulary_size, :own].copy()
    return result


def stack_activations(
    stack: Stack, system: System, features: Mapping[str, npt.ArrayLike], pad_value: float = 0.0
) -> Array:
    """Combine the activations (or their gradients) of features, `[batch, width]`, into one batch.

    Returns:
        `[batch_size, embedding_dim]` of the stack: SparseCore after SparseCore, in each the
        features' slices one after another.

    Raises:
        SparseCoreError: a feature is missing or unknown, or has another shape or dtype.
    """
    check_system(stack, system)
    names = [feature.spec.name for feature in stack.features]
    arrays = _arrays(f"stack {stack.name!r}", "feature", features, names)
    cores = system.num_sparse_cores
    dtype = next(iter(arrays.values())).dtype
    result = np.full((cores, stack.batch_size // cores, stack.embedding_dim), pad_value, dtype)
    for feature in stack.features:
        spec, array = feature.spec, arrays[feature.spec.name]
        width = spec.table.embedding_dim
        _check(f"feature {spec.name!r}", array, (spec.batch_size, width), dtype)
        first, rows = feature.row_offset // cores, spec.batch_size // cores
        result[:, first : first + rows, :width] = array.reshape(cores, rows, width)
    return result.reshape(stack.batch_size, stack.embedding_dim)


def unstack_activations(stack: Stack, system: System, stacked: npt.ArrayLike) -> dict[str, Array]:
    """Return the activations of each feature of a stacked batch: undo `stack_activations`.

    Raises:
        SparseCoreError: the array has another shape than `stack_activations` returns.
    """
    check_system(stack, system)
    array, cores = np.asarray(stacked), system.num_sparse_cores
    shape = (stack.batch_size, stack.embedding_dim)
    _check(f"stack {stack.name!r}", array, shape, array.dtype)
    array = array.reshape(cores, -1, stack.embedding_dim)
    result: dict[str, Array] = {}
    for feature in stack.features:
        spec, first = feature.spec, feature.row_offset // cores
        rows, width = spec.batch_size // cores, spec.table.embedding_dim
        slices = array[:, first : first + rows, :width]
        result[spec.name] = slices.reshape(spec.batch_size, width).copy()
    return result


def _arrays(
    where: str, kind: str, given: Mapping[str, npt.ArrayLike], names: list[str]
) -> dict[str, Array]:
    if set(given) != set(names):
        raise SparseCoreError(
            f"{where}: {kind}s are {', '.join(sorted(given)) or 'none'}; "
            f"expected {', '.join(sorted(names))}"
        )
    return {name: np.asarray(given[name]) for name in names}


def _check(where: str, array: Array, shape: tuple[int, ...], dtype: np.dtype) -> None:
    if array.shape != shape or array.dtype != dtype:
        raise SparseCoreError(
            f"{where}: array is {array.dtype}{list(array.shape)}; expected {dtype}{list(shape)}"
        )
