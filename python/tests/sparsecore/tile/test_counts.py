"""Counts that are computed from the figures of a batch equal those of the program that runs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdykit.sparsecore.counts import count, statistics_of, statistics_of_ids
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.preprocess import preprocess
from sdykit.sparsecore.reference import entries_from_packed
from sdykit.sparsecore.specs import FeatureSpec, System, TableSpec
from sdykit.sparsecore.stacking import stack
from sdykit.sparsecore.tile.spec import LookupSpec, UpdateSpec
from support.amounts import examples
from support.tile.count_cases import check_counts
from support.tile.drawn_buffers import draw_buffers
from support.tile.tile_cases import (
    DROPPING,
    arrays_for,
    make_buffers,
)

_LOADED = ("embedding_ids", "sample_ids", "gains")
SAME_EVERY_TIME = settings(derandomize=True, deadline=None, max_examples=examples(15))


@SAME_EVERY_TIME
@given(st.data())
def test_counts_of_a_lookup_equal_those_of_its_run(data: st.DataObject) -> None:
    drawn = draw_buffers(data, samples=(1, 3, 16, 17, 50), limits=(8, 40, 400))
    spec = LookupSpec(
        dim=data.draw(st.integers(1, 40) | st.sampled_from([130, 300])),
        **drawn.fields,
        counters=True,
        reading="chip",
    )
    minibatches = int(drawn.buffers.arrays.get("num_minibatches", [1])[0])
    statistics = statistics_of(spec, drawn.buffers.entries, minibatches=minibatches)
    check_counts(spec, arrays_for(drawn.rng, drawn.buffers, spec.dim), statistics)


def test_the_devices_of_a_lookup_count_their_own_partitions() -> None:
    rng = np.random.default_rng(5)
    buffers = make_buffers(rng, "v6e", vocabulary=90, max_ids=9, num_devices=4)
    spec = LookupSpec(dim=20, samples_per_core=5, chip="v6e", num_devices=4)
    unique = np.zeros((8, 8), np.int64)
    for core, partition, row in {
        (device * 2 + core, partition, row)
        for device, core, partition, row in zip(
            buffers.entries.device,
            buffers.entries.core,
            buffers.entries.partition,
            buffers.entries.local_id,
            strict=True,
        )
    }:
        del row
        unique[core, partition] += 1
    found = [
        count(spec, statistics_of(spec, buffers.entries, device=device), device=device)
        for device in range(4)
    ]
    assert [each.device for each in found] == [0, 1, 2, 3]
    sent = [each.by("all_to_all: bytes sent", "core", "partition") for each in found]
    assert np.array_equal(np.concatenate(sent, axis=1), unique * 20 * 4)


def test_the_counts_of_a_batch_have_each_figure_that_the_page_names() -> None:
    rng = np.random.default_rng(11)
    system, batch, valency = System(1, 4), 64, 12
    table = TableSpec("t", 120, 20, max_ids_per_partition=40, max_unique_ids_per_partition=40)
    ids = np.stack([rng.permutation(120)[:valency] for _ in range(batch)])
    stacks = stack([FeatureSpec("f", table, batch)], system)
    done = preprocess({"f": ids}, stacks, system, config=DROPPING)
    packed = done.buffers["t"]
    buffers = (packed.row_pointers, packed.embedding_ids, packed.sample_ids, packed.gains)
    entries = entries_from_packed(*buffers, samples_per_core=16, system=system)
    spec = LookupSpec(
        dim=24,  # Rows are padded to 8 elements.
        samples_per_core=16,
        max_ids_per_partition=40,
        max_unique_ids_per_partition=40,
        counters=True,
        reading="chip",
    )
    dropped = done.statistics["t"].dropped
    figures = statistics_of(spec, entries, dropped=dropped)
    found = count(spec, figures)
    assert figures.dropped == batch * valency - len(entries) > 0
    assert np.array_equal(figures.ids[:, 0], done.statistics["t"].ids.clip(max=40))
    assert (figures.unique_ids < figures.ids).any()
    pairs, row = ("core", "partition"), 24 * 4
    unique = figures.unique_ids.sum(axis=1)
    assert np.array_equal(found.by("all_to_all: bytes sent", *pairs) // row, unique)
    tiles = ("core", "partition", "tile")
    gathers = found.by("gather: DMAs", *tiles)
    assert np.array_equal(gathers.sum(axis=-1), unique)
    assert np.array_equal(found.by("gather: bytes read from table", *tiles), row * gathers)
    loaded = [found.by(f"load: bytes read from {name}", *tiles) for name in _LOADED]
    assert np.array_equal(found.by("load: DMAs", *tiles), np.full((4, 4, 16), len(_LOADED)))
    assert all(np.array_equal(each.sum(axis=-1) // 4, figures.ids[:, 0]) for each in loaded)
    assert found.by("vector operations", *tiles).min() > 0
    assert np.array_equal(found.by("store: bytes written to activations", "core"), [16 * row] * 4)


def test_wrong_figures_are_errors() -> None:
    rng = np.random.default_rng(6)
    buffers = make_buffers(rng, "v5p", max_ids=20, limit=8, minibatching="vocabulary")
    spec = LookupSpec(dim=8, samples_per_core=5, max_ids_per_partition=8)
    with pytest.raises(SparseCoreError) as raised:
        statistics_of(spec, buffers.entries)
    needed = int(buffers.entries.minibatch.max()) + 1
    assert needed > 1
    assert str(raised.value) == (
        f"statistics: the batch has {needed} minibatches, and the lookup is compiled for 1; expected "
        "a spec with minibatches=True, and at most 64"
    )
    with pytest.raises(SparseCoreError) as raised:
        statistics_of(spec, buffers.entries, minibatches=1)
    assert str(raised.value) == (
        f"statistics: minibatches is 1, and an entry is in minibatch {needed - 1}; expected at least "
        f"{needed}"
    )


def test_the_figures_of_another_kind_of_batch_are_errors() -> None:
    rng = np.random.default_rng(6)
    entries = make_buffers(rng, "v5p").entries
    ids = LookupSpec(dim=8, samples_per_core=5, layout="ids")
    with pytest.raises(SparseCoreError) as raised:
        statistics_of(ids, entries)
    assert str(raised.value) == (
        "statistics: the layout is ids, whose entries are of no partition; expected sdykit or "
        "jax_tpu_embedding, or a call of statistics_of_ids"
    )
    lookup = LookupSpec(dim=8, samples_per_core=5)
    for spec, samples in ((lookup, 20), (ids, 21)):
        with pytest.raises(SparseCoreError) as raised:
            statistics_of_ids(spec, np.zeros((samples, 3), np.int32), 10)
        assert str(raised.value) == (
            f"statistics: ids have the shape [{samples}, 3], and the layout is {spec.layout}; expected "
            "[20, valency], and the layout ids"
        )
    with pytest.raises(SparseCoreError) as raised:
        count(UpdateSpec(dim=8, samples_per_core=5), statistics_of(lookup, entries))
    assert str(raised.value) == (
        "statistics: there is no 'minibatch_ids'; expected one of minibatches, ids, unique_ids, "
        "tile_ids: call statistics_of with the spec of the program"
    )
