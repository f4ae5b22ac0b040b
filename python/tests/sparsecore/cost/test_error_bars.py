"""Error bars, tiles and sums of costs, for random programs."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdykit.sparsecore.cost import (
    Costs,
    figures_of,
    numbers_of,
    of_figures,
    of_statistics,
    of_work,
)
from sdykit.sparsecore.cost.estimates import AXES, Axis
from sdykit.sparsecore.cost.numbers import CASES, FASTER_IF_LOWER
from sdykit.sparsecore.errors import SparseCoreError
from support.cost_cases import ProgramStatistics, counted, step_of

SAME_EVERY_TIME = settings(derandomize=True, deadline=None, max_examples=4)
SLACK = 1 + 1e-12


@st.composite
def steps(draw: st.DrawFn) -> list[ProgramStatistics]:
    """Return the lookups and updates of two tables."""
    chip = draw(st.sampled_from(["v5p", "v6e", "7x"]))
    devices = draw(st.sampled_from([1, 2, 4]))
    fields: dict[str, Any] = {"chip": chip, "num_devices": devices}
    return [
        program
        for label in ("users", "items")
        for program in step_of(
            draw(st.integers(0, 2**32)),
            label=label,
            dim=draw(st.sampled_from([3, 20])),
            minibatches=draw(st.booleans()),
            layout=draw(st.sampled_from(["sdykit", "jax_tpu_embedding"])),
            **fields,
        )
    ]


def costs_of(programs: list[ProgramStatistics]) -> Costs:
    specs, statistics = zip(*programs, strict=True)
    return of_statistics(specs, statistics)


@SAME_EVERY_TIME
@given(steps())
def test_costs_of_statistics_are_those_of_counters(programs: list[ProgramStatistics]) -> None:
    found, expected = costs_of(programs), counted(programs)
    for case in CASES:
        for one, other in zip(found.programs, expected.programs, strict=True):
            assert one.by_core[case] == pytest.approx(other.by_core[case], rel=1e-12, abs=0)
            assert one.by_tile(case) == pytest.approx(other.by_tile(case), rel=1e-12, abs=0)


@SAME_EVERY_TIME
@given(steps())
def test_parts_are_no_longer_than_the_whole(programs: list[ProgramStatistics]) -> None:
    costs = costs_of(programs)
    all_axes: tuple[Axis, ...] = ("table", "minibatch", "core", "tile", "step")
    tiles, cores = costs.by(*all_axes), costs.by("table", "minibatch", "core", "step")
    slowest, total = costs.by("table", "minibatch", "step"), costs.by()
    for case in CASES:
        assert (tiles[case].max(axis=3) <= cores[case] * SLACK).all()
        # In a step, SparseCores wait for the slowest.
        assert slowest[case] == pytest.approx(cores[case].max(axis=2), rel=1e-12)
        assert total[case] == pytest.approx(slowest[case].sum(), rel=1e-12)
        for axis in AXES[:2]:
            assert costs.by(axis)[case].sum() == pytest.approx(total[case], rel=1e-12)
        one_tile = costs.by("tile", "step")[case]
        assert (one_tile <= costs.by("step")[case] * SLACK).all()
    assert costs.of("lookup").seconds + costs.of("update").seconds == pytest.approx(
        costs.total.seconds
    )


@SAME_EVERY_TIME
@given(steps(), st.data())
def test_what_is_expected_is_in_its_error_bar(
    programs: list[ProgramStatistics], data: st.DataObject
) -> None:
    costs = costs_of(programs)
    chosen: tuple[tuple[Axis, ...], ...] = (
        (),
        ("table",),
        ("core", "step"),
        ("core", "tile", "step"),
    )
    for axes in chosen:
        found = costs.by(*axes)
        assert (found["fastest"] <= found["expected"] * SLACK).all()
        assert (found["expected"] <= found["slowest"] * SLACK).all()
    # Any number alone at an end of its range leaves all times in the error bar, on its side.
    numbers = numbers_of(programs[0][0].chip)
    name = data.draw(st.sampled_from(sorted(numbers)))
    is_low = data.draw(st.booleans())
    one = numbers.replace(**{name: numbers[name].low if is_low else numbers[name].high})
    works = [each.work for each in costs.programs]
    found, bar = of_work(works, one).by("core", "step"), costs.by("core", "step")
    is_faster = is_low == (name in FASTER_IF_LOWER)
    low, high = ("fastest", "expected") if is_faster else ("expected", "slowest")
    assert (bar[low] <= found["expected"] * SLACK).all()
    assert (found["expected"] <= bar[high] * SLACK).all()


def test_tiles_of_figures_are_not_known() -> None:
    (spec, statistics), _ = step_of(1)
    with pytest.raises(SparseCoreError) as raised:
        of_figures([spec], [figures_of(spec, statistics)]).by("tile")
    assert str(raised.value) == (
        "cost: lookups: the figures are those of the busiest tile; expected those of all tiles, for the "
        "axis tile: of_statistics or of_tables"
    )
