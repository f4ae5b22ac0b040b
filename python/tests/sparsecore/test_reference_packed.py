"""Packed buffers: those of the C++ preprocessor, one made by hand, and malformed ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.reference import (
    Entries,
    entries_from_packed,
    gradient_sums,
    lookup,
    shard,
    unshard,
)
from sdykit.sparsecore.specs import Combiner, System
from support.sparsecore.reference_cases import SYSTEMS, Batch, library_buffers, random_batch

F32 = np.float32
I32 = np.int32


def as_set(entries: Entries) -> dict[tuple[int, ...], np.float32]:
    """Return the gains by the place of the sample and that of the row, whatever the minibatch."""
    columns = (entries.device, entries.sample, entries.partition, entries.local_id)
    keys = [tuple(key) for key in np.stack(columns, 1).tolist()]
    assert len(set(keys)) == len(keys)
    return dict(zip(keys, entries.gain, strict=True))


def floats(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal(shape).astype(F32)


def gradients_of(batch: Batch, dim: int) -> np.ndarray:
    devices = batch.system.num_devices
    return floats(devices, batch.batch_size // devices, dim)


@pytest.mark.parametrize("combiner", ["sum", "mean", "sqrtn"])
@pytest.mark.parametrize("system", SYSTEMS, ids=str)
def test_entries_of_the_librarys_buffers_are_those_of_the_list(system: System, combiner: Combiner):
    for seed in range(4):
        batch = random_batch(np.random.default_rng(seed), system, combiner=combiner)
        entries = library_buffers(batch).entries(batch)
        # Same entries, same gains to the bit: means, roots, and sums of duplicates.
        assert as_set(entries) == as_set(batch.entries())
        table = shard(floats(batch.vocabulary, 3), system)
        activations = lookup(table, entries)
        assert np.array_equal(activations, lookup(table, batch.entries()))
        dense = batch.one_hot() @ unshard(table, system)
        np.testing.assert_allclose(activations.reshape(-1, 3), dense, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("system", SYSTEMS, ids=str)
def test_minibatches_change_only_the_rounding_of_activations(system: System):
    splits = set()
    for seed in range(4):
        batch = random_batch(
            np.random.default_rng(seed), system, samples_per_core=8, rows_per_core=32
        )
        packed = library_buffers(
            batch,
            limit=max(4, 34 // system.num_sparse_cores),
            minibatching=True,
            dropping=True,
        )
        assert packed.dropped == 0
        splits.add(packed.num_minibatches)
        entries = packed.entries(batch)
        assert as_set(entries) == as_set(batch.entries())
        table = shard(floats(batch.vocabulary, 3), system)
        np.testing.assert_allclose(
            lookup(table, entries), lookup(table, batch.entries()), rtol=1e-4, atol=1e-5
        )
        # A row is in one minibatch, so that its gradient has the same bits.
        gradients = gradients_of(batch, 3)
        sums = gradient_sums(entries, gradients, 32)
        whole = gradient_sums(batch.entries(), gradients, 32)
        assert np.array_equal(sums.row, whole.row)
        assert np.array_equal(sums.gradient, whole.gradient)
    assert max(splits) > 1


def test_dropped_ids_have_no_entries():
    system = System(2, 2)
    batch = random_batch(np.random.default_rng(1), system, max_ids=20)
    packed = library_buffers(batch, limit=6, dropping=True)
    entries = packed.entries(batch)
    left, all_entries = as_set(entries), as_set(batch.entries())
    assert 0 < len(left) == len(all_entries) - packed.dropped + duplicates_dropped(batch, left)
    assert left.items() <= all_entries.items()
    matrix = np.zeros((batch.batch_size, batch.vocabulary))
    matrix[entries.device * entries.samples_per_device + entries.sample, entries.id] = entries.gain
    table = floats(batch.vocabulary, 3)
    activations = lookup(shard(table, system), entries).reshape(-1, 3)
    np.testing.assert_allclose(activations, matrix @ table, rtol=1e-4, atol=1e-5)


def duplicates_dropped(batch: Batch, left: dict[tuple[int, ...], np.float32]) -> int:
    """Return the number of duplicates of dropped entries, which the library counts as dropped."""
    system, per_device = batch.system, batch.batch_size // batch.system.num_devices
    rows, cols = batch.row_ids, batch.col_ids
    keys = zip(
        rows // per_device,
        rows % per_device,
        cols % system.num_sparse_cores,
        cols // system.num_sparse_cores,
        strict=True,
    )
    dropped = [key for key in keys if key not in left]
    return len(dropped) - len(set(dropped))


def hand_made(minibatches: bool) -> dict[str, Any]:
    """Return the buffers of a device of 2 SparseCores with 2 samples each, padded with garbage.

    SparseCore 0: row 1 of partition 0 for sample 0; SparseCore 1: rows 0 and 2 of partition 1
    for samples 1 and 0, in minibatch 0 or 0 and 1.
    """
    junk = -7
    ids, samples = np.full(32, junk, I32), np.full(32, junk, I32)
    gains = np.full(32, np.nan, F32)

    def put(position: int, row: int, sample: int, gain: float) -> None:
        ids[position], samples[position], gains[position] = row, sample, gain

    put(0, 1, 0, 0.5)
    if minibatches:
        # Segments: (0, 0), (0, 1), (1, 0), (1, 1), pointers from the buffer's start.
        put(8, 0, 1, 2)
        put(16, 2, 0, 3)
        ends = [[1, 8, *[8] * 6], [8, 8, *[8] * 6], [8, 9, *[16] * 6], [16, 17, *[24] * 6]]
    else:
        put(16, 0, 1, 2)
        put(17, 2, 0, 3)
        ends = [[1, 8, *[8] * 6], [0, 2, *[8] * 6]]
    return {
        "row_pointers": np.array(ends, I32).ravel(),
        "embedding_ids": ids,
        "sample_ids": samples,
        "gains": gains,
        "samples_per_core": 2,
        "system": System(1, 2),
        "num_minibatches": 2 if minibatches else None,
    }


@pytest.mark.parametrize("minibatches", [False, True])
@pytest.mark.parametrize("per_device", [False, True])
def test_padding_is_not_read(minibatches: bool, per_device: bool):
    buffers = hand_made(minibatches)
    if per_device:
        for name in ("row_pointers", "embedding_ids", "sample_ids", "gains"):
            buffers[name] = buffers[name][None]
    entries = entries_from_packed(**buffers)
    assert entries.sample.tolist() == [0, 3, 2]
    assert entries.id.tolist() == [2, 1, 5]
    assert entries.gain.tolist() == [0.5, 2, 3]
    assert entries.minibatch.tolist() == ([0, 0, 1] if minibatches else [0, 0, 0])


def broken(**changes: Any) -> dict[str, Any]:
    return {**hand_made(False), **changes}


def with_value(name: str, index: int, value: int) -> dict[str, Any]:
    buffers = hand_made(False)
    buffers[name][index] = value
    return buffers


ERRORS: list[tuple[dict[str, Any], str]] = [
    (
        with_value("row_pointers", 9, 17),
        "row_pointers[9] (device 0, SparseCore 1, minibatch 0, partition 1): the entries from 0 "
        "to 17; expected an end from 0 to 16",
    ),
    (
        with_value("row_pointers", 0, -1),
        "row_pointers[0] (device 0, SparseCore 0, minibatch 0, partition 0): the entries from 0 "
        "to -1; expected an end from 0 to 16",
    ),
    (
        with_value("row_pointers", 1, 7),
        "row_pointers[1] (device 0, SparseCore 0, minibatch 0, partition 1): the entries from 8 "
        "to 7; expected an end from 8 to 16",
    ),
    (
        with_value("sample_ids", 17, 2),
        "embedding_ids[17] (device 0, SparseCore 1, minibatch 0, partition 1): row 2 for sample "
        "2; expected a row >= 0 and a sample from 0 to 1",
    ),
    (
        with_value("embedding_ids", 0, -1),
        "embedding_ids[0] (device 0, SparseCore 0, minibatch 0, partition 0): row -1 for sample "
        "0; expected a row >= 0 and a sample from 0 to 1",
    ),
    (
        broken(row_pointers=np.zeros(8, I32)),
        "row_pointers: 8 for each device; expected at least 16, 8 for each of 2 SparseCores and 1 "
        "minibatches",
    ),
    (
        broken(row_pointers=np.zeros(16, np.int64)),
        "row_pointers: it is int64[16]; expected int32[n] or int32[devices, n]",
    ),
    (
        broken(gains=np.zeros(32)),
        "gains: it is float64[32]; expected float32[n] or float32[devices, n]",
    ),
    (
        broken(gains=np.zeros(16, F32)),
        "gains: its shape is [1, 16]; expected [1, 32]",
    ),
    (
        broken(sample_ids=np.zeros((2, 16), I32)),
        "sample_ids: its shape is [2, 16]; expected equal parts of 1 devices",
    ),
    (broken(samples_per_core=0), "samples_per_core: 0 samples; expected 1 or more"),
    (broken(num_minibatches=0), "num_minibatches: 0 minibatches; expected 1 or more, or None"),
    (broken(system=(1, 2)), "system: it is tuple; expected a System"),
]


@pytest.mark.parametrize(("buffers", "message"), ERRORS, ids=[text[:50] for _, text in ERRORS])
def test_malformed_buffers_are_an_error(buffers: dict[str, Any], message: str):
    with pytest.raises(SparseCoreError) as error:
        entries_from_packed(**buffers)
    assert str(error.value) == message
