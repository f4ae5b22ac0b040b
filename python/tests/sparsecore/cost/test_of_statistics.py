"""Costs from the figures of batches, against those from counters."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from sdykit.sparsecore.cost import of_statistics
from sdykit.sparsecore.cost.estimates import Axis
from sdykit.sparsecore.cost.numbers import CASES
from sdykit.sparsecore.counts import Statistics
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.tile.spec import TileSpec
from support.cost_cases import counted, step_of


@pytest.mark.parametrize(
    "fields",
    [
        {"num_devices": 1},
        {"num_devices": 4, "dim": 5},
        {"num_devices": 2, "chip": "7x", "layout": "jax_tpu_embedding"},
        {"num_devices": 2, "chip": "v6e", "minibatches": True},
    ],
    ids=str,
)
def test_costs_are_those_of_the_counters(fields: dict[str, Any]) -> None:
    cases = [*step_of(1, **fields), *step_of(2, **fields | {"dim": 32})]
    specs, statistics = zip(*cases, strict=True)
    found, expected = of_statistics(specs, statistics), counted(cases)
    assert found.steps == expected.steps
    assert found.tables == expected.tables == ("users",)
    chosen: tuple[tuple[Axis, ...], ...] = (("core", "step"), ("minibatch", "table"), ())
    for axes in chosen:
        one, other = found.by(*axes), expected.by(*axes)
        for case in CASES:
            assert one[case] == pytest.approx(other[case], rel=1e-12, abs=0)
    assert (found.bottlenecks("step") == expected.bottlenecks("step")).all()


def error_of(specs: list[TileSpec], statistics: list[list[Statistics]]) -> str:
    with pytest.raises(SparseCoreError) as raised:
        of_statistics(specs, statistics)
    return str(raised.value)


def test_statistics_of_other_programs_or_devices_are_errors() -> None:
    (spec, found), _ = step_of(3, num_devices=2)
    assert error_of([], []) == "cost: there are no programs; expected at least one"
    assert error_of([spec], []) == (
        "cost: there are the statistics of 0 programs, and 1 specs; expected those of each"
    )
    assert error_of([spec], [found[:1]]) == (
        "cost: lookup 'users': there are statistics of 1 devices; expected those of 2"
    )
    few = dataclasses.replace(spec, max_ids_per_partition=1)
    assert "is compiled for 1 (max_ids_per_partition)" in error_of([few], [found])
