"""Counts of programs on raw ids that are computed from the ids equal those of their runs."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sdykit.sparsecore.counts import statistics_of_ids
from sdykit.sparsecore.tile.spec import LookupSpec
from support.amounts import examples
from support.tile.count_cases import check_counts
from support.tile.id_cases import make_case
from support.tile.tile_cases import CHIPS

SAME_EVERY_TIME = settings(derandomize=True, deadline=None, max_examples=examples(25))


@SAME_EVERY_TIME
@given(st.data())
def test_counts_of_a_lookup_of_raw_ids_equal_those_of_its_run(data: st.DataObject) -> None:
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    devices = data.draw(st.sampled_from([1, 2, 4]))
    rows = data.draw(st.sampled_from([1, 7, 300]))
    spec = LookupSpec(
        dim=data.draw(st.integers(1, 40) | st.sampled_from([130, 300])),
        samples_per_core=data.draw(st.sampled_from([1, 3, 16, 50])),
        chip=data.draw(st.sampled_from(sorted(CHIPS))),
        num_devices=devices,
        layout="ids",
        gains=data.draw(st.booleans()),
        counters=True,
        reading="chip",
    )
    valency = data.draw(st.sampled_from([0, 1, 5, 40] + [2500] * (spec.samples_per_core < 4)))
    case = make_case(rng, spec, valency, rows, live=data.draw(st.sampled_from([0.0, 0.5, 1.0])))
    device = data.draw(st.integers(0, devices - 1))
    statistics = statistics_of_ids(spec, case.ids, rows, device=device)
    counters = check_counts(spec, case.given(device), statistics)
    is_here = (case.ids >= device * rows) & (case.ids < (device + 1) * rows)
    assert statistics.ids.sum() == is_here.sum()
    gathered = statistics.unique_ids.sum() * spec.dim * 4
    assert counters.totals["gather: bytes read from table"] == gathered
    vectors = -(-statistics.figures["block_ids"] // spec.hardware.float32_lanes)
    passes = np.ceil(np.log2(np.maximum(vectors, 1))).sum(axis=0)[:, 0, 0]
    assert np.array_equal(counters.by("sort: passes", "core", "tile"), passes)
