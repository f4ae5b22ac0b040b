"""Forward: activations; backward: the gradient of each row, and the update of rows.

The order of the sums is part of the contract, see `docs/sparsecore-reference.md`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.optimizers import Optimizer
from sdykit.sparsecore.quantization import Quantization
from sdykit.sparsecore.reference import checks
from sdykit.sparsecore.reference.entries import Entries, Integers
from sdykit.sparsecore.reference.quantize import from_int8, simulate
from sdykit.sparsecore.reference.updates import update_rows

Floats = npt.NDArray[np.float32]


@dataclasses.dataclass(frozen=True, eq=False)
class GradientSums:
    """The rows that a batch looks up, each once, ordered by device and row."""

    device: Integers
    """The device that holds the row."""
    row: Integers
    """The row of that device's shard."""
    gradient: Floats
    """`[rows, dim]`: the sum of gain times gradient of each row."""


def lookup(
    shards: np.ndarray, entries: Entries, quantization: Quantization | None = None
) -> Floats:
    """Return `activations[s] = sum of gain * table[id]` over the entries of each sample `s`.

    For each sample, each device that holds rows of it adds `gain * row` to +0, one entry
    after another, in the order of the buffers; then the devices' sums are added to +0 in the
    order of devices. Product and sum are rounded separately.

    Args:
        shards: the table, `[devices, rows, dim]` (or `[devices, rows]`, of one column), as
            `shard` returns it: float32, or bfloat16 or integers, which are converted to float32.
        entries: the entries to look up.
        quantization: the quantization of each row before use, or None. A table of int8 has the
            numbers of buckets then, see `to_int8`.

    Returns:
        float32 `[devices, samples of a device, dim]`.

    Raises:
        SparseCoreError: the table has a wrong type or shape, or lacks a row of an entry.
    """
    rows = entries.row(_rows_per_core(shards, entries))
    _check_table_type(shards, quantization)
    shape = (entries.system.num_devices, entries.samples_per_device, *shards.shape[2:])
    partial = np.zeros((entries.system.num_devices, *shape), np.float32)
    owner, device, sample = entries.owner, entries.device, entries.sample
    with np.errstate(all="ignore"):
        for e in range(len(entries)):
            row = _read(shards[owner[e], rows[e]], quantization)
            partial[owner[e], device[e], sample[e]] += entries.gain[e] * row
        activations = np.zeros(shape, np.float32)
        for of_owner in partial:
            activations += of_owner
    return activations


def gradient_sums(entries: Entries, gradients: Floats, rows_per_core: int) -> GradientSums:
    """Return the sum of `gain * gradient` over the entries of each row: the transpose of `lookup`.

    For each row, the samples of each device are added to +0, one after another, ordered by
    minibatch, SparseCore and sample; then the devices' sums are added to +0 in the order of
    devices. Product and sum are rounded separately. Rows of entries whose gain is 0 are included.

    Args:
        entries: the entries that were looked up.
        gradients: the gradients of the activations, float32 `[devices, samples of a device, dim]`.
        rows_per_core: the number of rows in a partition of the table.

    Raises:
        SparseCoreError: the gradients have a wrong type or shape, or the table lacks a row of an
            entry.
    """
    rows = entries.row(rows_per_core)
    checks.check_float32("gradients", gradients)
    devices = entries.system.num_devices
    checks.check_shape(
        "gradients", gradients, (devices, entries.samples_per_device, *gradients.shape[2:])
    )
    rows_per_device = rows_per_core * entries.system.sparse_cores_per_device
    touched, slot = np.unique(entries.owner * rows_per_device + rows, return_inverse=True)
    partial = np.zeros((devices, len(touched), *gradients.shape[2:]), np.float32)
    device, sample = entries.device, entries.sample
    with np.errstate(all="ignore"):
        for e in np.lexsort((sample, entries.minibatch)):
            partial[device[e], slot[e]] += entries.gain[e] * gradients[device[e], sample[e]]
        sums = np.zeros(partial.shape[1:], np.float32)
        for of_device in partial:
            sums += of_device
    return GradientSums(touched // rows_per_device, touched % rows_per_device, sums)


def update(
    shards: Floats,
    slots: Mapping[str, Floats],
    entries: Entries,
    gradients: Floats,
    *,
    optimizer: Optimizer,
    hyperparameters: Mapping[str, npt.ArrayLike],
) -> tuple[Floats, dict[str, Floats]]:
    """Return the table and its slots after a step; the arguments are not changed.

    Each row of an entry is updated once, with its whole gradient; other rows keep their bits.
    Quantization does not matter here: the gradient passes straight through it.

    Args:
        shards: the table, float32 `[devices, rows, dim]` or `[devices, rows]`.
        slots: the optimizer's slots by name, of the same type and shape; those of `row_slots` are
            `[devices, rows, 1]`.
        entries: the entries that were looked up.
        gradients: the gradients of the activations, float32 `[devices, samples of a device, dim]`.
        optimizer: the optimizer, which determines the rule and the limits of the table's values.
        hyperparameters: the scalars of the step, as `optimizer.hyperparameters(step)` returns them.

    Raises:
        SparseCoreError: an argument has a wrong type or shape, a slot or hyperparameter is
            missing or unknown, or the table lacks a row of an entry.
    """
    checks.check_optimizer(optimizer)
    checks.check_float32("shards", shards)
    rows_per_core = _rows_per_core(shards, entries)
    if optimizer.row_slots and shards.ndim == 2:
        raise SparseCoreError(
            f"shards: it is {checks.describe(shards)}; expected [devices, rows, dim], as slots of "
            f"{optimizer.name} have one number for each row"
        )
    slots = checks.checked_slots(optimizer, slots, shards)
    sums = gradient_sums(entries, gradients, rows_per_core)
    if gradients.shape[2:] != shards.shape[2:]:
        raise SparseCoreError(
            f"gradients: their rows have shape {list(gradients.shape[2:])}; "
            f"expected that of the table's rows, {list(shards.shape[2:])}"
        )
    touched = (sums.device, sums.row)
    rows, row_slots = update_rows(
        optimizer,
        sums.gradient,
        shards[touched],
        {name: array[touched] for name, array in slots.items()},
        hyperparameters,
    )
    table = shards.copy()
    table[touched] = rows
    result = {name: array.copy() for name, array in slots.items()}
    for name, array in result.items():
        array[touched] = row_slots[name]
    return table, result


def _rows_per_core(shards: object, entries: Entries) -> int:
    """Return the number of rows in a partition; the table must fit the entries' system."""
    devices = entries.system.num_devices
    cores = entries.system.sparse_cores_per_device
    if not isinstance(shards, np.ndarray) or shards.ndim not in (2, 3):
        raise SparseCoreError(
            f"shards: it is {checks.describe(shards)}; expected [devices, rows, dim] "
            "or [devices, rows]"
        )
    if shards.shape[0] != devices or shards.shape[1] % cores:
        raise SparseCoreError(
            f"shards: its shape is {list(shards.shape)}; expected {devices} devices and a "
            f"multiple of {cores} rows, one part for each SparseCore"
        )
    return shards.shape[1] // cores


def _check_table_type(shards: np.ndarray, quantization: Quantization | None) -> None:
    """Check the type of a table's elements."""
    integers = shards.dtype.kind in "iu" and shards.dtype.itemsize <= 4
    # bfloat16 is not a type of numpy: it comes with the package that made the array.
    if shards.dtype != np.float32 and shards.dtype.name != "bfloat16" and not integers:
        raise SparseCoreError(
            f"shards: it is {checks.describe(shards)}; expected float32, bfloat16 or integers of "
            "up to 32 bits"
        )
    if quantization is not None and integers and shards.dtype != np.int8:
        raise SparseCoreError(
            f"shards: it is {checks.describe(shards)} and quantized; expected float32, bfloat16 "
            "or int8"
        )


def _read(row: np.ndarray, quantization: Quantization | None) -> Floats:
    """Return the float32 values of a row, quantized if the lookup is."""
    if quantization is not None and row.dtype == np.int8:
        return from_int8(row, quantization)
    values = np.asarray(row).astype(np.float32)
    return values if quantization is None else simulate(values, quantization)
