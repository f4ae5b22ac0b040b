"""A table over the SparseCores of a system: row `j` is on SparseCore `j % N`."""

from __future__ import annotations

import numpy as np

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.reference import checks
from sdykit.sparsecore.specs import System


def shard(table: np.ndarray, system: System) -> np.ndarray:
    """Split a table `[vocabulary, dim]` over devices: `(v c s) -> c (s v)`.

    Row `j` is on device `j % N // S`, in the part of SparseCore `j % N % S`, at row `j // N` there,
    for `S` SparseCores on a device and `N` in all.

    Returns:
        `[devices, vocabulary / devices, dim]`, or without `dim` if the table is `[vocabulary]`.

    Raises:
        SparseCoreError: the vocabulary is not a multiple of `N`; it has to be padded first.
    """
    checks.check_system(system)
    _check_rank("table", table, (1, 2), "[vocabulary, dim] or [vocabulary]")
    devices, cores = system.num_devices, system.sparse_cores_per_device
    if table.shape[0] % system.num_sparse_cores:
        raise SparseCoreError(
            f"table: its vocabulary is {table.shape[0]}; expected a multiple of "
            f"{system.num_sparse_cores} SparseCores"
        )
    parts = table.reshape(-1, devices, cores, *table.shape[1:])
    return np.moveaxis(parts, 0, 2).reshape(devices, -1, *table.shape[1:])


def unshard(shards: np.ndarray, system: System) -> np.ndarray:
    """Return the table of shards: the inverse of `shard`.

    Raises:
        SparseCoreError: the shape does not fit the system.
    """
    checks.check_system(system)
    _check_rank("shards", shards, (2, 3), "[devices, rows, dim] or [devices, rows]")
    devices, cores = system.num_devices, system.sparse_cores_per_device
    if shards.shape[0] != devices or shards.shape[1] % cores:
        raise SparseCoreError(
            f"shards: its shape is {list(shards.shape)}; expected {devices} devices and a "
            f"multiple of {cores} rows, one part for each SparseCore"
        )
    parts = shards.reshape(devices, cores, -1, *shards.shape[2:])
    return np.moveaxis(parts, 2, 0).reshape(-1, *shards.shape[2:])


def _check_rank(name: str, array: object, ranks: tuple[int, ...], expected: str) -> None:
    if not isinstance(array, np.ndarray) or array.ndim not in ranks:
        raise SparseCoreError(f"{name}: it is {checks.describe(array)}; expected {expected}")
