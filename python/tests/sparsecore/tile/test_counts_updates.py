"""Counts of updates that are computed from the figures of a batch equal those of their runs."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sdykit.sparsecore.counts import statistics_of
from sdykit.sparsecore.preprocess import Layout, Minibatching
from sdykit.sparsecore.tile.spec import UpdateSpec
from support.tile.count_cases import check_counts
from support.tile.tile_cases import CHIPS, LAYOUTS, MINIBATCHINGS, Arrays, Buffers, make_buffers
from support.tile.update_cases import OPTIMIZERS

SAME_EVERY_TIME = settings(derandomize=True, deadline=None, max_examples=15)


@SAME_EVERY_TIME
@given(st.data())
def test_counts_of_an_update_equal_those_of_its_run(data: st.DataObject) -> None:
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    chip = data.draw(st.sampled_from(sorted(CHIPS)))
    layout: Layout = data.draw(st.sampled_from(LAYOUTS))
    minibatching: Minibatching = data.draw(st.sampled_from(MINIBATCHINGS))
    devices = data.draw(st.sampled_from([1, 2, 4]))
    samples = data.draw(st.sampled_from([1, 3, 16, 17]))
    limit = data.draw(st.sampled_from([8, 40, 400]))
    buffers = make_buffers(
        rng,
        chip,
        samples_per_core=samples,
        vocabulary=data.draw(st.sampled_from([1, 60, 1000])),
        max_ids=data.draw(st.sampled_from([0, 1, 8, 30])),
        limit=limit,
        layout=layout,
        minibatching=minibatching,
        dropping=True,
        num_devices=devices,
    )
    spec = UpdateSpec(
        dim=data.draw(st.integers(1, 40) | st.sampled_from([130, 300])),
        samples_per_core=samples,
        optimizer=OPTIMIZERS[data.draw(st.sampled_from(sorted(OPTIMIZERS)))],
        minibatches=minibatching != "off",
        chip=chip,
        num_devices=devices,
        layout=layout,
        max_ids_per_partition=limit,
        max_unique_ids_per_partition=limit,
        counters=True,
        reading="chip",
    )
    device = data.draw(st.integers(0, devices - 1))
    minibatches = int(buffers.arrays.get("num_minibatches", [1])[0])
    statistics = statistics_of(spec, buffers.entries, device=device, minibatches=minibatches)
    check_counts(spec, arrays_of(spec, rng, buffers, device), statistics)


def arrays_of(spec: UpdateSpec, rng: np.random.Generator, buffers: Buffers, device: int) -> Arrays:
    """Return the inputs of an update on a device."""
    rows = buffers.rows_per_core * spec.sparse_cores
    values = spec.optimizer.hyperparameters(3)
    slots = {
        f"slot_{name}": np.ones((rows, 1 if name in spec.row_slots else spec.dim), np.float32)
        for name in spec.slots
    }
    return {
        **buffers.arrays,
        **slots,
        "device": np.array(device, np.int32),
        "table": rng.standard_normal((rows, spec.dim)).astype(np.float32),
        "gradients": rng.standard_normal((spec.samples, spec.dim)).astype(np.float32),
        **{name: np.array(values[name], np.float32) for name in spec.scalars},
    }
