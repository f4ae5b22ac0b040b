"""Updates in the chip reading take one minibatch after another; results are those of the reference."""

from __future__ import annotations

import dataclasses
import json
import re

import numpy as np
import pytest

from sdykit.sparsecore.codegen import run
from sdykit.sparsecore.optimizers import SGD, Adagrad, RowWiseAdagrad
from sdykit.sparsecore.preprocess import Minibatching
from sdykit.sparsecore.tile.compile import compile_tile
from sdykit.sparsecore.tile.counters import make_counters
from sdykit.sparsecore.tile.spec import UpdateSpec
from support.tile.device_cases import check_update as check_on_devices
from support.tile.tile_cases import Buffers, arrays_for, make_buffers, message, run_tile, same_bits
from support.tile.update_cases import check

SPEC = UpdateSpec(
    dim=12,
    samples_per_core=5,
    minibatches=True,
    optimizer=Adagrad(0.1),
    max_ids_per_partition=8,
    max_unique_ids_per_partition=8,
    reading="chip",
)


def batch(seed: int, minibatching: Minibatching = "sample", devices: int = 1) -> Buffers:
    """Return buffers of several minibatches."""
    buffers = make_buffers(
        np.random.default_rng(seed),
        "v5p",
        max_ids=20,
        limit=8,
        minibatching=minibatching,
        dropping=True,
        num_devices=devices,
    )
    assert buffers.arrays["num_minibatches"][0] > 1
    return buffers


@pytest.mark.parametrize("minibatching", ["vocabulary", "sample"])
@pytest.mark.parametrize("dim", [1, 12, 130, 300])
@pytest.mark.parametrize("optimizer", [SGD(0.1), RowWiseAdagrad(0.1)], ids=str)
def test_minibatches_one_after_another_equal_the_reference(
    minibatching: Minibatching, dim: int, optimizer: SGD | RowWiseAdagrad
) -> None:
    spec = dataclasses.replace(SPEC, dim=dim, optimizer=optimizer)
    check(np.random.default_rng(dim), batch(dim, minibatching), spec, 3, 2)


@pytest.mark.parametrize("minibatching", ["vocabulary", "sample"])
def test_parts_of_two_devices_are_kept_apart_over_all_minibatches(
    minibatching: Minibatching,
) -> None:
    spec = dataclasses.replace(SPEC, num_devices=2)
    check_on_devices(np.random.default_rng(3), spec, batch(2, minibatching, 2))


def test_slots_left_by_another_batch_do_not_matter() -> None:
    """The workspaces still hold the slots of the previous batch."""
    buffers = [batch(4), batch(5)]
    given = [arrays_for(np.random.default_rng(6), each, 12) for each in buffers]
    before, expected = (run_tile(SPEC, each)[0] for each in given)
    assert (before["slots_of_rows"] >= 0).any()
    tile = compile_tile(SPEC, cache=None)
    kept = [each.name for each in tile.source.arguments if each.role == "workspace"]
    assert kept == ["pairs", "slots_of_rows", "rows_of_slots", "gradient_parts"]
    arrays = {**{name: before[name] for name in kept}, **given[1], "status": np.zeros(8, np.int64)}
    run(tile.code, [arrays[each.name] for each in tile.source.arguments], threads=2)
    assert same_bits(arrays["table"], expected["table"])


def test_minibatches_are_counted_apart() -> None:
    buffers, rng = batch(8), np.random.default_rng(8)
    spec = dataclasses.replace(SPEC, counters=True)
    found, _ = run_tile(spec, arrays_for(rng, buffers, 12))
    text = compile_tile(spec, cache=None).source.text
    names = json.loads(re.findall(r"sparsecore.counted = (\[.*?\])", text)[0])
    column = names.index("reduce_gradients: bytes read from gradients")
    per_row = found["counters"][:, column]
    assert per_row.sum() == len(buffers.entries) * 48
    assert "minibatch" in re.findall(r"sparsecore.counted_loops = (.*?)sparsecore", text)[0]


@pytest.mark.parametrize("minibatching", ["vocabulary", "sample"])
def test_a_row_is_updated_once_after_the_last_minibatch(minibatching: Minibatching) -> None:
    """Also one with ids in several of them, as with those of samples; only its gradient is summed."""
    buffers, rng = batch(11, minibatching), np.random.default_rng(11)
    spec = dataclasses.replace(SPEC, counters=True)
    found, _ = run_tile(spec, arrays_for(rng, buffers, 12))
    text = compile_tile(spec, cache=None).source.text
    counts = make_counters(spec, text, {0: (1, found["counters"].ravel().tolist())})[0]
    entries = buffers.entries
    by_row = {(p, i): set() for p, i in zip(entries.partition, entries.local_id, strict=True)}
    for each in zip(entries.partition, entries.local_id, entries.minibatch, strict=True):
        by_row[each[:2]].add(int(each[2]))
    assert (max(map(len, by_row.values())) > 1) is (minibatching == "sample")
    of_rows = {
        "gather: bytes read from table": 48,
        "scatter: bytes written to table": 48,
        "apply: bytes read from gradient_sums": 48,
    }
    for name, row_bytes in of_rows.items():
        if name not in counts.totals:
            continue
        assert counts.totals[name] == len(by_row) * row_bytes, name
        assert not counts.by(name, "minibatch").any(), name
    summed = counts.by("reduce_gradients: bytes read from gradients", "minibatch")
    of_entries = np.bincount(entries.minibatch, minlength=64) * 48
    assert np.array_equal(summed, of_entries)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("embedding_ids", 16, "embedding_ids: device 0, SparseCore "),
        ("embedding_ids", -(2**31), "embedding_ids: device 0, SparseCore "),
        ("sample_ids", 5, "sample_ids: device 0, SparseCore "),
        ("row_pointers", -8, "row_pointers: device 0, SparseCore "),
    ],
)
def test_wrong_buffers_are_an_error_and_change_nothing(
    name: str, value: int, expected: str
) -> None:
    buffers = batch(9)
    given = arrays_for(np.random.default_rng(9), buffers, 12)
    live = np.flatnonzero(~np.isnan(given["gains"]))
    given[name][0 if name == "row_pointers" else live[-1]] = value
    found, _ = run_tile(SPEC, given, 2)
    assert message(SPEC, found["status"]).startswith(expected)
    for array in ("table", "slot_accumulator"):
        assert same_bits(found[array], given[array])
