"""The formulas of the cost model, by hand and by properties."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdykit.sparsecore.cost import numbers_of, of_work
from sdykit.sparsecore.cost.model import core_seconds, hbm_seconds, ici_seconds, tile_seconds
from sdykit.sparsecore.cost.numbers import FASTER_IF_LOWER, Case
from sdykit.sparsecore.cost.work import AMOUNTS, STEPS, Work
from support.amounts import examples
from support.cost_cases import make_work, with_amounts

SAME_EVERY_TIME = settings(derandomize=True, deadline=None, max_examples=examples(60))
NUMBERS = {
    "dma_seconds": 2e-8,
    "dma_latency_seconds": 3e-7,
    "tile_bytes_per_second": 1e10,
    "hbm_bytes_per_second": 2e12,
    "hbm_efficiency": 0.5,
    "vector_seconds": 1e-9,
    "overlap": 0.25,
    "launch_seconds": 1e-7,
    "exposed_launches": 0.5,
    "ici_bytes_per_second": 8e11,
    "ici_efficiency": 0.5,
    "ici_hop_seconds": 1e-6,
    "ici_dimensions": 3,
}


def test_dmas_of_a_tile_take_their_latency_and_their_bytes() -> None:
    work = make_work(dmas=100, bytes=100 * 64)
    # 100 * 20 ns + 6400 B / 10 GB/s
    assert np.allclose(tile_seconds(work.amounts, NUMBERS), 2e-6 + 0.64e-6)


def test_vectors_of_a_tile_overlap_with_its_dmas_in_part() -> None:
    work = make_work(dmas=100, vectors=1000)
    # 2 us of DMAs; 1 us of vectors, of which a quarter is hidden
    assert np.allclose(tile_seconds(work.amounts, NUMBERS), 2e-6 + 0.75 * 1e-6)
    more = make_work(dmas=100, vectors=4000)
    assert np.allclose(tile_seconds(more.amounts, NUMBERS), 4e-6 + 0.75 * 2e-6)


def test_the_sparse_cores_of_a_chip_share_its_hbm() -> None:
    # 4 SparseCores of 1 MB each, at 1 TB/s
    work = dataclasses.replace(make_work(), hbm_bytes=np.full((1, 1, 9), 4e6))
    assert np.allclose(hbm_seconds(work, NUMBERS), 4e-6)
    assert np.allclose(core_seconds(work, NUMBERS), 4e-6)
    assert np.allclose(
        core_seconds(with_amounts(work, "launches", np.full((1, 4, 9), 3.0)), NUMBERS),
        4e-6 + 3 * 0.5 * 4e-7,
    )


def test_bytes_pass_several_links_of_a_torus() -> None:
    # 64 chips, 4 x 4 x 4: 3 hops. 2 MB a chip at 8e11 / 2 * 0.5 B/s, and one launch.
    work = make_work(cores=256, ici_bytes=2e6, launches=1)
    assert np.allclose(ici_seconds(work, NUMBERS), 3 * 2e6 / 2e11 + 3e-6)
    # One chip has all of it: its own links are the limit.
    skewed = np.zeros((1, 64, 9))
    skewed[:, 5] = 2e6 * 64
    found = ici_seconds(dataclasses.replace(work, ici_bytes=skewed), NUMBERS)
    assert np.allclose(found[:, 5], 128e6 / 2e11 + 3e-6)
    assert np.allclose(found[:, 6], 3 * 2e6 / 2e11 + 3e-6)
    # Launches after the first hide half of their hops.
    assert np.allclose(
        ici_seconds(make_work(cores=256, ici_bytes=2e6, launches=5), NUMBERS),
        3 * 2e6 / 2e11 + 3e-6 * (1 + 0.5 * 4),
    )


def test_no_bytes_over_ici_take_no_time() -> None:
    assert not ici_seconds(make_work(cores=256, launches=9), NUMBERS).any()


def test_a_step_takes_as_long_as_its_slowest_sparse_core() -> None:
    vectors = np.zeros((1, 4, 9))
    vectors[0, 2, 6] = 5000
    vectors[0, 1, 6] = 4000
    vectors[0, 1, 4] = 1000
    numbers = numbers_of("v5p").replace(vector_seconds=1e-9, call_seconds=0)
    costs = of_work([with_amounts(make_work(), "vectors", vectors)], numbers)
    assert costs.total.seconds == pytest.approx(6e-6)
    assert np.allclose(costs.by("core")["expected"], [0, 5e-6, 5e-6, 0])


def random_work(data: st.DataObject, kind: str) -> Work:
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    cores = data.draw(st.sampled_from([4, 8, 64]))
    work = make_work(kind=kind, rows=2, cores=cores)
    shape = work.amounts["launches"].shape

    def random(shape: tuple[int, ...], scale: float) -> np.ndarray:
        return rng.random(shape) * 10.0 ** rng.uniform(0, scale, shape)

    return dataclasses.replace(
        work,
        amounts={name: random(shape, 5) for name in AMOUNTS},
        hbm_bytes=random(work.hbm_bytes.shape, 9),
        ici_bytes=random(work.ici_bytes.shape, 9) * (cores > 4),
    )


@SAME_EVERY_TIME
@given(st.data())
def test_times_grow_and_shrink_with_each_number_as_it_is_said(data: st.DataObject) -> None:
    work = random_work(data, data.draw(st.sampled_from(sorted(STEPS))))
    numbers = numbers_of("v5p")
    name = data.draw(st.sampled_from([each for each in numbers if each != "ici_dimensions"]))
    value, highest = numbers[name].value, 1.0 if not numbers[name].unit else 1e30
    higher = min(highest, value * data.draw(st.floats(1, 10)))
    before = of_work([work], numbers.replace(**{name: value})).by("core", "step")["expected"]
    after = of_work([work], numbers.replace(**{name: higher})).by("core", "step")["expected"]
    slack = 1e-12 * before
    assert (
        (after >= before - slack) if name in FASTER_IF_LOWER else (after <= before + slack)
    ).all()


@SAME_EVERY_TIME
@given(st.data())
def test_more_work_takes_no_less_time(data: st.DataObject) -> None:
    work = random_work(data, "lookup")
    factor = data.draw(st.floats(1, 10))
    name = data.draw(st.sampled_from([*AMOUNTS, "hbm_bytes", "ici_bytes"]))
    if name in AMOUNTS:
        more = with_amounts(work, name, work.amounts[name] * factor)
    else:
        more = dataclasses.replace(work, **{name: getattr(work, name) * factor})
    cases: tuple[Case, ...] = ("expected", "fastest", "slowest")
    before, after = (of_work([each]).by("core", "step") for each in (work, more))
    for case in cases:
        assert (after[case] >= before[case] * (1 - 1e-12)).all()


@SAME_EVERY_TIME
@given(st.data())
def test_what_is_expected_is_in_its_error_bar(data: st.DataObject) -> None:
    found = of_work([random_work(data, "lookup")]).by("table", "core", "step")
    assert (found["fastest"] <= found["expected"]).all()
    assert (found["expected"] <= found["slowest"]).all()
