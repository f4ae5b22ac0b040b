"""Counters equal a recount from the inputs: ids, unique ids, bytes, per tile and partition."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pytest

from sdykit.sparsecore.optimizers import Adagrad
from sdykit.sparsecore.preprocess import Layout, Minibatching
from sdykit.sparsecore.tile.compile import compile_tile
from sdykit.sparsecore.tile.counters import Counters, make_counters
from sdykit.sparsecore.tile.spec import LookupSpec, TileSpec, UpdateSpec
from support.tile.tile_cases import LAYOUTS, Buffers, make_buffers, run_tile, same_bits

CORES, TILES = 4, 16
SAMPLES = 20
"""The samples of a SparseCore: a tile has one or two."""
DIM = 24
ROW_BYTES = 4 * DIM
VECTORS = DIM // 8


@dataclass(frozen=True)
class Counted:
    """A run with counters."""

    arrays: Mapping[str, np.ndarray]
    counters: Counters

    def column(self, name: str) -> np.ndarray:
        """A counter of the tiles, `[SparseCores or partitions, tiles]`."""
        return self.counters.of_tiles(name)


def run_counted(spec: TileSpec, given: Mapping[str, np.ndarray], threads: int = 1) -> Counted:
    spec = dataclasses.replace(spec, counters=True, reading="chip")
    arrays, is_kept = run_tile(spec, given, threads)
    assert is_kept
    program = compile_tile(spec, cache=None).source.text
    (found,) = make_counters(spec, program, {0: (1, arrays["counters"].ravel().tolist())})
    return Counted(arrays, found)


LIMITS = {"off": 1000, "vocabulary": 8}
"""Limits by minibatching."""


def case(minibatching: Minibatching, layout: Layout) -> tuple[Buffers, dict[str, np.ndarray]]:
    """Many duplicates: 60 ids, up to 30 in a sample."""
    rng = np.random.default_rng(11)
    buffers = make_buffers(
        rng,
        "v5p",
        samples_per_core=SAMPLES,
        max_ids=30,
        limit=LIMITS[minibatching],
        layout=layout,
        minibatching=minibatching,
        dropping=True,
    )
    table = rng.standard_normal((4 * buffers.rows_per_core, DIM)).astype(np.float32)
    gradients = rng.standard_normal((CORES * SAMPLES, DIM)).astype(np.float32)
    rate = np.array(0.1, np.float32)
    own = {"table": table, "slot_accumulator": np.abs(table), "gradients": gradients}
    return buffers, {**buffers.arrays, **own, "learning_rate": rate}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("minibatching", ["off", "vocabulary"])
def test_counters_of_a_lookup_follow_from_the_entries_of_its_tiles(
    layout: Layout, minibatching: Minibatching
) -> None:
    buffers, given = case(minibatching, layout)
    spec = LookupSpec(
        dim=DIM,
        samples_per_core=SAMPLES,
        layout=layout,
        minibatches=minibatching != "off",
        max_ids_per_partition=LIMITS[minibatching],
    )
    found = run_counted(spec, given)
    first = np.arange(TILES + 1) * SAMPLES // TILES
    of_sample = np.bincount(buffers.entries.sample, minlength=CORES * SAMPLES)
    ids = np.add.reduceat(of_sample.reshape(CORES, SAMPLES), first[:-1], axis=1)
    assert ids.sum() == len(buffers.entries.sample) > 500
    load = found.counters.by("load: bytes read from embedding_ids", "core")
    assert np.array_equal(load, 4 * ids.sum(axis=1))
    # An id is in one minibatch only.
    entries = buffers.entries
    sent = {*zip(entries.core, entries.partition, entries.local_id, strict=True)}
    unique = np.bincount([core for core, _, _ in sent], minlength=CORES)
    read = found.column("bytes read from table")
    assert np.array_equal(read.sum(axis=1), unique * ROW_BYTES)
    samples = np.broadcast_to(np.diff(first), (CORES, TILES))
    assert np.array_equal(found.column("bytes written to activations"), samples * ROW_BYTES)


@pytest.mark.parametrize("minibatching", ["off", "vocabulary"])
def test_counters_of_an_update_follow_from_the_rows_of_its_partitions(
    minibatching: Minibatching,
) -> None:
    buffers, given = case(minibatching, "sdykit")
    spec = UpdateSpec(
        dim=DIM,
        samples_per_core=SAMPLES,
        minibatches=minibatching != "off",
        optimizer=Adagrad(0.1),
    )
    found = run_counted(spec, given)
    partitions, rows = buffers.entries.partition, buffers.entries.local_id
    ids = np.bincount(partitions, minlength=CORES)
    unique = np.array([len(np.unique(rows[partitions == each])) for each in range(CORES)])
    assert ids.sum() > 3 * unique.sum()
    for name, count in (
        ("bytes read from gradients", ids),
        ("bytes read from table", unique),
        ("bytes written to table", unique),
        ("bytes read from slot_accumulator", unique),
        ("bytes written to slot_accumulator", unique),
    ):
        assert np.array_equal(found.column(name).sum(axis=1), count * ROW_BYTES), name
    assert np.array_equal(found.counters.by("bytes read from gains", "partition"), ids * 4)


def test_counters_of_raw_ids_follow_from_the_ids_of_its_tiles() -> None:
    rng = np.random.default_rng(12)
    ids = rng.integers(-10, 60, (CORES * SAMPLES, 30)).astype(np.int32)
    given = {
        "ids": ids,
        "gains": rng.random(ids.shape, np.float32),
        "table": rng.standard_normal((60, DIM)).astype(np.float32),
    }
    found = run_counted(LookupSpec(dim=DIM, samples_per_core=SAMPLES, layout="ids"), given)
    first = np.arange(TILES + 1) * SAMPLES // TILES
    of_cores = ids.reshape(CORES, SAMPLES, -1)
    unique = [  # A tile has fewer ids than a block has room for.
        [len(np.unique(own[own >= 0])) for own in np.split(of_core, first[1:-1])]
        for of_core in of_cores
    ]
    assert np.array_equal(found.column("bytes read from table"), np.array(unique) * ROW_BYTES)


@pytest.mark.parametrize("kind", [LookupSpec, UpdateSpec])
def test_counting_changes_nothing_and_does_not_depend_on_threads(kind: type[TileSpec]) -> None:
    _, given = case("off", "sdykit")
    spec = kind(dim=DIM, samples_per_core=SAMPLES, check_bounds=True)
    one, two = run_counted(spec, given), run_counted(spec, given, threads=2)
    plain, _ = run_tile(dataclasses.replace(spec, reading="chip"), given)
    for name in {"table", "slot_accumulator", "activations"} & plain.keys():
        assert same_bits(plain[name], one.arrays[name])
    assert np.array_equal(one.arrays["counters"], two.arrays["counters"])
    assert one.arrays["counters"].any()


def test_without_counters_nothing_is_counted() -> None:
    assert (
        "count" not in compile_tile(LookupSpec(dim=4, samples_per_core=4), cache=None).source.text
    )
