"""Counts of updates that are computed from the figures of a batch equal those of their runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypedDict

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sdykit.sparsecore.counts import statistics_of, statistics_of_ids
from sdykit.sparsecore.optimizers import Optimizer
from sdykit.sparsecore.tile.spec import UpdateSpec
from support.amounts import examples
from support.tile.count_cases import check_counts
from support.tile.drawn_buffers import draw_buffers
from support.tile.id_cases import make_case
from support.tile.tile_cases import CHIPS, Arrays, Buffers
from support.tile.update_cases import OPTIMIZERS

SAME_EVERY_TIME = settings(derandomize=True, deadline=None, max_examples=examples(15))


class WidthAndOptimizer(TypedDict):
    """The fields of a spec that decide how long it takes to compile."""

    dim: int
    optimizer: Optimizer


def widths_and_optimizers(draw: Callable[[st.SearchStrategy[Any]], Any]) -> WidthAndOptimizer:
    """Draw a width and an optimizer; wide rows have a simple one."""
    is_wide = draw(st.booleans())
    names = ["sgd", "adagrad", "row_wise_adagrad"] if is_wide else sorted(OPTIMIZERS)
    dim = draw(st.sampled_from([130, 300, 600]) if is_wide else st.integers(1, 40))
    return {"dim": dim, "optimizer": OPTIMIZERS[draw(st.sampled_from(names))]}


@SAME_EVERY_TIME
@given(st.data())
def test_counts_of_an_update_equal_those_of_its_run(data: st.DataObject) -> None:
    # With minibatches, there are sums of gradients for 64 times as many ids.
    drawn = draw_buffers(
        data,
        devices=(1, 2, 4),
        samples=(1, 3, 16, 17),
        limits=(8, 40, 400),
        minibatch_limits=(8, 20),
    )
    spec = UpdateSpec(
        **drawn.fields,
        **widths_and_optimizers(data.draw),
        max_unique_ids_per_partition=drawn.fields["max_ids_per_partition"],
        staging=data.draw(st.sampled_from(["auto", "hbm"])),
        counters=True,
        reading="chip",
    )
    device = data.draw(st.integers(0, spec.num_devices - 1))
    minibatches = int(drawn.buffers.arrays.get("num_minibatches", [1])[0])
    statistics = statistics_of(spec, drawn.buffers.entries, device=device, minibatches=minibatches)
    check_counts(spec, arrays_of(spec, drawn.rng, drawn.buffers, device), statistics)


@SAME_EVERY_TIME
@given(st.data())
def test_counts_of_an_update_of_raw_ids_equal_those_of_its_run(data: st.DataObject) -> None:
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    devices, rows = data.draw(st.sampled_from([1, 2, 4])), data.draw(st.sampled_from([1, 7, 300]))
    spec = UpdateSpec(
        samples_per_core=data.draw(st.sampled_from([1, 3, 16, 50])),
        **widths_and_optimizers(data.draw),
        chip=data.draw(st.sampled_from(sorted(CHIPS))),
        num_devices=devices,
        layout="ids",
        gains=data.draw(st.booleans()),
        counters=True,
        reading="chip",
    )
    valency = data.draw(st.sampled_from([0, 1, 5, 40] + [20000] * (spec.samples < 4)))
    case = make_case(rng, spec, valency, rows, live=data.draw(st.sampled_from([0.0, 0.5, 1.0])))
    device = data.draw(st.integers(0, devices - 1))
    statistics = statistics_of_ids(spec, case.ids, rows, device=device)
    inputs = {**case.given(device), **slots_and_gradients(spec, rng, rows)}
    counters = check_counts(spec, inputs, statistics)
    here = np.unique(case.ids[(case.ids >= device * rows) & (case.ids < (device + 1) * rows)])
    assert counters.totals["scatter: bytes written to table"] == len(here) * spec.dim * 4
    vectors = -(-statistics.figures["partition_ids"].ravel() // spec.hardware.float32_lanes)
    passes = np.ceil(np.log2(np.maximum(vectors, 1)))
    assert np.array_equal(counters.by("sort: passes", "partition"), passes)


def arrays_of(spec: UpdateSpec, rng: np.random.Generator, buffers: Buffers, device: int) -> Arrays:
    """Return the inputs of an update of buffers on a device."""
    rows = buffers.rows_per_core * spec.sparse_cores
    return {
        **buffers.arrays,
        "device": np.array(device, np.int32),
        "table": rng.standard_normal((rows, spec.dim)).astype(np.float32),
        **slots_and_gradients(spec, rng, rows),
    }


def slots_and_gradients(spec: UpdateSpec, rng: np.random.Generator, rows: int) -> Arrays:
    """Return the inputs of an update other than entries and table."""
    values = spec.optimizer.hyperparameters(3)
    slots = {
        f"slot_{name}": np.ones((rows, 1 if name in spec.row_slots else spec.dim), np.float32)
        for name in spec.slots
    }
    return {
        **slots,
        "gradients": rng.standard_normal((spec.samples, spec.dim)).astype(np.float32),
        **{name: np.array(values[name], np.float32) for name in spec.scalars},
    }
