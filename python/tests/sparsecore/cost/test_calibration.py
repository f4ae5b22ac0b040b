"""Published points beside predictions that are made without them."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from sdykit.sparsecore.cost.calibration import PRIORS, compare, fit, fitted_numbers, table
from sdykit.sparsecore.cost.defaults import DEFAULTS
from sdykit.sparsecore.cost.points import CHECKS, POINTS


@pytest.mark.parametrize("number", range(len(POINTS)))
@pytest.mark.parametrize("factor", [0.1, 7.0])
def test_a_prediction_does_not_depend_on_its_point(number: int, factor: float) -> None:
    changed = list(POINTS)
    changed[number] = dataclasses.replace(POINTS[number], seconds=POINTS[number].seconds * factor)
    before, after = compare(), compare(changed)
    for at, (one, other) in enumerate(zip(before, after, strict=True)):
        ends = [(each.low, each.predicted, each.high) for each in (one, other)]
        assert (ends[0] == ends[1]) == (at == number)


def test_every_point_is_in_the_error_bar_of_its_prediction() -> None:
    for each in compare():
        assert each.low < each.point.seconds < each.high
        assert 0.5 < each.factor < 2


def test_bandwidth_alone_misses_every_point_by_more_than_the_model() -> None:
    for each in compare():
        alone = each.point.seconds / each.point.bandwidth_seconds
        assert alone > 2.9
        assert alone > max(each.factor, 1 / each.factor)


def test_without_points_the_constants_are_anywhere_in_their_ranges() -> None:
    found = fit([])
    for name, (lowest, highest) in PRIORS.items():
        low, middle, high = found.range_of(found.constants[name])
        span = np.log(highest / lowest)
        for value, share in ((low, 0.05), (middle, 0.5), (high, 0.95)):
            assert np.log(value / lowest) / span == pytest.approx(share, abs=0.03)


def test_a_point_that_is_known_exactly_is_predicted() -> None:
    assumed = {"latency": 1.5e-7, "in_flight": 8.0, "stream_bytes_per_second": 1e10}
    points = [dataclasses.replace(each, seconds=float(each.predicted(assumed))) for each in POINTS]
    found = fit(points)
    for each in points:
        low, middle, high = found.range_of(each.predicted(found.constants))
        assert low < each.seconds < high
        assert middle == pytest.approx(each.seconds, rel=0.15)


def test_the_numbers_of_the_model_are_those_that_follow_from_all_points() -> None:
    found = fitted_numbers()
    named = {name for name, each in DEFAULTS.items() if each.source.startswith("fitted")}
    assert set(found) == named
    for name, ends in found.items():
        number = DEFAULTS[name]
        for value, fitted in zip((number.low, number.value, number.high), ends, strict=True):
            assert value == pytest.approx(fitted, rel=0.05)


def test_what_is_checked_only_is_in_the_range_of_the_model() -> None:
    grouped, whole_models = (check.range_of(fitted_numbers()) for check in CHECKS)
    assert grouped[0] < 12.7 < grouped[1]
    # A lookup gains at least as much as the whole model that it is a part of.
    assert whole_models[1] > 7
    assert whole_models[0] > 5


def test_the_table_has_all_points_and_checks() -> None:
    text = table()
    for each in (*POINTS, *CHECKS):
        assert f"| {each.name} |" in text
