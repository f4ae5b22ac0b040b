"""Checks of input in every program: wrong buffers are reported, and harm no memory."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from sdykit.sparsecore.codegen import run
from sdykit.sparsecore.optimizers import SGD, Adagrad
from sdykit.sparsecore.tile.spec import CustomUpdateSpec, LookupSpec, TileSpec, UpdateSpec
from support.tile.guards import GUARD, guarded
from support.tile.tile_cases import (
    COMPILE,
    Arrays,
    Buffers,
    make_buffers,
    message_of,
    same_bits,
)

SAMPLES = 5
ROWS = 16
"""Of a partition: the vocabulary of 60, padded, in 4."""
WRONG = (ROWS, 3 * ROWS, 10**6, 2**31 - 1, -1, -(2**31))
"""Rows that a partition does not have; the first is row 0 of the next partition."""
PACKED: dict[str, Any] = {"dim": 16, "samples_per_core": SAMPLES, "layout": "jax_tpu_embedding"}
CUSTOM = """
func.func public @main(%g: tensor<1x16xf32>, %w: tensor<1x16xf32>) -> tensor<1x16xf32> {
  %0 = stablehlo.add %g, %w : tensor<1x16xf32>
  return %0 : tensor<1x16xf32>
}"""
READERS: Sequence[TileSpec] = (
    LookupSpec(**PACKED),
    LookupSpec(**PACKED, reading="chip"),
    UpdateSpec(**PACKED, optimizer=SGD(0.1)),
    UpdateSpec(**PACKED, optimizer=Adagrad(0.1)),
    CustomUpdateSpec(**PACKED, stablehlo=CUSTOM, scalars=()),
)
"""Programs that read buffers."""


def arrays_for(rng: np.random.Generator, buffers: Buffers, devices: int = 1) -> Arrays:
    """Return what programs take, for one device."""
    table = rng.standard_normal((buffers.rows_per_core * 4, 16)).astype(np.float32)
    gradients = rng.standard_normal((SAMPLES * 4 * devices, 16)).astype(np.float32)
    return {
        **{name: each.copy() for name, each in buffers.arrays.items()},
        "table": table,
        "slot_accumulator": np.ones_like(table),
        "gradients": gradients,
        "learning_rate": np.array(0.1, np.float32),
    }


def run_guarded(spec: TileSpec, given: Arrays) -> tuple[str, Arrays]:
    """Run a program without bounds checks; what is around its arrays must not change.

    Returns:
        The message of its status, and the arrays afterwards.
    """
    tile = COMPILE(spec)
    sizes = {
        "entries": len(given["embedding_ids"]),
        "pointers": len(given["row_pointers"]),
        "rows": len(given["table"]),
    }
    arrays = []
    for argument in tile.source.arguments:
        shape = [sizes[size] if isinstance(size, str) else size for size in argument.shape]
        arrays.append(guarded(given.get(argument.name, np.zeros(shape, argument.dtype))))
    run(tile.code, [inside for _, inside in arrays])
    for memory, _ in arrays:
        assert np.all(memory[:GUARD] == 171)
        assert np.all(memory[-GUARD:] == 171)
    names = [each.name for each in tile.source.arguments]
    found = {name: inside for name, (_, inside) in zip(names, arrays, strict=True)}
    return message_of(tile.code.interface.messages, found["status"]), found


def first_entry(buffers: Buffers, partition: int = 2, core: int = 1) -> int:
    """Return the position of an entry of a partition, with buffers of one device."""
    pointers = buffers.arrays["row_pointers"].reshape(4, 8)[core]
    start = -(-pointers[partition - 1] // 8) * 8
    assert start < pointers[partition]
    return core * (len(buffers.arrays["gains"]) // 4) + start


def name_of(spec: object) -> str:
    name = spec.optimizer.name if isinstance(spec, UpdateSpec) else ""
    return f"{spec.kind}{name}" if isinstance(spec, TileSpec) else str(spec)


@pytest.mark.parametrize("spec", READERS, ids=name_of)
@pytest.mark.parametrize("row", WRONG)
def test_a_row_outside_of_its_partition_is_reported(spec: TileSpec, row: int) -> None:
    rng = np.random.default_rng(3)
    buffers = make_buffers(rng, "v5p", layout="jax_tpu_embedding")
    given = arrays_for(rng, buffers)
    at = first_entry(buffers)
    given["embedding_ids"][at] = row
    found_message, found = run_guarded(spec, given)
    assert found_message == (
        f"embedding_ids: device 0, SparseCore 1, position {at}: row {row} of partition 2, which "
        f"has 16 rows: id {4 * row + 2} of the table, or of the stack that it is in, is not in its "
        "vocabulary; expected ids in [0, vocabulary), preprocessed for this table and the devices "
        "that it is split over; with xla_sparse_core_enable_id_bound_check=true preprocessing "
        "names feature and sample"
    )
    assert same_bits(found["table"], given["table"])
    if "slot_accumulator" in found:
        assert same_bits(found["slot_accumulator"], given["slot_accumulator"])


@pytest.mark.parametrize("spec", READERS, ids=name_of)
@pytest.mark.parametrize("sample", [SAMPLES, SAMPLES + 1, 10**6, 2**31 - 1, -1, -(2**31)])
def test_a_sample_outside_of_its_sparse_core_is_reported(spec: TileSpec, sample: int) -> None:
    rng = np.random.default_rng(4)
    buffers = make_buffers(rng, "v5p", layout="jax_tpu_embedding")
    given = arrays_for(rng, buffers)
    at = first_entry(buffers)
    given["sample_ids"][at] = sample
    found_message, found = run_guarded(spec, given)
    assert found_message == (
        f"sample_ids: device 0, SparseCore 1, position {at}: sample {sample} of a SparseCore that "
        "has 5; expected batches of the size that the feature specs say: 20 samples for a device"
    )
    assert same_bits(found["table"], given["table"])


@pytest.mark.parametrize("spec", READERS, ids=name_of)
@pytest.mark.parametrize("pointer", [-1, -(2**31), 2**31 - 1, 10**6])
def test_a_row_pointer_outside_of_the_buffers_is_reported(spec: TileSpec, pointer: int) -> None:
    rng = np.random.default_rng(5)
    buffers = make_buffers(rng, "v5p", layout="jax_tpu_embedding")
    given = arrays_for(rng, buffers)
    pointers = given["row_pointers"].reshape(4, 8)
    start = -(-pointers[3, 1] // 8) * 8
    pointers[3, 2] = pointer
    found_message, found = run_guarded(spec, given)
    room = len(given["gains"]) // 4
    assert found_message == (
        "row_pointers: device 0, SparseCore 3, minibatch 0: the entries of partition 2 end at "
        f"{pointer}; expected {start} to {room}, where they begin and the buffer ends; preprocess "
        "and look up with the same enable_minibatching, batch size and number of devices"
    )
    assert same_bits(found["table"], given["table"])


@pytest.mark.parametrize("spec", READERS, ids=name_of)
def test_buffers_without_minibatches_read_with_minibatches_are_reported(spec: TileSpec) -> None:
    rng = np.random.default_rng(6)
    buffers = make_buffers(rng, "v5p", layout="jax_tpu_embedding")
    given = {**arrays_for(rng, buffers), "num_minibatches": np.array([1], np.int32)}
    found_message, found = run_guarded(dataclasses.replace(spec, minibatches=True), given)
    assert found_message.startswith(
        "row_pointers: device 0, SparseCore 1, minibatch 0: the entries of "
    )
    assert "enable_minibatching" in found_message
    assert same_bits(found["table"], given["table"])


@pytest.mark.parametrize("spec", READERS, ids=name_of)
@pytest.mark.parametrize("seed", range(4))
def test_random_buffers_are_reported_and_harm_no_memory(spec: TileSpec, seed: int) -> None:
    """Whatever is in the buffers, no other memory changes, and the table does not either."""
    rng = np.random.default_rng(seed)
    buffers = make_buffers(rng, "v5p", layout="jax_tpu_embedding")
    given = arrays_for(rng, buffers)
    high = (2**31, 400, 40, 20)[seed]
    for name in ("row_pointers", "embedding_ids", "sample_ids"):
        given[name] = rng.integers(-high, high, given[name].shape).astype(np.int32)
    found_message, found = run_guarded(spec, given)
    assert found_message != "ok"
    assert same_bits(found["table"], given["table"])


@pytest.mark.parametrize("spec", READERS, ids=name_of)
@pytest.mark.parametrize("device", [0, 1])
def test_all_devices_report_a_row_that_is_wrong_for_one(spec: TileSpec, device: int) -> None:
    """Row 16 is for partition 6, of device 1: device 0 reports it, too."""
    rng = np.random.default_rng(7)
    buffers = make_buffers(
        rng, "v5p", layout="jax_tpu_embedding", num_devices=2, vocabulary=128, max_ids=30
    )
    given = arrays_for(rng, buffers, 2) | {"device": np.array(device, np.int32)}
    given["gradients"] = np.ones((SAMPLES * 8, 16), np.float32)
    pointers = given["row_pointers"].reshape(8, 8)
    at = -(-pointers[2, 5] // 8) * 8
    assert at < pointers[2, 6]
    position = 2 * (len(given["gains"]) // 8) + at
    given["embedding_ids"][position] = ROWS
    found_message, found = run_guarded(dataclasses.replace(spec, num_devices=2), given)
    assert found_message.startswith(
        f"embedding_ids: device 0, SparseCore 2, position {position}: row 16 of partition 6, which "
        "has 16 rows: id 134 of the table"
    )
    assert same_bits(found["table"], given["table"])


@pytest.mark.parametrize("row", [4 * ROWS, 10**6, -1])
@pytest.mark.parametrize("dim", [1, 16, 200])
def test_an_index_with_a_row_outside_of_the_table_is_reported(dim: int, row: int) -> None:
    rng = np.random.default_rng(8)
    buffers = make_buffers(rng, "v5p")
    given = arrays_for(rng, buffers)
    given["table"] = np.ones((4 * ROWS, dim), np.float32)
    at = buffers.arrays["splits"][2, 3]
    assert at < buffers.arrays["splits"][2, 4]
    given["sample_rows"][at] = row
    found_message, _ = run_guarded(LookupSpec(dim=dim, samples_per_core=SAMPLES), given)
    assert found_message == (
        f"sample_rows: position {at}: row {row} of a table of 64 rows; expected ids that were "
        "preprocessed for this table"
    )


@pytest.mark.parametrize("split", [-1, -(2**31), 2**31 - 1])
def test_an_index_beyond_the_entries_is_reported(split: int) -> None:
    rng = np.random.default_rng(9)
    buffers = make_buffers(rng, "v5p")
    given = arrays_for(rng, buffers)
    given["splits"][1, 2] = split
    found_message, _ = run_guarded(LookupSpec(dim=16, samples_per_core=SAMPLES), given)
    entries = len(given["gains"])
    assert found_message.startswith("splits: SparseCore 1: samples ")
    assert found_message.endswith(
        f" of {entries}; expected a range of them, as preprocessing computes it"
    )
    assert f" {split} " in found_message
